// Small helpers: elements, numbers, colours.

/** An element with attributes (on… are listeners, null leaves out) and children (text or elements). */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "colour") element.style.setProperty("--tone", value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return element;
}

/** Seconds as people read them: 7.4 s, 1:07.4, 1:02:07. */
export function clock(seconds) {
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}:${(seconds - 60 * minutes).toFixed(1).padStart(4, "0")}`;
  const rest = [minutes % 60, Math.floor(seconds % 60)].map((n) => String(n).padStart(2, "0"));
  return [Math.floor(minutes / 60), ...rest].join(":");
}

/** A number with its sign, the true minus among them. */
export function signed(value, digits = 2) {
  const text = Math.abs(value).toFixed(digits);
  if (Number(text) === 0) return text;
  return (value < 0 ? "−" : "+") + text;
}

/** A number without a plus. */
export function plain(value, digits = 2) {
  return signed(value, digits).replace("+", "");
}

/** A sentence with every noun on the colour of its participant. */
export function sentence(pieces, tracks) {
  return pieces.map((piece) => {
    if (piece.participant === null) return piece.text;
    return el("mark", { class: "noun", colour: tracks?.[piece.participant]?.colour }, piece.text);
  });
}

/** The match from which on a sentence is said to be depicted. */
const BORDER = 0.5;

/** How probably a clip depicts a sentence, as a number and a bar, and whether it does. */
export function matchMeter(match) {
  const bar = el("span", { class: "meter", "aria-hidden": "true" }, el("span", { class: "level" }));
  bar.firstChild.style.width = `${(100 * match).toFixed(1)}%`;
  const told = `match ${match.toFixed(2)}${match < BORDER ? ", not depicted" : ""}`;
  return el("span", { class: "match" }, el("span", {}, told), bar);
}

/** A colour of the page, by its name in the style sheet. */
export function tone(name, element = document.documentElement) {
  return getComputedStyle(element).getPropertyValue(name).trim();
}
