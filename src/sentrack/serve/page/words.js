// The lexicon: all words, and one of them drawn.
import { address, cancelled, get } from "./api.js";
import { el } from "./dom.js";
import { problem } from "./parts.js";

/** All words by part of speech, and beside them the one that was chosen. */
export function showWords(main, { word, part }) {
  const control = new AbortController();
  const list = el("div", { class: "list" });
  const drawn = el("article", { class: "drawn", "aria-live": "polite" });
  const about = el("p", { class: "status" });
  main.replaceChildren(el("h1", {}, "Words"), about, el("div", { class: "words" }, list, drawn));
  const fail = (place) => (error) => {
    if (!cancelled(error)) place.append(problem(error.message));
  };
  get("/api/words", {}, control.signal).then((lexicon) => {
    about.textContent = `Lexicon “${lexicon.lexicon}”: ${lexicon.about}`;
    const parts = Map.groupBy ? Map.groupBy(lexicon.words, (each) => each.part) : grouped(lexicon.words);
    for (const [name, words] of parts) list.append(group(name, words, word, part));
  }, fail(list));
  if (word) get("/api/word", { word, part }, control.signal).then((model) => drawn.append(...draw(model)), fail(drawn));
  else drawn.append(el("p", { class: "faint" }, "Choose a word to see what it means."));
  return () => control.abort();
}

function grouped(words) {
  const parts = new Map();
  for (const each of words) parts.set(each.part, [...(parts.get(each.part) ?? []), each]);
  return parts;
}

function group(name, words, chosen, part) {
  const links = words
    .map((each) => each.word)
    .sort()
    .map((each) => {
      const current = each === chosen && (!part || part === name) ? "page" : null;
      return el("li", {}, el("a", { href: address("/words", { word: each, part: name }), "aria-current": current }, each));
    });
  const open = name !== "noun" || part === "noun";
  return el("details", { open }, el("summary", {}, `${name} (${links.length})`), el("ul", { class: "chips" }, links));
}

/** States with how long they last, and how probable every bin of every feature is in each. */
function draw(model) {
  const roles = model.roles.join(", ");
  const parts = [
    el("h2", {}, `${model.word} `, el("span", { class: "faint" }, `${model.part}(${roles})`)),
    el("p", {}, `Said: ${model.forms.slice(0, 12).join(", ")}`),
  ];
  if (model.part === "noun") parts.push(el("p", {}, `Classes: ${model.classes.join(", ") || "any"}`));
  if (model.part === "verb" && model.moves !== null) parts.push(el("p", {}, `What moves: the ${model.moves}`));
  if (model.states.length > 1) {
    const states = model.states.map((state) =>
      el(
        "li",
        { class: state.final ? "final" : null },
        el("strong", {}, state.name),
        state.seconds === null ? null : el("span", {}, ` about ${state.seconds} s`),
        state.final ? el("span", { class: "faint" }, " may end here") : null,
      ),
    );
    parts.push(el("ol", { class: "chain", "aria-label": "states" }, states));
  }
  parts.push(...model.features.map((feature) => table(feature, model)));
  return parts;
}

function table(feature, model) {
  const rows = feature.bins.map((bin, b) =>
    el("tr", {}, el("th", { scope: "row" }, bin), model.states.map((_, k) => el("td", {}, bar(feature.outputs[k][b])))),
  );
  const unit = feature.unit ? ` (${feature.unit})` : "";
  const head = el("tr", {}, el("td"), model.states.map((state) => el("th", { scope: "col" }, state.name)));
  return el(
    "div",
    { class: "ledger", role: "region", "aria-label": feature.name, tabindex: 0 },
    el(
      "table",
      { class: "bins" },
      el("caption", {}, `${feature.name}(${feature.roles.join(", ")}): `, el("span", { class: "faint" }, feature.about + unit)),
      el("thead", {}, head),
      el("tbody", {}, rows),
    ),
  );
}

function bar(probability) {
  const level = el("span", { class: "level" });
  level.style.width = `${100 * probability}%`;
  return [el("span", { class: "meter", "aria-hidden": "true" }, level), ` ${probability.toPrecision(2)}`];
}
