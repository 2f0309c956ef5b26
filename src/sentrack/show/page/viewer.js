// One answer: sentence, picture, rows over time, and why.
import { clock, el, matchMeter, plain, sentence, signed } from "./dom.js";
import { Stage } from "./stage.js";
import { Timeline } from "./timeline.js";

const KEYS = [
  ["Space", "play or pause"],
  ["← →", "one frame back or on"],
  ["Shift ← →", "ten frames back or on"],
  ["0 … 9", "jump to that tenth of the clip"],
  ["Home, End", "first or last frame"],
  ["?", "this list"],
];

/**
 * Show a view in an element.
 *
 * @param root to be filled.
 * @param view as `sentrack.show.view` makes it.
 * @param options media: {url, offset} or null; at: seconds to begin at; moved(seconds): called when
 *   the present frame changes while nothing plays.
 */
export function mount(root, view, options = {}) {
  const viewer = new Viewer(view, options);
  root.replaceChildren(...viewer.parts);
  viewer.begin(options.at);
  return viewer;
}

class Viewer {
  constructor(view, options) {
    this.view = view;
    this.moved = options.moved ?? (() => {});
    this.stage = new Stage(view, options.media ?? null, () => this.update());
    this.timeline = new Timeline(view, (seconds) => {
      this.stage.pause();
      this.go(this.nearest(seconds));
    });
    this.button = el("button", { class: "play", type: "button", onclick: () => this.toggle() });
    this.slider = el("input", {
      type: "range",
      min: 0,
      max: view.times.length - 1,
      step: 1,
      "aria-label": "frame",
      oninput: () => {
        this.stage.pause();
        this.go(Number(this.slider.value));
      },
    });
    this.time = el("output", { class: "time" });
    this.help = keyList();
    this.ledger = ledger(view);
    this.parts = [
      el("header", { class: "asked" }, el("h1", {}, sentence(view.pieces, view.tracks)), facts(view)),
      el(
        "div",
        { class: "watch" },
        this.stage.element,
        el(
          "div",
          { class: "controls", role: "group", "aria-label": "playback" },
          this.button,
          this.slider,
          this.time,
          el(
            "button",
            { type: "button", class: "keys", "aria-label": "keys", title: "Keys (?)", onclick: () => this.help.showModal() },
            "?",
          ),
        ),
      ),
      el("section", { class: "when", "aria-label": "over time" }, this.timeline.element),
      el(
        "section",
        { class: "why" },
        el("h2", {}, "Why"),
        el("p", { class: "reason" }, capital(view.reason), "."),
        certificate(view),
        rivals(view, this.stage),
        this.ledger.element,
      ),
      this.help,
    ];
    this.pressed = (event) => this.key(event);
    document.addEventListener("keydown", this.pressed);
  }

  begin(at) {
    this.timeline.draw();
    this.stage.seek(this.view.times[at === undefined || at === null ? 0 : this.nearest(at)]);
  }

  /** The index of the frame that is shown. */
  get index() {
    return this.nearest(this.stage.seconds);
  }

  nearest(seconds) {
    const { times } = this.view;
    let low = 0;
    let high = times.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((times[middle] + times[middle + 1]) / 2 < seconds) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  go(index) {
    const frame = Math.min(this.view.times.length - 1, Math.max(0, index));
    this.stage.seek(this.view.times[frame]);
    this.moved(this.view.times[frame]);
  }

  toggle() {
    if (this.stage.playing) this.stage.pause();
    else this.stage.play();
  }

  update() {
    const { index, stage } = this;
    this.button.textContent = stage.playing ? "Pause" : "Play";
    this.button.setAttribute("aria-pressed", String(stage.playing));
    this.slider.value = index;
    const text = `${clock(this.view.times[index])}, frame ${this.view.frames[index]}`;
    this.slider.setAttribute("aria-valuetext", text);
    this.time.textContent = text;
    this.timeline.show(index);
    this.ledger.show(index);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || this.help.open) return;
    const target = event.target;
    if (target.matches?.("input:not([type=range]), textarea, select")) return;
    const onButton = target.matches?.("button, summary, a");
    const step = event.shiftKey ? 10 : 1;
    const last = this.view.times.length - 1;
    const actions = {
      ArrowLeft: () => this.go(this.index - step),
      ArrowRight: () => this.go(this.index + step),
      Home: () => this.go(0),
      End: () => this.go(last),
      "?": () => this.help.showModal(),
    };
    if (event.key === " " && onButton) return;
    if (event.key === " ") this.toggle();
    else if (/^[0-9]$/.test(event.key)) this.go(Math.round((last * Number(event.key)) / 10));
    else if (event.key in actions) {
      if (event.key !== "?") this.stage.pause();
      actions[event.key]();
    } else return;
    event.preventDefault();
  }

