// The search box: completions and the reading of the sentence while it is typed.
import { cancelled, get } from "./api.js";
import { el, sentence } from "./dom.js";
import { kept } from "./parts.js";

const PAUSE = 120; // milliseconds without a key before the server is asked

/** The form at the top of every page; `search(text)` is called when it is sent. */
export class Asking {
  constructor(search) {
    this.search = search;
    this.form = document.getElementById("ask");
    this.input = kept(document.getElementById("sentence"), "sentence");
    this.list = document.getElementById("completions");
    this.reading = document.getElementById("reading");
    this.chosen = -1;
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.send(this.input.value);
    });
    this.input.addEventListener("input", () => {
      clearTimeout(this.waiting);
      this.waiting = setTimeout(() => this.ask(), PAUSE);
    });
    this.input.addEventListener("keydown", (event) => this.key(event));
    this.input.addEventListener("blur", () => setTimeout(() => this.close(), 150));
  }

  /** Show a sentence that came from elsewhere, such as the address. */
  set(text) {
    if (this.input.value !== text) this.input.value = text;
    if (text) this.read();
    else this.reading.replaceChildren();
    this.close();
  }

  send(text) {
    clearTimeout(this.waiting);
    this.asked?.abort();
    this.close();
    const said = text.trim();
    if (said) this.search(said);
  }

  async ask() {
    const parts = [this.read()];
    parts.push(this.complete());
    await Promise.all(parts);
  }

  /** How the sentence is read, or what is wrong with it. */
  async read() {
    const text = this.input.value.trim();
    this.parsing?.abort();
    this.parsing = new AbortController();
    if (!text) return this.reading.replaceChildren();
    try {
      this.tell(await get("/api/parse", { sentence: text }, this.parsing.signal));
    } catch (error) {
      // That the server does not answer is said where an answer is waited for.
      if (!cancelled(error)) this.reading.replaceChildren();
    }
  }

  tell(answer) {
    if (answer.ok) {
      const said = el("span", {}, sentence(answer.pieces, answer.participants));
      const read = el("span", { class: "links" }, `read as: ${answer.read_as}`);
      this.reading.replaceChildren(said, read);
      this.reading.append(...answer.reading.map((note) => el("span", { class: "faint" }, note)));
      return;
    }
    const instead = answer.suggestions.map((text) =>
      el("button", { type: "button", class: "instead", onclick: () => this.take(text) }, text),
    );
    this.reading.replaceChildren(el("span", { class: "wrong" }, answer.error), ...instead);
  }

  /** Take another sentence and look for it. */
  take(text) {
    this.input.value = text;
    this.input.focus();
    this.read();
    this.send(text);
  }

  async complete() {
    const text = this.input.value;
    this.asked?.abort();
    this.asked = new AbortController();
    try {
      const { completions } = await get("/api/complete", { text, limit: 8 }, this.asked.signal);
      if (document.activeElement === this.input) this.open(completions);
    } catch (error) {
      if (!cancelled(error)) this.close();
    }
  }

  open(completions) {
    this.options = completions;
    this.chosen = -1;
    this.input.removeAttribute("aria-activedescendant");
    if (!completions.length) return this.close();
    this.list.replaceChildren(
      ...completions.map((completion, n) =>
        el(
          "li",
          {
            role: "option",
            id: `completion-${n}`,
            "aria-selected": "false",
            onpointerdown: (event) => {
              event.preventDefault();
              this.accept(n);
            },
          },
          el("span", {}, completion.word),
          el("span", { class: "faint" }, completion.part),
        ),
      ),
    );
    this.list.hidden = false;
    this.input.setAttribute("aria-expanded", "true");
  }

  close() {
    this.list.hidden = true;
    this.chosen = -1;
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
  }

  accept(number) {
    this.input.value = `${this.options[number].text} `;
    this.close();
    this.ask();
  }

  key(event) {
    if (event.key === "Escape") {
      this.close();
      return;
    }
    if (this.list.hidden) return;
    const count = this.options.length;
    if (event.key === "ArrowDown") this.mark((this.chosen + 1) % count);
    else if (event.key === "ArrowUp") this.mark((this.chosen + count - (this.chosen < 0 ? 0 : 1)) % count);
    else if ((event.key === "Enter" || event.key === "Tab") && this.chosen >= 0) this.accept(this.chosen);
    else return;
    event.preventDefault();
  }

  mark(number) {
    this.chosen = number;
    [...this.list.children].forEach((option, n) => option.setAttribute("aria-selected", String(n === number)));
    this.list.children[number].scrollIntoView({ block: "nearest" });
    this.input.setAttribute("aria-activedescendant", `completion-${number}`);
  }
}
