// Moments that depict a sentence, as they are found; and one of them, played.
import { address, cancelled, get, stream } from "./api.js";
import { clock, el, matchMeter } from "./dom.js";
import { picture, problem } from "./parts.js";
import { tools } from "./judging.js";
import { mount } from "./viewer.js";

const MANY = 24; // moments at most

/** Look for a sentence in all of the library, or in one video. Returns what ends it. */
export function showSearch(main, sentence, video = null) {
  const control = new AbortController();
  const status = el("p", { role: "status", class: "status" }, "Looking …");
  const bar = el("progress", { max: 1, "aria-label": "progress" });
  const cancel = el("button", { type: "button", onclick: () => control.abort() }, "Cancel");
  const working = el("div", { class: "working" }, bar, cancel);
  const grid = el("ol", { class: "grid moments", "aria-label": "moments" });
  const parts = [el("h1", { class: "hidden" }, `Moments: ${sentence}`), where(sentence, video), status, working, grid];
  main.replaceChildren(...parts.filter(Boolean));
  let count = 0;
  const fail = async (error) => {
    status.textContent = "Nothing was looked for.";
    // What is wrong with the sentence stands below it already, with what could be meant.
    const read = await get("/api/parse", { sentence }, control.signal).catch(() => ({ ok: true }));
    if (read.ok || read.error !== error) main.append(problem(error));
  };
  const take = {
    progress: ({ stage, done, total }) => {
      bar.max = total || 1;
      bar.value = done;
      const what = stage === "bound" ? "sorting out clips" : "looking closely";
      status.textContent = `Looking: ${what}, ${done} of ${total}; ${found(count)} so far.`;
    },
    moments: ({ moments }) => {
      count = moments.length;
      const ordered = [...moments].sort((a, b) => b.match - a.match);
      grid.replaceChildren(...ordered.map((moment) => card(moment)));
    },
    misses: ({ moments, missing }) => {
      if (missing.length) {
        const none = `Nobody saw ${missing.map((noun) => `a ${noun}`).join(" or ")} ${video ? "in this video" : "in the library"}.`;
        grid.before(el("p", {}, none));
      }
      if (moments.length) grid.before(el("h2", {}, "What comes nearest, and why it is not enough"));
      grid.replaceChildren(...moments.map((moment) => card(moment, moment.score)));
    },
    done: ({ clips, read, solved, seconds }) => {
      working.remove();
      const how = `${clips === 1 ? "1 clip" : `${clips} clips`}, ${read} with all nouns, ${solved} looked at closely, ${seconds.toFixed(1)} s`;
      const order = count > 1 ? ", the most probable first" : "";
      status.textContent = `${count ? found(count) + order : "No moment depicts it"}. ${how}.`;
    },
    error: ({ error, partial }) => {
      working.remove();
      if (partial) status.textContent = `${error} What was found until then is below.`;
      else fail(error);
    },
  };
  stream("/api/search", { sentence, k: MANY, video }, control.signal, (line) => take[line.kind](line)).catch((error) => {
    working.remove();
    if (cancelled(error)) status.textContent = `Cancelled; ${found(count)} until then.`;
    else fail(error.message);
  });
  return () => control.abort();
}

/** Where is looked, if it is not everywhere. */
function where(sentence, video) {
  if (!video) return null;
  const all = el("a", { href: address("/", { q: sentence }) }, "Ask all videos");
  const own = el("a", { href: address("/video", { name: video }) }, video);
  return el("p", { class: "back" }, "In ", own, " alone. ", all);
}

function found(count) {
  return count === 1 ? "1 moment" : `${count} moments`;
}

/** A moment in short; of one that is none, `against` is its score. */
function card(moment, against = null) {
  const { video, sentence, start, end } = moment;
  const href = address("/moment", { q: sentence, video, start, end });
  const when = `${clock(start)} to ${clock(end)}`;
  return el(
    "li",
    { class: "card" },
    el(
      "a",
      { href, class: "cover" },
      picture(moment, (start + end) / 2, moment.participants),
      el("span", { class: "title" }, video),
      el("span", {}, when),
    ),
    matchMeter(moment.match, moment.why, against),
    el("span", { class: "faint small" }, moment.reason),
  );
}

/** One moment, with everything that there is to say about it. */
export function showMoment(main, { q, video, start, end, t }, replace) {
  const control = new AbortController();
  const place = el("div", {}, el("p", { role: "status", class: "busy" }, "Finding the tracks …"));
  const links = el(
    "p",
    { class: "back" },
    el("a", { href: address("/", { q }) }, "All moments"),
    " · ",
    el("a", { href: address("/", { q, video }) }, "All moments of this video"),
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
    const first = t === null ? view.times[0] : Number(t);
    const media = about.pixels
      ? {
          url: address("/api/media", { video, start: view.times[0], end: view.times.at(-1) }),
          offset: view.times[0],
          poster: address("/api/picture", { video, time: first.toFixed(2), width: 480 }),
        }
      : null;
    const moved = (seconds) => {
      clearTimeout(waiting);
      waiting = setTimeout(() => replace(address("/moment", { q, video, start, end, t: seconds.toFixed(2) })), 200);
    };
    viewer = mount(place, view, { media, at: t === null ? undefined : Number(t), moved });
    const answer = { sentence: q, video, start, end, pixels: about.pixels };
    place.querySelector(".watch").append(tools(answer, view, viewer));
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
