// The keys of a classroom, which clickers send too: always the same, whatever has the focus. Fields of text keep all keys;
// a control reached by Tab keeps those that it needs, and so does anything open in front of the picture.

const TYPED = `input:not([type=range], [type=radio], [type=checkbox]), textarea, select, [contenteditable=true], ${STREAMLIT.grid}`;
const PRESSED = "button, a[href], summary, input, [role=radio], [role=checkbox], [role=switch], .mark"; // elements that Enter or space presses
const MOVED = "input:not([data-slider] input), [role=radio], [role=slider], .mark"; // elements that arrow keys change
const IN_FRONT = "dialog[open], [role=dialog]";
const JOIN = "dialog.join"; // the code of a room as large as the wall, which every key closes
const LAST = ".home"; // the screen at the end of a lecture, after which nothing follows
const DRAWERS = ".st-key-settings details, .term";
const ON_WALL = "[data-keys]";
const LOOK = 50; // ms between two checks for the next lesson

const DOES = {
  pagedown: forward, arrowright: forward, pageup: back, arrowleft: back,
  arrowup: () => step(1), arrowdown: () => step(-1), enter: play, " ": play,
  b: blank, ".": blank, f: fill, j: join, r: reveal, "?": list, escape: leave,
};
const REPEATED = ["arrowup", "arrowdown"]; // keys that repeat while they are held

/** @param {Part<KeysData>} part */
export default function ({ parentElement, data: [data] }) {
  const button = parentElement.querySelector("[data-keys]");
  button.dataset.lesson = data.lesson;
  button.onclick = list;
  lab.keys ??= hear();
  lab.keys.arrive(data.lesson);
}

function hear() {
  const keys = { turning: "", taken: "", arrive };
  let closed = ""; // the key that has closed the join screen, until its release
  window.addEventListener("keydown", (event) => {
    const key = event.key.toLowerCase();
    if (!document.querySelector(ON_WALL) || !DOES[key] || isKept(event, key)) return;
    take(event);
    keys.taken = key;
    if (!event.repeat) closed = "";
    const joining = document.querySelector(`${JOIN}[open]`);
    if (joining && !event.repeat) {
      closed = key;
      if (!(joining.matches(LAST) && DOES[key] === forward)) joining.close();
    }
    if (joining || closed === key) return;
    const covered = document.querySelector("[data-blank]") && ![blank, leave].includes(DOES[key]);
    if (!covered && (!event.repeat || REPEATED.includes(key))) DOES[key]();
  }, true);
  // The focused element would get the release of the key, and the space bar would press it.
  window.addEventListener("keyup", (event) => {
    if (event.key.toLowerCase() !== keys.taken) return;
    keys.taken = "";
    take(event);
  }, true);
  // A click or a drag returns the focus, and so does an option that is chosen in a box for text.
  window.addEventListener("pointerup", ({ target }) => {
    const isChosen = target.closest?.("[role=option]");
    window.setTimeout(() => {
      const at = document.activeElement;
      if (!document.querySelector(ON_WALL) || at.closest(`${IN_FRONT}, ${DRAWERS}`)) return;
      if (isChosen || !at.matches(TYPED)) at.blur();
    });
  }, true);
  return keys;

  // One press turns one page, however long that takes.
  function arrive(lesson) {
    if (!keys.turning || keys.turning === lesson) return;
    if (STREAMLIT.isAtRest(document.querySelector(STREAMLIT.app))) keys.turning = "";
    else window.setTimeout(() => arrive(lesson), LOOK);
  }
}

function take(event) {
  event.preventDefault();
  event.stopImmediatePropagation();
}

function isKept(event, key) {
  const at = event.composedPath()[0];
  if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing || !at.closest || at.closest(TYPED)) return true;
  if (document.querySelector(`${JOIN}[open]`)) return key === "enter" && at.matches("a[href]");
  if (document.querySelector(IN_FRONT)) return true;
  if (key === "escape") return Boolean(document.querySelector(`:is(${DRAWERS})[open]`) || document.fullscreenElement);
  if (!at.matches(":focus-visible")) return false;
  if (key === "enter" || key === " ") return at.matches(PRESSED) && !at.matches("[data-slider] input");
  return key.startsWith("arrow") && at.matches(MOVED);
}

function forward() {
  if (lab.keys.turning || press(".st-key-turn_right button")) return;
  if (press(`[data-reveal][data-sets$="=1"]`)) return; // never a link that hides the truth
  if (press("[data-way] a[rel=next][data-step]")) return;
  turn(".st-key-lesson_after a") || press("[data-end]");
}

function back() {
  if (lab.keys.turning || press(".st-key-turn_left button") || press("[data-way] a[rel=prev]")) return;
  turn(".st-key-lesson_before a");
}

function turn(link) {
  const { lesson } = document.querySelector(ON_WALL).dataset;
  const pressed = press(link);
  if (pressed) lab.keys.turning = lesson;
  return pressed;
}

function reveal() {
  press("[data-reveal]");
}

// Escape first closes the black screen.
function leave() {
  if (document.querySelector("[data-blank]")) blank();
  else press(".st-key-leave_wall button");
}

function press(selector) {
  const there = document.querySelector(selector);
  if (!there?.checkVisibility() || there.disabled) return false;
  lab.do(`press ${selector}`, () => document.querySelector(selector)?.click());
  return true;
}

function step(by) {
  handsOf().find((hand) => hand.large)?.dial.step(by);
}

// The first of several sliders that can play: the large one, if it is there.
function play() {
  handsOf().find((hand) => hand.dial.plays())?.dial.play();
}

// The sliders of the page, the large one first.
function handsOf() {
  return Object.values(lab.hands).sort((one, other) => Number(other.large) - Number(one.large));
}

function blank() {
  const cover = document.querySelector("[data-blank]");
  if (cover) cover.remove();
  else {
    const made = document.createElement("div");
    Object.assign(made, { role: "img", ariaLabel: "Black screen: B brings the picture back", onclick: () => made.remove() });
    made.dataset.blank = "";
    document.body.append(made);
  }
}

function fill() {
  if (document.fullscreenElement) document.exitFullscreen();
  else document.documentElement.requestFullscreen();
}

function join() {
  document.querySelector(JOIN)?.showModal();
}

function list() {
  const keys = document.querySelector("dialog.keys");
  if (!keys.open) keys.showModal();
}
