// Moments that depict a sentence, as they are found; and one of them, played.
import { address, cancelled, get, stream } from "./api.js";
import { clock, el, matchMeter } from "./dom.js";
import { picture, problem } from "./parts.js";
import { mount } from "./viewer.js";

const MANY = 24; // moments at most

/** Look for a sentence in all of the library. Returns what ends it. */
export function showSearch(main, sentence) {
  const control = new AbortController();
  const status = el("p", { role: "status", class: "status" }, "Looking …");
  const bar = el("progress", { max: 1, "aria-label": "progress" });
  const cancel = el("button", { type: "button", onclick: () => control.abort() }, "Cancel");
  const working = el("div", { class: "working" }, bar, cancel);
  const grid = el("ol", { class: "grid moments", "aria-label": "moments" });
  main.replaceChildren(el("h1", { class: "hidden" }, `Moments: ${sentence}`), status, working, grid);
  let count = 0;
  const take = {
    progress: ({ stage, done, total }) => {
      bar.max = total || 1;
      bar.value = done;
      const what = stage === "bound" ? "sorting out clips" : "looking closely";
      status.textContent = `Looking: ${what}, ${done} of ${total}; ${found(count)} so far.`;
    },
    moments: ({ moments }) => {
      count = moments.length;
      grid.replaceChildren(...moments.map((moment) => card(moment)));
    },
    done: ({ clips, read, solved, seconds }) => {
      working.remove();
      const how = `${clips} clips, ${read} with all nouns, ${solved} looked at closely, ${seconds.toFixed(1)} s`;
      status.textContent = `${count ? found(count) : "No moment depicts it"}. ${how}.`;
    },
    error: ({ error, partial }) => {
      working.remove();
      status.textContent = partial ? `${error} What was found until then is below.` : error;
      if (!partial) main.append(problem(error));
    },
  };
  stream("/api/search", { sentence, k: MANY }, control.signal, (line) => take[line.kind](line)).catch((error) => {
    working.remove();
    if (cancelled(error)) status.textContent = `Cancelled; ${found(count)} until then.`;
    else {
      status.textContent = "";
      main.append(problem(error.message));
    }
  });
  return () => control.abort();
}

function found(count) {
  return count === 1 ? "1 moment" : `${count} moments`;
}

function card(moment) {
  const { video, sentence, start, end } = moment;
  const href = address("/moment", { q: sentence, video, start, end });
  const when = `${clock(start)} to ${clock(end)}`;
  return el(
    "li",
    {},
    el(
      "a",
      { href, class: "card" },
      picture(moment, (start + end) / 2, moment.participants),
      el("span", { class: "title" }, video),
      el("span", {}, when),
      matchMeter(moment.match),
      el("span", { class: "faint small" }, moment.reason),
    ),
  );
}

/** One moment, with everything that there is to say about it. */
export function showMoment(main, { q, video, start, end, t }, replace) {
  const control = new AbortController();
  const place = el("div", {}, el("p", { role: "status" }, "Finding the tracks …"));
  const links = el(
    "p",
    { class: "back" },
    el("a", { href: address("/", { q }) }, "All moments"),
    " · ",
    el("a", { href: address("/video", { name: video, t: t ?? start }) }, "The whole video"),
  );
  main.replaceChildren(links, place);
  let viewer = null;
  let waiting;
  const load = async () => {
    const [view, about] = await Promise.all([
      get("/api/moment", { sentence: q, video, start, end }, control.signal),
      get("/api/video", { name: video }, control.signal),
    ]);
    const media = about.pixels
      ? { url: address("/api/media", { video, start: view.times[0], end: view.times.at(-1) }), offset: view.times[0] }
      : null;
    const moved = (seconds) => {
      clearTimeout(waiting);
      waiting = setTimeout(() => replace(address("/moment", { q, video, start, end, t: seconds.toFixed(2) })), 200);
    };
    viewer = mount(place, view, { media, at: t === null ? undefined : Number(t), moved });
  };
  load().catch((error) => {
    if (!cancelled(error)) place.replaceChildren(problem(error.message));
  });
  return () => {
    control.abort();
    clearTimeout(waiting);
    viewer?.destroy();
  };
}
