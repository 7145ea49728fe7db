// Style rules depend on the content of boxes. With `:has()` the browser would check at each node that a picture changes,
// so it is written down when the page changes: data-holds lists the contents of a box, and data-around names the
// container for which Streamlit made a box without a name.

const HELD = {
  title: "h1",
  picture: "[data-picture]",
  slider: "[data-slider]",
  term: ".term",
  turns: ".st-key-steps",
  control: ".st-key-stage > :not(.st-key-settings, .st-key-scaling)",
  open: ".st-key-folds details[open]",
  ...STREAMLIT.held,
};
for (const key of ["ask_rest", "broken", "dimension", "questions", "room", "stage"]) HELD[key] = `.st-key-${key}`;

function nameBoxes() {
  const holds = new Map();
  for (const [name, selector] of Object.entries(HELD)) {
    for (const { parentElement } of document.querySelectorAll(selector)) {
      for (let box = parentElement; box && !holds.get(box)?.has(name); box = box.parentElement) {
        holds.set(box, (holds.get(box) ?? new Set()).add(name));
      }
    }
  }
  for (const box of document.querySelectorAll("[data-holds]")) if (!holds.has(box)) delete box.dataset.holds;
  for (const [box, names] of holds) write(box, "holds", [...names].join(" "));
  for (const box of document.querySelectorAll(STREAMLIT.wrapper)) {
    write(box, "around", box.firstElementChild?.className.match(/(?:^| )st-key-(\S+)/)?.[1] ?? "");
  }
}

function write(box, name, text) {
  if ((box.dataset[name] ?? "") !== text) box.dataset[name] = text;
}

// Changes inside slider, picture and sentence during a drag change no box.
const FOLLOWS = "[data-slider], [data-picture], [data-sentence]";
const isOfPage = ({ target }) => target instanceof HTMLElement && !target.closest(FOLLOWS);

// Runs before the browser paints the change.
function keepBoxesNamed(andThen) {
  nameBoxes();
  new MutationObserver((changes) => {
    if (!changes.some(isOfPage)) return;
    nameBoxes();
    andThen();
  }).observe(document.body, { childList: true, subtree: true, attributeFilter: ["class", "open"] });
}
