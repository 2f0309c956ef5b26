// A whole video with all that was detected in it. The server sends it piece by piece; nobody sees that.
import { address, cancelled, get } from "./api.js";
import { clock, el } from "./dom.js";
import { label } from "./stage.js";

const PIECE = 10; // seconds of a video that are asked for at a time
const PALETTE = ["#e69f00", "#56b4e9", "#009e73", "#f0e442", "#cc79a7", "#d55e00", "#0072b2"];

/** Plays a video from beginning to end, with its boxes filtered by class and confidence. */
export class WholeVideo {
  constructor(video, at, signal) {
    this.about = video;
    this.signal = signal;
    this.seconds = Math.min(Math.max(0, at), video.seconds);
    this.boxes = new Map(); // by number of the piece
    this.shown = new Set(Object.keys(video.classes));
    this.canvas = el("canvas", { role: "img", "aria-label": `boxes of ${video.name}` });
    this.film = video.pixels ? el("video", { class: "film", preload: "auto", playsinline: true, muted: true, tabindex: "-1" }) : null;
    if (this.film) this.film.poster = address("/api/picture", { video: video.name, time: this.seconds.toFixed(2), width: 480 });
    this.note = el("p", { class: "note", role: "status" });
    this.stage = el("div", { class: this.film ? "stage" : "stage bare" }, this.film, this.canvas, this.note);
    this.stage.style.aspectRatio = `${video.width} / ${video.height}`;
    this.button = el("button", { type: "button", class: "play", onclick: () => this.toggle() }, "Play");
    this.slider = el("input", { type: "range", min: 0, max: video.seconds, step: 0.1, "aria-label": "time", oninput: () => this.seek(Number(this.slider.value)) });
    this.time = el("output", { class: "time" });
    this.least = el("input", { type: "range", min: 0, max: 1, step: 0.05, value: 0.5, id: "least", oninput: () => this.draw() });
    this.level = el("output", { for: "least" });
    this.classes = el("div", { class: "classes", role: "group", "aria-label": "classes" });
    this.element = el(
      "div",
      {},
      this.stage,
      el("div", { class: "controls", role: "group", "aria-label": "playback" }, this.button, this.slider, this.time),
      el("h2", {}, "What is seen"),
      el("p", { class: "filter" }, el("label", { for: "least" }, "Boxes with a confidence of at least "), this.least, " ", this.level),
      this.classes,
    );
    this.observer = new ResizeObserver(() => this.draw());
    this.observer.observe(this.stage);
    if (this.film) this.follow();
    this.listClasses(Object.entries(video.classes));
    this.seek(this.seconds);
  }

  /** Check boxes: classes that are surely there first, and then the others, not chosen. */
  listClasses(entries) {
    this.colours = new Map(entries.map(([name], n) => [name, PALETTE[n % PALETTE.length]]));
    const boxes = entries.map(([name, frames]) => {
      const box = el("input", {
        type: "checkbox",
        checked: this.shown.has(name),
        onchange: () => {
          if (box.checked) this.shown.add(name);
          else this.shown.delete(name);
          this.draw();
        },
      });
      const told = frames ? `${name} (${frames} frames)` : name;
      return el("label", {}, box, el("span", { class: "dot", colour: this.colours.get(name) }), told);
    });
    const sure = entries.filter(([, frames]) => frames).length;
    const doubtful = boxes.slice(sure);
    const open = this.classes.querySelector("details")?.open ?? false;
    this.classes.replaceChildren(...boxes.slice(0, sure));
    if (!sure) this.classes.append(el("p", { class: "faint" }, "Nothing was surely seen."));
    if (doubtful.length) {
      const told = el("summary", {}, `${doubtful.length} more that may have been seen`);
      this.classes.append(el("details", { open }, told, el("div", { class: "classes" }, doubtful)));
    }
  }

  get piece() {
    return Math.floor(Math.min(this.seconds, Math.max(0, this.about.seconds - 1e-3)) / PIECE);
  }

  get playing() {
    return this.wanted === true;
  }

  /** Have the piece that the present time is in, and the boxes of it. */
  load() {
    const number = this.piece;
    if (this.loaded === number) return;
    this.loaded = number;
    const start = number * PIECE;
    const end = Math.min(this.about.seconds, start + PIECE);
    if (this.film) {
      this.note.textContent = "Preparing the video …";
      this.film.src = this.media(number);
    }
    if (this.boxes.has(number)) return;
    this.boxes.set(number, null);
    get("/api/boxes", { name: this.about.name, start: start.toFixed(3), end: (end + 0.001).toFixed(3) }, this.signal)
      .then((found) => {
        this.boxes.set(number, found);
        const more = found.classes.filter((name) => !this.colours.has(name));
        if (more.length) this.listClasses([...this.known(), ...more.map((name) => [name, 0])]);
        this.draw();
      })
      .catch((error) => {
        if (!cancelled(error)) this.note.textContent = error.message;
      });
  }