  destroy() {
    document.removeEventListener("keydown", this.pressed);
    this.stage.destroy();
    this.timeline.destroy();
  }
}

function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function facts(view) {
  const when = `${clock(view.times[0])} to ${clock(view.times.at(-1))}`;
  return el(
    "p",
    { class: "facts" },
    matchMeter(view.match, view.why),
    el("span", { class: view.certified ? "badge proven" : "badge" }, view.certified ? "best tracks" : "tracks not proven best"),
    el("span", {}, view.video),
    el("span", {}, `${when}, ${view.times.length} frames`),
    view.unchecked.length ? el("span", {}, `not checked: ${view.unchecked.join(", ")}`) : null,
  );
}

function certificate(view) {
  const own = plain(view.score, 4);
  let text = `These tracks score ${own} nats; how much better others could be is not known.`;
  if (view.certified) {
    text = `These are proven to be the best tracks: none score above ${plain(view.upper_bound, 4)} nats, and these score ${own}.`;
  } else if (view.upper_bound !== null) {
    const gap = plain(view.upper_bound - view.score, 4);
    text = `These tracks score ${own} nats and are at most ${gap} below the best possible ones.`;
  }
  const how = `Found by ${view.method} in ${view.seconds.toFixed(2)} s with the words of “${view.lexicon}”.`;
  return el("p", { class: "certificate" }, text, " ", how);
}

function rivals(view, stage) {
  if (!view.rivals.length) {
    return el("p", { class: "faint" }, "Nobody else could be meant, and no roles can be swapped.");
  }
  const buttons = [];
  const cards = view.rivals.map((rival) => {
    const button = el(
      "button",
      {
        type: "button",
        "aria-pressed": "false",
        onclick: () => {
          const on = stage.rival !== rival.tracks;
          stage.rival = on ? rival.tracks : null;
          stage.rivalName = title.toLowerCase();
          for (const each of buttons) each.set(on && each.button === button);
          stage.draw();
          if (on) stage.element.scrollIntoView({ block: "nearest" });
        },
      },
      "",
    );
    const title = rival.kind === "runner-up" ? "Runner-up" : "Roles swapped";
    const set = (on) => {
      button.setAttribute("aria-pressed", String(on));
      button.textContent = on ? "Take these tracks off the picture" : "Draw these tracks on the picture, dashed";
    };
    set(false);
    buttons.push({ button, set });
    const own = rival.margin > 0 ? "The answer matches better by" : "The answer matches no better:";
    return el(
      "li",
      {},
      el("h3", {}, title),
      el("p", {}, rival.kind === "runner-up" ? `${capital(rival.about)}.` : rival.sentence),
      el("p", {}, matchMeter(rival.match)),
      el("p", {}, `${own} ${signed(rival.margin, 3)} (${signed(rival.nats, 1)} nats).`),
      button,
    );
  });
  return el("ul", { class: "rivals" }, cards);
}

/** All terms, what they add in the present frame, and their sum: the score. */
function ledger(view) {
  const cells = [];
  const rows = view.ledger.map((term) => {
    const now = el("td");
    cells.push([now, term.values]);
    const total = el("td", {}, plain(term.total));
    const dots = term.participants.map((p) => el("span", { class: "dot", colour: view.tracks[p].colour }));
    return el("tr", {}, el("th", { scope: "row" }, dots, term.owner), el("td", {}, term.term), now, total);
  });
  const sum = el("td");
  const all = view.ledger.map((term) => term.values);
  const table = el(
    "table",
    {},
    el("caption", {}, "Ledger: every term of the score, in nats"),
    el(
      "thead",
      {},
      el("tr", {}, ["who or what", "term", "this frame", "in all"].map((name) => el("th", { scope: "col" }, name))),
    ),
    el("tbody", {}, rows),
    el(
      "tfoot",
      {},
      el("tr", {}, el("th", { scope: "row", colspan: 2 }, "score"), sum, el("td", {}, plain(view.score))),
    ),
  );
  const show = (index) => {
    for (const [cell, values] of cells) cell.textContent = plain(values[index]);
    sum.textContent = plain(all.reduce((total, values) => total + values[index], 0));
  };
  return { element: el("div", { class: "ledger", role: "region", "aria-label": "ledger", tabindex: 0 }, table), show };
}

function keyList() {
  const rows = KEYS.map(([key, what]) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, what)]);
  const dialog = el("dialog", { "aria-label": "keys" }, el("h2", {}, "Keys"), el("dl", {}, rows));
  dialog.append(el("button", { type: "button", onclick: () => dialog.close() }, "Close"));
  return dialog;
}
