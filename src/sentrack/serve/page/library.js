// The library: all of its videos, and one of them with its description.
import { address, cancelled, get } from "./api.js";
import { clock, el, matchMeter } from "./dom.js";
import { picture, problem } from "./parts.js";

const SHOWN = 48; // videos at a time
const PIECE = 30; // seconds of a video that are played at a time

/** The first page: what the library holds. */
export function showLibrary(main) {
  const control = new AbortController();
  const about = el("p", { class: "status" }, "…");
  const filter = el("input", { type: "search", id: "filter", maxlength: 200, oninput: () => later() });
  const label = el("label", { for: "filter" }, "Names that contain ");
  const grid = el("ul", { class: "grid", "aria-label": "videos" });
  const more = el("button", { type: "button", onclick: () => next() }, "More videos");
  const line = el("p", { role: "status" });
  main.replaceChildren(el("h1", {}, "Library"), about, el("p", {}, label, filter), grid, line, more);
  let offset = 0;
  let waiting;
  const fail = (error) => {
    if (!cancelled(error)) main.append(problem(error.message));
  };
  const next = async () => {
    try {
      const contains = filter.value;
      const page = await get("/api/videos", { offset, limit: SHOWN, contains }, control.signal);
      if (contains !== filter.value) return;
      if (offset === 0) grid.replaceChildren();
      grid.append(...page.videos.map(card));
      offset += page.videos.length;
      more.hidden = offset >= page.total;
      line.textContent = page.total ? `${offset} of ${page.total} videos` : "No video.";
    } catch (error) {
      fail(error);
    }
  };
  const later = () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      offset = 0;
      next();
    }, 150);
  };
  get("/api/library", {}, control.signal).then((library) => {
    const most = library.classes.slice(0, 8).map(({ name }) => name);
    const seen = most.length ? ` Most seen: ${most.join(", ")}.` : "";
    about.textContent = `${library.clips} clips, ${clock(library.seconds)} in all.${seen}`;
    if (library.uploads) main.append(upload(() => later()));
  }, fail);
  next();
  return () => {
    control.abort();
    clearTimeout(waiting);
  };
}

function card(video) {
  const seen = mostSeen(video).slice(0, 6).map(([noun]) => noun).join(", ");
  return el(
    "li",
    {},
    el(
      "a",
      { href: address("/video", { name: video.name }), class: "card" },
      picture(video, video.seconds / 2),
      el("span", { class: "title" }, video.name),
      el("span", {}, clock(video.seconds)),
      el("span", { class: "faint small" }, seen),
    ),
  );
}

/** Classes with the number of frames that show them, the most frequent first. */
function mostSeen(video) {
  return Object.entries(video.classes).sort((a, b) => b[1] - a[1]);
}

function upload(done) {
  const line = el("p", { role: "status" });
  const file = el("input", { type: "file", id: "file", accept: "video/*" });
  const send = async (event) => {
    event.preventDefault();
    if (!file.files.length) return;
    const body = new FormData();
    body.append("file", file.files[0]);
    line.textContent = "Sending and looking at it; this may take minutes …";
    try {
      const response = await fetch("/api/videos", { method: "POST", body });
      const answer = await response.json();
      line.textContent = response.ok ? `${answer.name} is in the library.` : answer.error;
      if (response.ok) done();
    } catch (error) {
      line.textContent = error.message;
    }
  };
  const label = el("label", { for: "file" }, "A video file ");
  return el("form", { class: "upload", onsubmit: send }, el("h2", {}, "Add a video"), label, file, el("button", {}, "Add"), line);
}

/** A video, what is seen in it, and what happens. */
export function showVideo(main, { name, t }) {
  const control = new AbortController();
  const told = el("ol", { class: "told" });
  const status = el("p", { role: "status" }, "Describing …");
  const watch = el("div", { class: "watch" });
  const seen = el("p", { class: "faint" });
  main.replaceChildren(el("h1", {}, name), watch, el("h2", {}, "What happens"), status, told, el("h2", {}, "What is seen"), seen);
  const load = async () => {
    const video = await get("/api/video", { name }, control.signal);
    seen.textContent = mostSeen(video).map(([noun, frames]) => `${noun} (${frames} frames)`).join(", ") || "Nothing.";
    const facts = `${clock(video.seconds)}, ${video.frames} frames, ${video.width} × ${video.height}`;
    watch.append(el("p", { class: "facts" }, facts));
    if (video.pixels) watch.append(player(video, Number(t ?? 0)));
    else watch.append(el("p", { class: "faint" }, "Only boxes are known of it; choose a sentence to see them move."));
    const { sentences } = await get("/api/description", { name }, control.signal);
    status.textContent = sentences.length ? "" : "Nothing that there are words for.";
    told.append(...sentences.map((each) => line(name, each)));
  };
  load().catch((error) => {
    if (cancelled(error)) return;
    status.textContent = "";
    main.append(problem(error.message));
  });
  return () => control.abort();
}

function line(name, { sentence, match, start, end }) {
  const href = address("/moment", { q: sentence, video: name, start, end });
  return el("li", {}, el("a", { href }, sentence), " ", matchMeter(match));
}

function player(video, at) {
  const film = el("video", { class: "film", controls: true, preload: "metadata", playsinline: true });
  film.style.aspectRatio = `${video.width} / ${video.height}`;
  const line = el("p", { role: "status" });
  let first = 0;
  const go = (start, seconds = start) => {
    first = Math.max(0, Math.min(start, Math.max(0, video.seconds - 1)));
    const end = Math.min(video.seconds, first + PIECE);
    film.src = address("/api/media", { video: video.name, start: first.toFixed(2), end: end.toFixed(2) });
    film.addEventListener("loadedmetadata", () => (film.currentTime = Math.max(0, seconds - first)), { once: true });
    line.textContent = video.seconds > PIECE ? `Showing ${clock(first)} to ${clock(end)}` : "";
    back.disabled = first <= 0;
    on.disabled = end >= video.seconds;
  };
  const back = el("button", { type: "button", onclick: () => go(first - PIECE) }, "Before");
  const on = el("button", { type: "button", onclick: () => go(first + PIECE) }, "On");
  film.addEventListener("error", () => (line.textContent = "This part of the video cannot be played."));
  go(Math.floor(at / PIECE) * PIECE, at);
  const parts = video.seconds > PIECE ? el("div", { class: "controls" }, back, on) : null;
  return el("div", {}, film, line, parts);
}
