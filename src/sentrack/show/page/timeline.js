// Rows over time: one for every participant, one for every word, and a line at the present frame.
import { clock, el, signed, tone } from "./dom.js";

const BAND = 20; // pixels of height, of the names of states
const BARS = 30; // of the evidence below them
const LINE = 30; // of a participant's row
const NATS = 2; // evidence that fills a bar

/** The rows of a view. `seek(seconds)` is called when somebody points at a time. */
export class Timeline {
  constructor(view, seek) {
    this.view = view;
    this.rows = [
      ...view.tracks.map((track) => participantRow(track)),
      ...view.words.filter((word) => word.part !== "noun").map((word) => wordRow(word, view)),
    ];
    this.cursor = el("div", { class: "cursor" });
    this.element = el("div", { class: "rows" }, this.rows.map((row) => row.element), this.cursor);
    this.element.append(axis(view));
    this.element.addEventListener("pointerdown", (event) => this.point(event, seek));
    this.element.addEventListener("pointermove", (event) => {
      if (event.buttons & 1) this.point(event, seek);
    });
    this.observer = new ResizeObserver(() => this.draw());
    this.observer.observe(this.element);
    this.scheme = matchMedia("(prefers-color-scheme: dark)");
    this.redraw = () => this.draw();
    this.scheme.addEventListener("change", this.redraw);
  }

  /** Draw all rows anew, as wide as they are now. */
  draw() {
    for (const row of this.rows) paint(row, this.view);
    this.show(this.at ?? 0);
  }

  /** Put the line at a frame, and what every row says of it to its right. */
  show(index) {
    this.at = index;
    const canvas = this.rows[0]?.canvas;
    if (!canvas) return;
    const box = canvas.getBoundingClientRect();
    const left = box.left - this.element.getBoundingClientRect().left;
    this.cursor.style.left = `${left + place(this.view.times, index) * box.width}px`;
    for (const row of this.rows) row.now.textContent = row.tell(index);
  }

  point(event, seek) {
    const box = this.rows[0].canvas.getBoundingClientRect();
    if (event.clientX < box.left - 4 || event.clientX > box.right + 4) return;
    const { times } = this.view;
    const share = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
    seek(times[0] + share * span(times));
    event.preventDefault();
  }

  destroy() {
    this.observer.disconnect();
    this.scheme.removeEventListener("change", this.redraw);
  }
}

/** Seconds from the first frame to the end of the last. */
function span(times) {
  if (times.length < 2) return 1;
  const step = (times.at(-1) - times[0]) / (times.length - 1);
  return times.at(-1) - times[0] + step;
}

/** Where a frame is, from 0 to 1. */
function place(times, index) {
  return index < times.length ? (times[index] - times[0]) / span(times) : 1;
}

/** Runs of equal values: [value, first, after]. */
export function runs(values) {
  const found = [];
  values.forEach((value, index) => {
    if (found.length && found.at(-1)[0] === value) found.at(-1)[2] = index + 1;
    else found.push([value, index, index + 1]);
  });
  return found;
}

function row(name, label, height, draw, tell) {
  const canvas = el("canvas", { role: "img", "aria-label": label });
  canvas.style.height = `${height}px`;
  const now = el("span", { class: "now" });
  const element = el("div", { class: "row" }, el("span", { class: "name" }, name), canvas, now);
  return { element, canvas, now, height, draw, tell };
}

