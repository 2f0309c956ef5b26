// Everything that the page asks the server.

/** An address with the parameters that have a value. */
export function address(path, parameters = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== null && value !== undefined && value !== "") query.set(name, value);
  }
  const text = query.toString();
  return text ? `${path}?${text}` : path;
}

async function refusal(response) {
  let text = `the server answered ${response.status}`;
  try {
    text = (await response.json()).error ?? text;
  } catch {
    // Not JSON: the number has to do.
  }
  return new Error(text);
}

/** An answer of the server; an Error with one line to read if it does not answer at all. */
async function ask(path, parameters, signal) {
  let response;
  try {
    response = await fetch(address(path, parameters), { signal });
  } catch (error) {
    if (cancelled(error)) throw error;
    throw new Error("The server does not answer. What you typed is still there; try again.");
  }
  if (!response.ok) throw await refusal(response);
  return response;
}

/** A JSON answer; an Error with one line to read if there is none. */
export async function get(path, parameters, signal) {
  return (await ask(path, parameters, signal)).json();
}

/** Calls `each` with every object of an answer that comes line by line, as it comes. */
export async function stream(path, parameters, signal, each) {
  const response = await ask(path, parameters, signal);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const line of lines) if (line.trim()) each(JSON.parse(line));
  }
}

/** Whether an error is only that somebody changed their mind. */
export function cancelled(error) {
  return error.name === "AbortError";
}
