// The picture: a video, or a plain ground where there is none, with the tracks drawn on it.
import { el, tone } from "./dom.js";

/** Where every track is at a time: boxes between two frames are interpolated. */
export function boxesAt(times, tracks, seconds) {
  let after = 1;
  let high = times.length - 1;
  while (after < high) {
    const middle = (after + high) >> 1;
    if (times[middle] < seconds) after = middle + 1;
    else high = middle;
  }
  after = Math.min(after, times.length - 1);
  const before = Math.max(after - 1, 0);
  const gap = times[after] - times[before];
  const share = gap > 0 ? Math.min(1, Math.max(0, (seconds - times[before]) / gap)) : 0;
  const nearest = share >= 0.5 ? after : before;
  return tracks.filter((track) => track.boxes[nearest]).map((track) => {
    const [one, other] = [before, after].map((t) => track.boxes[t] ?? track.boxes[nearest]);
    return {
      noun: track.noun,
      colour: track.colour,
      box: one.map((value, i) => (1 - share) * value + share * other[i]),
    };
  });
}

/** Plays a view: on a video whose first frame is at `offset` seconds, or by a clock of its own. */
export class Stage {
  constructor(view, media, told) {
    this.view = view;
    this.told = told;
    this.seconds = view.times[0];
    this.rival = null;
    this.rivalName = "";
    this.drawn = []; // boxes of somebody who puts one right
    this.video = media
      ? el("video", { src: media.url, preload: "auto", playsinline: true, muted: true, tabindex: "-1" })
      : null;
    this.offset = media?.offset ?? 0;
    this.canvas = el("canvas", { role: "img", "aria-label": `tracks on ${view.video}` });
    this.note = el("p", { class: "note", role: "status" });
    this.element = el("div", { class: this.video ? "stage" : "stage bare" }, this.video, this.canvas);
    this.element.style.aspectRatio = `${view.size[0]} / ${view.size[1]}`;
    this.observer = new ResizeObserver(() => this.draw());
    this.observer.observe(this.element);
    if (this.video) {
      if (media.poster) this.video.poster = media.poster;
      this.say("Preparing the video …");
      this.follow();
    }
  }

  /** A line at the foot of the picture; none if there is nothing to say. */
  say(text) {
    this.note.textContent = text;
    if (text) this.element.append(this.note);
    else this.note.remove();
  }

  get first() {
    return this.view.times[0];
  }

  get last() {
    return this.view.times.at(-1);
  }

  get playing() {
    return this.video ? !this.video.paused && !this.video.ended : this.ticking !== undefined;
  }

  play() {
    if (this.seconds >= this.last - 1e-3) this.seek(this.first);
    if (this.video) {
      this.video.play().catch(() => this.told());
      return;
    }
    let before = performance.now();
    const tick = (now) => {
      this.seconds = Math.min(this.last, this.seconds + (now - before) / 1000);
      before = now;
      this.ticking = this.seconds < this.last ? requestAnimationFrame(tick) : undefined;
      this.draw();
      this.told();
    };
    this.ticking = requestAnimationFrame(tick);
    this.told();
  }

  pause() {
    this.video?.pause();
    if (this.ticking !== undefined) cancelAnimationFrame(this.ticking);
    this.ticking = undefined;
    this.told();
  }

  seek(seconds) {
    this.seconds = Math.min(this.last, Math.max(this.first, seconds));
    if (this.video) {
      // A hair later, so that rounding does not show the frame before.
      const time = this.seconds - this.offset + 1e-3;
      if (this.video.readyState > 0) this.video.currentTime = time;
      else this.wanted = time;
    }
    this.draw();
    this.told();
  }

