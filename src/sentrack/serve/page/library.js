// The library: all of its videos, and one of them with its description.
import { address, cancelled, get } from "./api.js";
import { clock, el, matchMeter } from "./dom.js";
import { kept, picture, problem } from "./parts.js";
import { WholeVideo } from "./whole.js";

const SHOWN = 48; // videos at a time

/** The first page: what the library holds. */
export function showLibrary(main) {
  const control = new AbortController();
  const about = el("p", { class: "status" }, "…");
  const filter = kept(el("input", { type: "search", id: "filter", maxlength: 200, oninput: () => later() }), "filter");
  const label = el("label", { for: "filter" }, "Names that contain ");
  const grid = el("ul", { class: "grid", "aria-label": "videos" });
  const more = el("button", { type: "button", onclick: () => next() }, "More videos");
  const line = el("p", { role: "status" });
  const filtering = el("p", {}, label, filter);
  const empty = el("div", { class: "empty" });
  main.replaceChildren(el("h1", {}, "Library"), about, empty, filtering, grid, line, more);
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
      line.textContent = page.total ? `${offset} of ${page.total} videos` : contains ? "No video has such a name." : "";
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
  const tell = (library) => {
    const most = library.classes.slice(0, 8).map(({ name }) => name);
    const seen = most.length ? ` Most seen: ${most.join(", ")}.` : "";
    about.textContent = `${library.clips === 1 ? "1 clip" : `${library.clips} clips`}, ${clock(library.seconds)} in all.${seen}`;
    about.hidden = filtering.hidden = library.clips === 0;
    empty.replaceChildren(...(library.clips ? [] : whatToDo(library)));
  };
  const facts = () => get("/api/library", {}, control.signal);
  facts().then((library) => {
    tell(library);
    if (!library.uploads) return;
    const renew = () => {
      later();
      facts().then(tell, fail);
    };
    main.append(upload(renew, control.signal));
  }, fail);
  next();
  return () => {
    control.abort();
    clearTimeout(waiting);
  };
}

