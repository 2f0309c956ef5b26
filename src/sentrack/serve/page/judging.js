// What can be done with an answer: say whether it is right, put a box right, take it away.
import { address } from "./api.js";
import { el } from "./dom.js";

/** The buttons below an answer. */
export function tools(answer, view, viewer) {
  const line = el("span", { role: "status" });
  const fixed = new Map(); // boxes put right, by participant and frame
  const judge = async (right) => {
    line.textContent = "Keeping …";
    const boxes = [...fixed.values()];
    const told = { video: answer.video, sentence: view.sentence, start: view.times[0], end: end(view), right, boxes };
    try {
      const response = await fetch("/api/judgements", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(told),
      });
      const kept = await response.json();
      line.textContent = response.ok ? `Kept as ${right ? "right" : "wrong"}; ${kept.judgements} in all.` : kept.error;
    } catch {
      line.textContent = "It was not kept, since the server does not answer. What you drew is still there; try again.";
    }
  };
  const parts = [
    el("button", { type: "button", onclick: () => judge(true) }, "Right"),
    el("button", { type: "button", onclick: () => judge(false) }, "Wrong"),
    correcting(view, viewer, fixed, line),
    saving(answer),
    el("button", { type: "button", onclick: () => copy(line) }, "Copy link"),
    line,
  ];
  return el("div", { class: "controls tools", role: "group", "aria-label": "this answer" }, parts);
}

function end(view) {
  const { times } = view;
  const step = times.length > 1 ? (times.at(-1) - times[0]) / (times.length - 1) : 0.1;
  return times.at(-1) + step;
}

async function copy(line) {
  try {
    await navigator.clipboard.writeText(location.href);
    line.textContent = "The link is copied.";
  } catch {
    line.textContent = location.href; // to be copied by hand
  }
}

/** Links to the answer as files. */
function saving({ sentence, video, start, end: last, pixels }) {
  const asked = { sentence, video, start, end: last };
  const files = ["csv", "mot", "json", "report"].map((kind) => {
    const name = kind === "report" ? "Report" : kind.toUpperCase();
    return el("a", { href: address("/api/download", { ...asked, kind }), download: true }, name);
  });
  if (pixels) files.unshift(el("a", { href: address("/api/media", { video, start, end: last }), download: "moment.mp4" }, "Clip"));
  return el("details", { class: "saving" }, el("summary", {}, "Download"), el("span", {}, files.flatMap((each) => [each, " "])));
}

/** Draw a box where somebody really is in this frame: choose who, then drag on the picture. */
function correcting(view, viewer, fixed, line) {
  const { stage } = viewer;
  const who = el(
    "select",
    { "aria-label": "who" },
    view.tracks.map((track, number) => el("option", { value: number }, `${number + 1}: ${track.noun}`)),
  );
  let from = null;
  const place = (event) => {
    const box = stage.canvas.getBoundingClientRect();
    const scale = view.size[0] / box.width;
    const inside = (value, most) => Math.min(most, Math.max(0, value));
    return [
      inside((event.clientX - box.left) * scale, view.size[0]),
      inside((event.clientY - box.top) * scale, view.size[1]),
    ];
  };
  const drawn = (event) => {
    const [x, y] = place(event);
    return [Math.min(from[0], x), Math.min(from[1], y), Math.max(from[0], x), Math.max(from[1], y)];
  };
  const listeners = {
    pointerdown: (event) => {
      from = place(event);
      stage.canvas.setPointerCapture(event.pointerId);
      event.preventDefault();
    },
    pointermove: (event) => {
      if (!from) return;
      stage.drawn = [{ box: drawn(event), colour: "#ffffff" }];
      stage.draw();
    },
    pointerup: (event) => {
      if (!from) return;
      const box = drawn(event);
      from = null;
      if (box[2] - box[0] < 2 || box[3] - box[1] < 2) return;
      const participant = Number(who.value);
      const index = viewer.index;
      const frame = view.frames[index];
      fixed.set(`${participant} ${frame}`, { participant, frame, box: box.map((side) => Math.round(10 * side) / 10) });
      view.tracks[participant].boxes[index] = box;
      stage.drawn = [];
      stage.draw();
      line.textContent = `${fixed.size} ${fixed.size === 1 ? "box" : "boxes"} put right; say Right or Wrong to keep it.`;
    },
  };
  const button = el("button", { type: "button", "aria-pressed": "false" }, "Put a box right");
  const hint = el("span", { class: "faint small", hidden: true }, "Choose who, and drag the box on the picture. ", who);
  button.addEventListener("click", () => {
    const on = button.getAttribute("aria-pressed") === "false";
    button.setAttribute("aria-pressed", String(on));
    hint.hidden = !on;
    stage.pause();
    stage.element.classList.toggle("drawing", on);
    for (const [name, listener] of Object.entries(listeners)) {
      if (on) stage.canvas.addEventListener(name, listener);
      else stage.canvas.removeEventListener(name, listener);
    }
  });
  return el("span", { class: "correcting" }, button, " ", hint);
}