  /** Keep the tracks in step with the frames that the video shows. */
  follow() {
    const { video } = this;
    const step = (media) => {
      if (!this.playing) return;
      this.seconds = Math.min(this.last, Math.max(this.first, this.offset + media));
      this.draw();
      this.told();
      if (this.offset + media >= this.last) this.pause();
    };
    const next = () => {
      if (this.gone) return;
      if (video.requestVideoFrameCallback) {
        video.requestVideoFrameCallback((_, frame) => {
          step(frame.mediaTime);
          next();
        });
      } else {
        requestAnimationFrame(() => {
          step(video.currentTime);
          next();
        });
      }
    };
    next();
    video.addEventListener("loadedmetadata", () => {
      if (this.wanted !== undefined) video.currentTime = this.wanted;
      this.wanted = undefined;
    });
    video.addEventListener("loadeddata", () => this.say(""), { once: true });
    video.addEventListener("ended", () => {
      this.seconds = this.last;
      this.draw();
      this.told();
    });
    for (const name of ["play", "pause"]) video.addEventListener(name, () => this.told());
    video.addEventListener("error", () => {
      this.element.classList.add("bare");
      this.say("The video cannot be played here; the boxes can.");
      this.video = null;
      video.remove();
      this.draw();
    });
  }

  draw() {
    const { canvas, view } = this;
    const width = this.element.clientWidth;
    const height = this.element.clientHeight;
    const ratio = devicePixelRatio || 1;
    const wide = Math.max(1, Math.round(width * ratio));
    const high = Math.max(1, Math.round(height * ratio));
    if (canvas.width !== wide || canvas.height !== high) [canvas.width, canvas.height] = [wide, high];
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    const scale = width / view.size[0];
    if (this.rival) {
      for (const mark of boxesAt(view.times, this.rival, this.seconds)) outline(context, mark, scale, true);
    }
    const marks = boxesAt(view.times, view.tracks, this.seconds);
    for (const mark of marks) outline(context, mark, scale, false);
    const taken = [];
    for (const mark of marks) label(context, mark, scale, taken, width, height);
    for (const mark of this.rival ? boxesAt(view.times, this.rival, this.seconds) : []) {
      const told = { ...mark, noun: `${this.rivalName}: ${mark.noun}` };
      label(context, told, scale, taken, width, height);
    }
    for (const mark of this.drawn) outline(context, mark, scale, false);
  }

  destroy() {
    this.gone = true;
    this.pause();
    this.observer.disconnect();
  }
}

function outline(context, mark, scale, faint) {
  const [x1, y1, x2, y2] = mark.box.map((value) => value * scale);
  const dashes = faint ? [3, 5] : [];
  for (const [width, ink] of [[4.5, "rgb(0 0 0 / 70%)"], [2.5, mark.colour]]) {
    context.setLineDash(dashes);
    context.lineWidth = faint ? width / 2 : width;
    context.strokeStyle = ink;
    context.strokeRect(x1, y1, x2 - x1, y2 - y1);
  }
  context.setLineDash([]);
}

/** The noun on its colour, above its box, or below the labels that are there already. */
export function label(context, mark, scale, taken, width, height) {
  context.font = `600 13px ${tone("--font")}`;
  context.textBaseline = "middle";
  const wide = context.measureText(mark.noun).width + 10;
  const high = 19;
  const x = Math.min(Math.max(0, mark.box[0] * scale - 1), Math.max(0, width - wide));
  let y = Math.min(Math.max(0, mark.box[1] * scale - high), Math.max(0, height - high));
  for (let tries = 0; tries < 6; tries++) {
    const clash = taken.some((t) => Math.abs(t.y - y) < high && t.x < x + wide && x < t.x + t.wide);
    if (!clash) break;
    y = y + high > height - high ? y - 2 * high : y + high;
  }
  taken.push({ x, y, wide });
  context.fillStyle = mark.colour;
  context.fillRect(x, y, wide, high);
  context.fillStyle = readable(mark.colour);
  context.fillText(mark.noun, x + 5, y + high / 2 + 1);
}

/** Black or white, whichever is read better on a colour. */
function readable(colour) {
  const [red, green, blue] = [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));
  return 0.299 * red + 0.587 * green + 0.114 * blue > 120 ? "#000" : "#fff";
}
