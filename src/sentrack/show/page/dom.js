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

/** The mean score of detections from which on a thing is taken to be there. */
const SURE = 0.4;

/** How probably a clip depicts a sentence, as a number and a bar, and whether it does; if it is known
 * how the number came about, a click on it tells. Of what is no moment though each word fits, since all terms together
 * speak against it, `against` is by how much, in nats. */
export function matchMeter(match, why = null, against = null) {
  const bar = el("span", { class: "meter", "aria-hidden": "true" }, el("span", { class: "level" }));
  bar.firstChild.style.width = `${(100 * match).toFixed(1)}%`;
  const verdict = match < BORDER ? "not depicted" : against === null ? "depicted" : "but more speaks against it";
  const told = `match ${match.toFixed(2)}, ${verdict}`;
  if (!why) return el("span", { class: "match" }, el("span", {}, told), bar);
  return el(
    "details",
    { class: "match-why" },
    el("summary", { class: "match", title: "How it came about" }, el("span", {}, told), bar),
    explanation(match, why, against),
  );
}

/** How a match came about, in words. */
function explanation(match, { fit, seconds, sureness }, against) {
  const side =
    match < BORDER
      ? "is not depicted, since that is below one half"
      : against === null
        ? "is depicted, since that is one half or more"
        : `is no moment all the same, since tracks and words together speak against it (${plain(against)} nats)`;
  const worst =
    fit <= 0
      ? `the word that fits least speaks against it (${plain(fit)})`
      : `the word that fits least tells ${plain(100 * Math.min(fit, 1), 0)} % of what it could tell at best`;
  const found = sureness >= SURE ? "surely detected" : "hardly detected, which lowers the match";
  return el(
    "ul",
    { class: "small" },
    el("li", {}, `The probability that the sentence is depicted is ${plain(match)}: it ${side}.`),
    el("li", {}, `By its words: ${worst}.`),
    el("li", {}, `By its length: it lasts ${seconds.toFixed(1)} s.`),
    el("li", {}, `By the detector: who is least surely seen has a mean score of ${plain(sureness)}: ${found}.`),
  );
}

/** A colour of the page, by its name in the style sheet. */
export function tone(name, element = document.documentElement) {
  return getComputedStyle(element).getPropertyValue(name).trim();
}
