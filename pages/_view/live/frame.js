// The frame's parts in the browser for which Streamlit has no setting.

const LEAVING = 2000; // ms within which a page change follows the click on its link, if the server is not busy
const SCROLLERS = { [STREAMLIT.tables]: "Table", [STREAMLIT.codes]: "Code" };
const STEP = "step"; // the control of a lesson with steps
const EDGE = 8; // px between a definition and the window's edge
const AGAIN = 1500; // ms after which a step is requested again
const SOON = 100; // ms from a change of the page to a check of its boxes
const AWAKE = 3000; // ms after the last movement of the pointer
const COVERED = 768; // px: up to this width of a window the open menu covers the page
const REST = 2000; // ms after which the first page is at rest

/** @param {Part<FrameData>} part */
export default function ({ data: [data], setTriggerValue }) {
  const { session, question, line, own, follows } = data;
  const before = lab.page;
  before?.forget();
  lab.page = { session, question, line, own, follows, turn: (step) => setTriggerValue("step", step), set: (sets) => setTriggerValue("sets", sets), bet: (guess) => setTriggerValue("bet", guess), ask: (what) => setTriggerValue(what, true), ...watchWindow(data, setTriggerValue) };
  if (before) {
    announce(before, lab.page);
    return;
  }
  wakeBar();
  keepStepsBack();
  followWay();
  lab.hears ??= hearStage();
  mendBoxes();
  closeByEscape();
  closeMenuOnChoice();
  keepDefinitionsInside();
  copyShared();
  window.setTimeout(() => fetchAhead(data.bundle), REST);
}

// On a phone the menu covers the page that was chosen in it, so it closes.
function closeMenuOnChoice() {
  window.addEventListener("click", ({ target }) => {
    if (window.innerWidth >= COVERED || !target.closest?.(`${STREAMLIT.menu} a`)) return;
    document.querySelector(`${STREAMLIT.menu} ${STREAMLIT.closer}`)?.click();
  });
}

// A wall needs a large window: Python gets a message if the window is too small, and another once it is enlarged.
function watchWindow({ asksForWall, small, wall }, tell) {
  const narrow = window.matchMedia(`(max-width: ${wall - 0.02}px)`);
  const fits = () => !asksForWall || small === narrow.matches;
  const look = () => { if (!fits()) tell("window", narrow.matches ? "small" : "large"); };
  narrow.addEventListener("change", look);
  look();
  return { fits, forget: () => narrow.removeEventListener("change", look) };
}

// A screen reader reads the title of a page that a link has opened, or the line of a new step, and goes on from there:
// the link that had the focus is gone. A step begins at the top of the page.
function announce(before, { question, line }) {
  const isNew = before.question !== question;
  if (!isNew && (before.line === line || !lab.turned)) return;
  lab.turned = false;
  const [place, text] = isNew ? ["h1", question] : ["p.line", line];
  const look = () => {
    const found = document.querySelector(`${STREAMLIT.app} ${place}`);
    if (lab.page.question !== question || lab.page.line !== line) return; // already gone on
    if (found?.textContent.trim() !== text) window.setTimeout(look, SOON);
    else {
      found.tabIndex = -1;
      found.focus({ preventScroll: true });
      if (!isNew) found.closest(STREAMLIT.main)?.scrollTo({ top: 0 }); // on another page Streamlit does
    }
  };
  look();
}

// A link to another step of the lesson, or to the next lesson, loads no page if there is a session. A second click on
// Next, before the step of the first is there, goes one step further.
function followWay() {
  let wanted = ""; // the requested step, not yet here
  let [timer, page] = [0, ""]; // page: the path of its lesson

  function forget() {
    window.clearTimeout(timer);
    wanted = "";
  }

  // Streamlit aborts a running script when a message arrives. Wait until the page is drawn.
  function tell() {
    const here = new URLSearchParams(location.search).get("step");
    if (!wanted || wanted === here || page !== location.pathname) wanted = "";
    else if (STREAMLIT.isAtRest(document.querySelector(STREAMLIT.app))) {
      lab.turned = true;
      lab.do("step", () => wanted && lab.page.turn(wanted));
      timer = window.setTimeout(tell, AGAIN);
    } else timer = window.setTimeout(tell, SOON);
  }

  function stepOn(link) {
    const steps = [...document.querySelectorAll(`${STREAMLIT.app} [data-way] li a[data-step]`)].map((each) => each.dataset.step);
    return (link.rel === "next" && wanted && steps[steps.indexOf(wanted) + 1]) || link.dataset.step;
  }

  window.addEventListener("click", (event) => {
    const link = event.target.closest?.(`${STREAMLIT.app} [data-way] a[href]`);
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    if (link.dataset.lesson) {
      forget();
      lab.do("next lesson", () => document.querySelector(".st-key-lesson_on a")?.click());
    } else {
      const step = stepOn(link);
      forget();
      [wanted, page] = [step, location.pathname];
      tell();
    }
  });
  window.addEventListener("popstate", forget); // Back and Forward go to a step of their own
}