  /** The address of a piece of the video. */
  media(number) {
    const end = Math.min(this.about.seconds, (number + 1) * PIECE);
    return address("/api/media", { video: this.about.name, start: (number * PIECE).toFixed(2), end: end.toFixed(2) });
  }

  /** The classes that are listed, with their frames. */
  known() {
    return [...this.colours.keys()].map((name) => [name, this.about.classes[name] ?? 0]);
  }

  follow() {
    const { film } = this;
    film.addEventListener("loadeddata", () => {
      this.note.textContent = "";
      film.currentTime = Math.max(0, this.seconds - this.loaded * PIECE);
      if (!this.playing) return;
      film.play().catch(() => this.pause());
      // Have the server make the next piece while this one is watched.
      const next = this.loaded + 1;
      if (next * PIECE < this.about.seconds) fetch(this.media(next), { signal: this.signal }).catch(() => {});
    });
    film.addEventListener("timeupdate", () => {
      if (!this.playing || film.readyState < 2) return;
      this.seconds = this.loaded * PIECE + film.currentTime;
      this.update();
    });
    film.addEventListener("ended", () => {
      if (!this.playing) return;
      this.seconds = (this.loaded + 1) * PIECE;
      if (this.seconds >= this.about.seconds) this.pause();
      else this.load();
    });
    film.addEventListener("error", () => (this.note.textContent = "This part of the video cannot be played; the boxes can."));
  }

  seek(seconds) {
    this.seconds = Math.min(this.about.seconds, Math.max(0, seconds));
    const same = this.loaded === this.piece;
    this.load();
    if (same && this.film && this.film.readyState > 0) this.film.currentTime = this.seconds - this.loaded * PIECE;
    this.update();
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  play() {
    if (this.seconds >= this.about.seconds - 0.05) this.seek(0);
    this.wanted = true;
    this.button.textContent = "Pause";
    if (this.film) {
      if (this.film.readyState >= 2) this.film.play().catch(() => this.pause());
      return;
    }
    let before = performance.now();
    const tick = (now) => {
      if (!this.playing) return;
      this.seconds = Math.min(this.about.seconds, this.seconds + (now - before) / 1000);
      before = now;
      this.load();
      this.update();
      if (this.seconds < this.about.seconds) requestAnimationFrame(tick);
      else this.pause();
    };
    requestAnimationFrame(tick);
  }

  pause() {
    this.wanted = false;
    this.button.textContent = "Play";
    this.film?.pause();
  }

  update() {
    this.slider.value = this.seconds;
    const text = `${clock(this.seconds)} of ${clock(this.about.seconds)}`;
    this.slider.setAttribute("aria-valuetext", text);
    this.time.textContent = text;
    this.draw();
  }

  /** The boxes of the frame nearest to the present time that pass both filters. */
  draw() {
    const width = this.stage.clientWidth;
    const height = this.stage.clientHeight;
    const ratio = devicePixelRatio || 1;
    const size = [Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio))];
    if (this.canvas.width !== size[0] || this.canvas.height !== size[1]) [this.canvas.width, this.canvas.height] = size;
    const context = this.canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    const least = Number(this.least.value);
    this.level.textContent = least.toFixed(2);
    const found = this.boxes.get(this.loaded);
    if (!found?.times.length) return;
    let nearest = 0;
    found.times.forEach((time, n) => {
      if (Math.abs(time - this.seconds) < Math.abs(found.times[nearest] - this.seconds)) nearest = n;
    });
    const scale = width / this.about.width;
    const taken = [];
    for (const [kind, score, x1, y1, x2, y2] of found.boxes[nearest]) {
      const name = found.classes[kind];
      if (score < least || !this.shown.has(name)) continue;
      const colour = this.colours.get(name);
      for (const [wide, ink] of [[4, "rgb(0 0 0 / 70%)"], [2, colour]]) {
        context.lineWidth = wide;
        context.strokeStyle = ink;
        context.strokeRect(x1 * scale, y1 * scale, (x2 - x1) * scale, (y2 - y1) * scale);
      }
      const mark = { noun: `${name} ${score.toFixed(2)}`, colour, box: [x1, y1, x2, y2] };
      label(context, mark, scale, taken, width, height);
    }
    this.canvas.setAttribute("aria-label", `${taken.length} boxes of ${this.about.name}`);
  }

  destroy() {
    this.pause();
    this.observer.disconnect();
    if (this.film) this.film.removeAttribute("src");
  }
}
