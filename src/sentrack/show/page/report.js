// The report: the views and the video are in the page itself.
import { el } from "./dom.js";
import { mount } from "./viewer.js";

const { views, media } = JSON.parse(document.getElementById("data").textContent);

/** The video in the page, or beside it, or none. */
function source() {
  const film = document.getElementById("film");
  if (!film) return media;
  const bytes = Uint8Array.from(atob(film.textContent.trim()), (letter) => letter.charCodeAt(0));
  return { ...media, url: URL.createObjectURL(new Blob([bytes], { type: "video/mp4" })) };
}

const root = document.getElementById("view");
const shown = source();
let viewer = null;

function show(number) {
  viewer?.destroy();
  viewer = mount(root, views[number], { media: shown });
}

if (views.length > 1) {
  const buttons = views.map((view, number) =>
    el(
      "button",
      {
        type: "button",
        "aria-pressed": String(number === 0),
        onclick: () => {
          buttons.forEach((button, n) => button.setAttribute("aria-pressed", String(n === number)));
          show(number);
        },
      },
      view.sentence,
    ),
  );
  root.before(el("nav", { class: "choices", "aria-label": "sentences" }, buttons));
}
show(0);