// The bar of a wall is visible while the pointer moves.
function wakeBar() {
  let timer = 0;
  window.addEventListener("pointermove", () => {
    document.documentElement.dataset.awake = "";
    window.clearTimeout(timer);
    timer = window.setTimeout(() => delete document.documentElement.dataset.awake, AWAKE);
  });
}

// The button copies the link in the dialog that it opens. Browsers allow that only on this machine and over https.
function copyShared() {
  window.addEventListener("click", ({ target }) => {
    if (!target.closest?.(".st-key-share button")) return;
    delete document.documentElement.dataset.copied;
    navigator.clipboard?.writeText(linkHere().href).then(() => { document.documentElement.dataset.copied = ""; }, () => {});
  });
}

// Fetches the script of the pictures before the first page that needs it.
function fetchAhead(bundle) {
  if (lab.plotly) return;
  const link = document.createElement("link");
  Object.assign(link, { rel: "prefetch", as: "script", href: bundle });
  document.head.append(link);
}

// One entry in the browser's history for each page, and one for each step that the visitor takes in a lesson. Streamlit
// alone adds one for every address that Python sets, and on leaving a page one without the page's own settings: Back
// would open a page that has lost them.
function keepStepsBack() {
  const { history, location } = window;
  const push = history.pushState.bind(history);
  const replace = history.replaceState.bind(history);
  let leaving = 0; // a timer, while a page change may be on its way
  let held = /** @type {Parameters<typeof replace> | null} */ (null); // the entry to add afterwards
  const tell = () => lab.addressed?.();
  let acted = false; // true if the visitor has done something here since the page, or its step, opened

  lab.leaves = () => leaving !== 0;

  function stay() {
    const isBusy = !STREAMLIT.isAtRest(document.querySelector(STREAMLIT.app));
    leaving = isBusy ? window.setTimeout(stay, LEAVING) : 0;
    if (isBusy) return;
    if (held) replace(...held);
    held = null;
  }

  for (const act of ["click", "keydown"]) window.addEventListener(act, () => { acted = true; }, true);
  window.addEventListener("popstate", () => { acted = false; });
  window.addEventListener("click", (event) => {
    if (!event.composedPath().some((element) => element.matches?.(STREAMLIT.links))) return;
    window.clearTimeout(leaving);
    leaving = window.setTimeout(stay, LEAVING);
  }, true);

  history.pushState = (...step) => {
    if (new URL(step[2] ?? "", location.href).pathname !== location.pathname) {
      window.clearTimeout(leaving);
      [leaving, held, acted] = [0, null, false];
      push(...step);
      tell();
    } else if (leaving) held = step;
    else history.replaceState(...step);
  };
  history.replaceState = (...step) => {
    const isStep = acted && stepOf(new URL(step[2] ?? "", location.href)) !== stepOf(location);
    (isStep ? push : replace)(...step);
    tell();
  };
}

const stepOf = ({ search }) => new URLSearchParams(search).get(STEP);

// A definition opens under its word, moved to the left as far as the window's edge demands. It may cover the next line:
// a click beside it closes it.
function keepDefinitionsInside() {
  document.addEventListener("pointerdown", ({ target }) => {
    const open = document.querySelector(".term[open]");
    if (open && !open.contains(target)) open.open = false;
  }, true);
  document.addEventListener("toggle", ({ target }) => {
    const text = target.matches(".term[open]") && target.querySelector("span");
    if (!text) return;
    text.style.left = "";
    const over = text.getBoundingClientRect().right + EDGE - document.documentElement.clientWidth;
    if (over > 0) text.style.left = `${-over}px`;
  }, true);
}

// Escape closes the open definition or drawer, and the focus stays at its button. A list that is open in the drawer
// takes the first Escape for itself.
const OPEN = [".term[open]", ".st-key-settings details[open]"];

function closeByEscape() {
  let inList = false;
  const key = (event) => event.key === "Escape";
  window.addEventListener("keydown", (event) => {
    inList = key(event) && event.target.getAttribute?.("aria-expanded") === "true" && !event.target.matches("summary");
  }, true);
  window.addEventListener("keydown", (event) => {
    if (!key(event) || inList) return;
    const summary = document.querySelector(OPEN.map((each) => `${each} > summary`).join());
    summary?.click();
    summary?.focus();
  });
}

// A table or a piece of code wider than its box scrolls in it; by keyboard only if the box can have the focus.
// An upload box is a group with a name and a button; Streamlit gives it no role.
function mendBoxes() {
  let timer = 0;

  function update() {
    timer = 0;
    for (const box of document.querySelectorAll(STREAMLIT.uploads)) box.setAttribute("role", "group");
    for (const [selector, name] of Object.entries(SCROLLERS)) {
      for (const box of document.querySelectorAll(selector)) {
        const scrolls = box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight;
        const wanted = scrolls ? { tabindex: "0", role: "group", "aria-label": name } : {};
        for (const each of ["tabindex", "role", "aria-label"]) {
          if (each in wanted) box.setAttribute(each, wanted[each]);
          else box.removeAttribute(each);
        }
      }
    }
  }

  function soon() {
    timer ||= window.setTimeout(update, SOON);
  }

  window.addEventListener("resize", soon);
  keepBoxesNamed(soon);
  soon();
}
