// The words of a sentence that name marks of its figure. A word under the pointer, a finger or the focus lights its mark
// up: the others fade. A clicked or tapped word keeps it lit, also while a slider is dragged, until it is clicked again.
// All words of a sentence are one stop of the Tab key; the arrow keys go from one to the next.

const FADED = 0.15; // the opacity of a mark that is not lit

// The sentence in its node. If the number of words stays the same, their elements stay too, and keep the focus.
/** @param {any} node @param {{ sentence: string, marks: Mark[] }} said @param {() => void} onLight */
function writeSentence(node, { sentence, marks }, onLight) {
  node.marks ??= { words: [], gaps: [], chosen: { over: null, focus: null, kept: null } };
  const { words, gaps, chosen } = node.marks;
  if (gaps.length !== marks.length + 1 || !node.firstChild) {
    const [kept, focus] = [chosen.kept, chosen.focus].map((place) => whereIn(marks, words[place]?.textContent));
    words.splice(0, words.length, ...marks.map((_, place) => makeWord(node, place, onLight)));
    gaps.splice(0, gaps.length, ...[null, ...marks].map(() => document.createElement("span")));
    node.replaceChildren(...gaps.flatMap((gap, place) => (place ? [words[place - 1], gap] : [gap])));
    Object.assign(chosen, { over: null, focus: null, kept });
    words[kept]?.setAttribute("aria-pressed", "true");
    words[focus]?.focus({ preventScroll: true });
  }
  let rest = sentence;
  marks.forEach((mark, place) => {
    writeWhole(gaps[place], mark.before);
    dress(words[place], mark);
    rest = rest.slice(mark.before.length + mark.word.length);
  });
  writeWhole(gaps[marks.length], rest);
}

// Text with its units in elements that no line break divides.
function writeWhole(node, text) {
  if (node.textContent === text) return;
  node.replaceChildren(...text.split(UNBROKEN).map((part, place) => (place % 2 ? wholeOf(part) : part)));
}

function wholeOf(text) {
  return Object.assign(document.createElement("span"), { className: "whole", textContent: text });
}

// The index of the word among others, or null: a later sentence may have other words.
function whereIn(marks, text) {
  const place = marks.findIndex(({ word }) => word === text);
  return place < 0 ? null : place;
}

/** @param {HTMLElement} word @param {Mark} mark */
function dress(word, { word: text, colour, ink, line }) {
  if (word.textContent !== text) word.textContent = text;
  word.style.setProperty("color", ink, "important"); // in a classroom all other text is black
  word.style.textDecoration = `${line} underline 0.15em ${colour}`;
}

function makeWord(node, place, onLight) {
  const word = document.createElement("span");
  word.className = "mark";
  word.tabIndex = place ? -1 : 0;
  word.setAttribute("role", "button");
  word.setAttribute("aria-pressed", "false");
  const { chosen, words } = node.marks;
  const choose = (how, what) => {
    chosen[how] = what;
    words.forEach((each, i) => each.setAttribute("aria-pressed", String(i === chosen.kept)));
    onLight();
  };
  const keep = () => {
    const off = chosen.kept === place;
    if (off) chosen.focus = chosen.over = null;
    choose("kept", off ? null : place);
  };
  // A word that appears under a resting pointer does not count as pointed at.
  word.addEventListener("pointermove", ({ pointerType }) => pointerType === "mouse" && chosen.over !== place && choose("over", place));
  word.addEventListener("pointerleave", () => choose("over", null));
  word.addEventListener("focus", () => {
    words.forEach((each) => { each.tabIndex = each === word ? 0 : -1; });
    choose("focus", place);
  });
  word.addEventListener("blur", () => choose("focus", null));
  word.addEventListener("click", keep);
  word.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step) words[(place + step + words.length) % words.length].focus();
    else if (event.key === "Enter" || event.key === " ") keep();
    else return;
    event.preventDefault();
    event.stopPropagation(); // the arrow keys turn the steps of a classroom
  });
  return word;
}

// The index of the word whose mark is lit, or null.
function litIn(node) {
  const { over = null, focus = null, kept = null } = node.marks?.chosen ?? {};
  return over ?? focus ?? kept;
}

// The traces of a figure, all faded but those of a mark.
/** @param {Trace[]} traces @param {Mark | undefined} mark */
function lightUp(traces, mark) {
  if (!mark) return traces;
  return traces.map((trace, place) => {
    if (!mark.curves.includes(place)) return { ...trace, opacity: FADED * (trace.opacity ?? 1) };
    return mark.points ? { ...trace, selectedpoints: mark.points, unselected: { marker: { opacity: FADED } } } : trace;
  });
}

