// A suggestion: a click brings the picture into view that it stands by, and what it has changed is framed for a while and
// said. Of a control in a closed drawer the drawer is framed, and names it. The button keeps the focus.

const FRAMED = 5000; // ms that a frame stays
const GLIDING = 1000; // ms in which the platform's own sliders have come to their places
const DRAWER = ".st-key-settings";
const GAP = 8; // px between the stage and a picture that comes under it

/** @param {Part<TriesData>} part */
export default function ({ parentElement, data: [{ ahead, tried }] }) {
  lab.tries ??= watchTries();
  Object.assign(lab.tries.ahead, ahead);
  for (const [key, names] of Object.entries(ahead)) buttonOf(key)?.setAttribute("aria-pressed", String(!names.length));
  if (!tried || tried.count === lab.tries.count) return;
  const { taken } = lab.tries;
  Object.assign(lab.tries, { count: tried.count, taken: null });
  if (!taken) return; // a page that was come to later
  const said = Object.values(tried.changes).join("; ");
  parentElement.querySelector(".told").textContent = said ? `Changed: ${said}.` : "Nothing had to change.";
  frame(Object.entries(tried.changes));
  window.setTimeout(() => delete document.body.dataset.trying, GLIDING);
}

const buttonOf = (key) => document.querySelector(`.st-key-try_${CSS.escape(key)} button`);

function watchTries() {
  const tries = { count: 0, taken: null, ahead: {} };
  document.addEventListener("click", ({ target }) => {
    const button = target.closest?.("[class*='st-key-try_'] button");
    if (!button) return;
    tries.taken = button.closest("[class*='st-key-try_']").className.match(/st-key-try_(\S+)/)[1];
    document.body.dataset.trying = "";
    bringIntoView(pictureBefore(button), tries.ahead[tries.taken]);
  }, true);
  // A hand on a slider must not be followed slowly.
  document.addEventListener("pointerdown", () => delete document.body.dataset.trying, true);
  return tries;
}

// The picture that a button stands by: the last one above it, with its sentence, or with those beside it.
function pictureBefore(button) {
  const all = [...document.querySelectorAll("[data-picture], .st-key-hero")];
  const found = all.findLast((each) => button?.compareDocumentPosition(each) & Node.DOCUMENT_POSITION_PRECEDING);
  return found?.closest("[class*='st-key-']");
}

// Under the header and the stage, and above the window's end, with the controls above it that will move if there is room
// for both; of a picture that is longer its beginning.
function bringIntoView(picture, names) {
  const view = picture?.closest(STREAMLIT.main);
  if (!view) return;
  const { top, bottom } = picture.getBoundingClientRect();
  const [start, end] = [stageEnd(view) + GAP, view.getBoundingClientRect().bottom - GAP];
  const first = Math.min(top, ...names.map(placeOf).map((place) => topOf(place, picture)));
  const over = (bottom - first <= end - start ? first : top) - start;
  const way = over < 0 ? over : Math.max(0, Math.min(over, bottom - end));
  const calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  if (way) view.scrollBy({ top: way, behavior: calm ? "auto" : "smooth" });
}

// Of a control between the stage and a picture.
function topOf(place, picture) {
  const control = place && document.querySelector(place.own);
  const above = control?.compareDocumentPosition(picture) & Node.DOCUMENT_POSITION_FOLLOWING;
  return above && !control.closest(".st-key-stage") ? control.getBoundingClientRect().top : Infinity;
}

function stageEnd(view) {
  const stage = document.querySelector(".st-key-stage");
  const top = stage ? parseFloat(getComputedStyle(stage.parentElement).top) || 0 : 0;
  return view.getBoundingClientRect().top + top + (stage?.offsetHeight ?? 0);
}

// By a style sheet of its own: the platform may put new elements in place of those that stand there now.
function frame(changes) {
  const rules = changes.map(([name, said]) => [placeOf(name), said]).filter(([place]) => place);
  const framed = rules.map(([{ own, drawer }]) => `${drawer ? DRAWER : own}{outline:3px solid;outline-offset:2px;border-radius:0.25rem}`);
  const named = rules.filter(([{ drawer }]) => drawer).map(([, said]) => said);
  if (named.length) framed.push(`${DRAWER}::after{content:"${CSS.escape(named.join(" · "))}"}`);
  document.querySelector("[data-framed]")?.remove();
  const sheet = document.createElement("style");
  sheet.dataset.framed = "";
  sheet.textContent = framed.join("\n");
  document.head.append(sheet);
  window.setTimeout(() => sheet.remove(), FRAMED);
}

// Where a control stands, and whether that is in the drawer while it is closed; null where it is not on the page.
function placeOf(name) {
  const keys = name === "d_k" ? ["dimension", "typed"] : [`${name}_dial`, name];
  const own = keys.map((key) => `.st-key-${CSS.escape(key)}`).find((each) => document.querySelector(each));
  return own ? { own, drawer: document.querySelector(own).closest(`${DRAWER} details:not([open])`) } : null;
}