/** What somebody can do whose library is empty. */
function whatToDo({ name, uploads }) {
  const command = `sentrack index VIDEOS --library ${name}`;
  return [
    el("p", {}, "There is no video in it yet."),
    el("p", {}, "On the machine of the server, ", el("code", {}, command), " looks at videos and keeps what it sees; this page shows them then."),
    el("p", {}, uploads ? "Or add a video below: choose a file, or drop it there." : "A server that is started with --allow-upload takes videos here, too."),
  ];
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

/** A form that sends a video: by choosing a file, or by dropping it there. */
function upload(done, signal) {
  const line = el("p", { role: "status" });
  const file = el("input", { type: "file", id: "file", accept: "video/*" });
  const bar = el("progress", { max: 1, "aria-label": "sent", hidden: true });
  const cancel = el("button", { type: "button", hidden: true }, "Cancel");
  let request = null;
  const busy = (on) => {
    bar.hidden = cancel.hidden = !on;
    add.disabled = on;
  };
  const end = (text) => {
    request = null;
    busy(false);
    line.textContent = text;
  };
  const send = (video) => {
    if (!video || request) return;
    const body = new FormData();
    body.append("file", video);
    request = new XMLHttpRequest();
    busy(true);
    bar.value = 0;
    line.textContent = `Sending ${video.name} …`;
    request.upload.onprogress = ({ loaded, total }) => {
      bar.max = total;
      bar.value = loaded;
      const share = Math.floor((100 * loaded) / Math.max(1, total));
      line.textContent = loaded < total ? `Sending ${video.name}: ${share} %` : `${video.name} is sent, and looked at now; this may take minutes …`;
      if (loaded >= total) bar.removeAttribute("value"); // how long that takes is not known
    };
    request.onload = () => {
      let answer = {};
      try {
        answer = JSON.parse(request.responseText);
      } catch {
        // Not JSON: the number has to do.
      }
      const added = request.status === 201;
      end(added ? `${answer.name} is in the library.` : answer.error ?? `the server answered ${request.status}`);
      if (!added) return;
      file.value = "";
      done();
    };
    request.onerror = () => end("It could not be sent: the server does not answer. The file is still chosen; try again.");
    request.onabort = () => end("Cancelled; nothing was added.");
    request.open("POST", "/api/videos");
    request.send(body);
  };
  cancel.addEventListener("click", () => request?.abort());
  signal.addEventListener("abort", () => request?.abort());
  const add = el("button", {}, "Add");
  const form = el(
    "form",
    {
      class: "upload",
      onsubmit: (event) => {
        event.preventDefault();
        send(file.files[0]);
      },
      ondragover: (event) => {
        event.preventDefault();
        form.classList.add("over");
      },
      ondragleave: () => form.classList.remove("over"),
      ondrop: (event) => {
        event.preventDefault();
        form.classList.remove("over");
        send(event.dataTransfer.files[0]);
      },
    },
    el("h2", {}, "Add a video"),
    el("label", { for: "file" }, "Choose a file, or drop it here "),
    file,
    add,
    el("div", { class: "working" }, bar, cancel),
    line,
  );
  return form;
}

/** A video, what is seen in it, and what happens. */
export function showVideo(main, { name, t }) {
  const control = new AbortController();
  const told = el("ol", { class: "told" });
  const status = el("p", { role: "status", class: "busy" }, "Describing …");
  const watch = el("div", { class: "watch" });
  const field = { type: "text", id: "question", name: "q", maxlength: 300, placeholder: "The person walked to the left." };
  const question = kept(el("input", field), `question ${name}`);
  const ask = el(
    "form",
    { action: "/", class: "within" },
    el("input", { type: "hidden", name: "video", value: name ?? "" }),
    el("label", { for: "question" }, "Ask this video alone "),
    question,
    el("button", {}, "Ask"),
  );
  let film = null;
  const happens = [el("h2", {}, "What happens"), status, told];
  main.replaceChildren(el("h1", {}, name ?? "No video"), watch);
  const load = async () => {
    const video = await get("/api/video", { name }, control.signal);
    const facts = `${clock(video.seconds)}, ${video.frames} frames, ${video.width} × ${video.height}`;
    watch.append(el("p", { class: "facts" }, facts));
    film = new WholeVideo(video, Number(t ?? 0), control.signal);
    watch.append(film.element);
    main.append(ask, ...happens);
    const { sentences } = await get("/api/description", { name }, control.signal);
    status.textContent = sentences.length ? "" : "Nothing that there are words for.";
    told.append(...sentences.map((each) => line(name, each)));
  };
  load().catch(async (error) => {
    if (cancelled(error)) return;
    status.textContent = "";
    main.append(problem(error.message));
    if (!film) main.append(...(await others(name, control.signal)));
  });
  return () => {
    control.abort();
    film?.destroy();
  };
}

/** Where to go from a video that is not there. */
async function others(name, signal) {
  const page = await get("/api/videos", { limit: 200 }, signal).catch(() => ({ videos: [] }));
  const words = (name ?? "").toLowerCase().split(/[^a-z0-9]+/).filter((word) => word.length > 2);
  const near = page.videos.filter((video) => words.some((word) => video.name.toLowerCase().includes(word))).slice(0, 5);
  const links = near.map((video) => el("li", {}, el("a", { href: address("/video", { name: video.name }) }, video.name)));
  return [
    links.length ? el("p", {}, "It may be one of these:") : null,
    links.length ? el("ul", {}, links) : null,
    el("p", {}, el("a", { href: "/" }, "All videos of the library")),
  ].filter(Boolean);
}

function line(name, { sentence, match, start, end }) {
  const href = address("/moment", { q: sentence, video: name, start, end });
  return el("li", {}, el("a", { href }, sentence), " ", matchMeter(match));
}
