// Parts that several pages show.
import { address } from "./api.js";
import { el } from "./dom.js";

const SVG = "http://www.w3.org/2000/svg";

// Browsers open six connections to a server; pictures leave some of them to everything else.
const AT_ONCE = 3;
const waiting = [];
let loading = 0;

const observer = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      observer.unobserve(target);
      waiting.push(target);
    }
    loadNext();
  },
  { rootMargin: "300px" },
);

function loadNext() {
  while (loading < AT_ONCE && waiting.length) {
    const image = waiting.shift();
    if (!image.isConnected) continue;
    loading += 1;
    const done = () => {
      loading -= 1;
      loadNext();
    };
    image.addEventListener("load", done, { once: true });
    image.addEventListener("error", done, { once: true });
    image.src = image.dataset.src;
  }
}

/** Load an image once it is about to be seen. */
function whenSeen(image, src) {
  image.dataset.src = src;
  observer.observe(image);
}

/** A picture of a video at a time, with boxes on it. */
export function picture(video, time, boxes = []) {
  const { width, height } = video;
  const name = video.video ?? video.name;
  const image = el("img", { alt: "" });
  whenSeen(image, address("/api/picture", { video: name, time: time.toFixed(2), width: 320 }));
  const drawing = svg("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
  for (const { box, colour } of boxes) {
    const [x1, y1, x2, y2] = box;
    const shape = { x: x1, y: y1, width: Math.max(0, x2 - x1), height: Math.max(0, y2 - y1), fill: "none" };
    drawing.append(svg("rect", { ...shape, stroke: "#000", "stroke-width": width / 60 }));
    drawing.append(svg("rect", { ...shape, stroke: colour, "stroke-width": width / 100 }));
  }
  const frame = el("span", { class: "picture" }, image, drawing);
  frame.style.aspectRatio = `${width} / ${height}`;
  return frame;
}

function svg(tag, attributes) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

/** What went wrong, in one line. */
export function problem(text) {
  return el("p", { class: "problem", role: "alert" }, text);
}

/** Have a field keep what is typed into it while the tab is open, through reloading and going back. */
export function kept(input, key) {
  const name = `typed: ${key}`;
  try {
    input.value ||= sessionStorage.getItem(name) ?? "";
    input.addEventListener("input", () => sessionStorage.setItem(name, input.value));
  } catch {
    // A browser that keeps nothing.
  }
  return input;
}
