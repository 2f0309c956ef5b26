// Which page the address asks for; a link within the page changes the address, and the page with it.
import { address } from "./api.js";
import { Asking } from "./asking.js";
import { el } from "./dom.js";
import { showMoment, showSearch } from "./finding.js";
import { showLibrary, showVideo } from "./library.js";
import { showWords } from "./words.js";

const main = document.getElementById("main");
const asking = new Asking((sentence) => go(address("/", { q: sentence })));
let leave = () => {};

function replace(url) {
  history.replaceState(null, "", url);
}

function go(url) {
  history.pushState(null, "", url);
  show();
  scrollTo(0, 0);
  main.focus({ preventScroll: true });
}

function show() {
  leave();
  const parameters = new URLSearchParams(location.search);
  const given = (...names) => Object.fromEntries(names.map((name) => [name, parameters.get(name)]));
  const q = parameters.get("q") ?? "";
  if (q) asking.set(q); // else what somebody is typing stays
  for (const link of document.querySelectorAll(".top nav a")) {
    const current = new URL(link.href).pathname === location.pathname && !q;
    if (current) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  const pages = {
    "/moment": () => showMoment(main, given("q", "video", "start", "end", "t"), replace),
    "/video": () => showVideo(main, given("name", "t")),
    "/words": () => showWords(main, given("word", "part")),
  };
  const home = () => (q ? showSearch(main, q, parameters.get("video")) : showLibrary(main));
  const page = location.pathname === "/" ? home : pages[location.pathname] ?? (() => showNothing(main));
  document.title = [q || parameters.get("name") || parameters.get("word"), "sentrack"].filter(Boolean).join(" – ");
  leave = page() ?? (() => {});
}

/** An address that leads nowhere. */
function showNothing(place) {
  place.replaceChildren(
    el("h1", {}, "There is no such page"),
    el("p", {}, "The address may be mistyped, or what it led to is gone. "),
    el("p", {}, el("a", { href: "/" }, "The library"), " · ", el("a", { href: "/words" }, "The words")),
  );
}

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href]");
  const plain = event.button === 0 && !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
  if (!link || !plain || link.origin !== location.origin || link.getAttribute("href").startsWith("#")) return;
  if (link.hasAttribute("download")) return;
  event.preventDefault();
  go(link.href);
});
addEventListener("popstate", show);
show();