function participantRow(track) {
  const seen = track.boxes.map((box) => box !== null);
  const label = `${track.noun}: seen in ${seen.filter(Boolean).length} of ${seen.length} frames`;
  const low = Math.min(0, ...track.scores);
  const high = Math.max(1, ...track.scores);
  const name = [el("span", { class: "dot", colour: track.colour }), track.noun];
  const draw = (context, x, width) => {
    context.fillStyle = track.colour;
    for (const [there, first, after] of runs(seen)) {
      if (there) context.fillRect(x(first), LINE - 6, Math.max(1, x(after) - x(first)), 6);
    }
    context.globalAlpha = 0.35;
    context.beginPath();
    context.moveTo(0, LINE - 7);
    track.scores.forEach((score, index) => {
      const y = seen[index] ? (LINE - 8) * (1 - (score - low) / (high - low)) : LINE - 7;
      context.lineTo(x(index), y);
      context.lineTo(x(index + 1), y);
    });
    context.lineTo(width, LINE - 7);
    context.fill();
    context.globalAlpha = 1;
  };
  const tell = (t) => (!seen[t] ? "not seen" : `score ${track.scores[t].toFixed(2)}`);
  return row(name, label, LINE, draw, tell);
}

function wordRow(word, view) {
  const states = word.states.filter(Boolean).length; // before and after an event it has none
  const phases = runs(word.state).filter(([state]) => word.states[state]).map(
    ([state, first, after]) =>
      `${word.states[state]} ${clock(view.times[first])} to ${clock(view.times[after - 1])}`,
  );
  const label = `${word.word}: ${phases.join(", ")}; ${signed(word.margin)} nats per frame`;
  const dots = word.participants.map((p) => el("span", { class: "dot", colour: view.tracks[p].colour }));
  const draw = (context, x, width) => {
    context.font = `12px ${tone("--font")}`;
    context.textBaseline = "middle";
    for (const [state, first, after] of runs(word.state)) {
      if (!word.states[state]) continue;
      const left = x(first);
      const wide = x(after) - left;
      const share = states > 1 ? state / (states - 1) : 0;
      context.fillStyle = tone(`--state-${Math.round(4 * share)}`);
      context.fillRect(left, 0, Math.max(1, wide - 1), BAND);
      const name = word.states[state];
      if (states > 1 && context.measureText(name).width + 10 < wide) {
        context.fillStyle = tone("--state-ink");
        context.fillText(name, left + 5, BAND / 2 + 1);
      }
    }
    const zero = BAND + 2 + BARS / 2;
    const good = tone("--for");
    const bad = tone("--against");
    word.evidence.forEach((value, index) => {
      const size = Math.min(1, Math.abs(value) / NATS) * (BARS / 2);
      context.fillStyle = value >= 0 ? good : bad;
      context.fillRect(x(index), value >= 0 ? zero - size : zero, Math.max(1, x(index + 1) - x(index)), size);
    });
    context.fillStyle = tone("--faint");
    context.fillRect(0, zero, width, 1);
  };
  const tell = (t) => {
    const state = states > 1 ? `${word.states[word.state[t]]} ` : "";
    return `${state}${signed(word.evidence[t], 1)}`;
  };
  return row([dots, word.word], label, BAND + 2 + BARS, draw, tell);
}

/** The times below the rows. */
function axis(view) {
  const marks = el("span", { class: "ticks", "aria-hidden": "true" });
  const { times } = view;
  const steps = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600];
  const step = steps.find((seconds) => span(times) / seconds <= 8) ?? 7200;
  for (let t = Math.ceil(times[0] / step - 1e-9) * step; t <= times[0] + span(times); t += step) {
    const mark = el("span", {}, step < 1 ? t.toFixed(1) : clock(t).replace(".0", "").replace(" s", ""));
    mark.style.left = `${(100 * (t - times[0])) / span(times)}%`;
    marks.append(mark);
  }
  return el("div", { class: "row axis" }, el("span", { class: "name" }, "seconds"), marks, el("span"));
}

function paint(row, view) {
  const { canvas, height } = row;
  const width = canvas.clientWidth;
  const ratio = devicePixelRatio || 1;
  canvas.width = Math.max(1, Math.round(width * ratio));
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext("2d");
  context.scale(ratio, ratio);
  context.clearRect(0, 0, width, height);
  row.draw(context, (index) => place(view.times, index) * width, width);
}
