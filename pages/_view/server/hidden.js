// A tab that nobody has looked at for long closes its session. The page stays as it is. A visitor who comes back and
// reaches for it gets another session, which draws the page with the current values of its controls. State that only the
// session has keeps it open.
(() => {
  const LONG = 600000; // ms: a visitor who reads something else between two steps is back by then
  const AGAIN = 60000; // ms until the next check of what keeps the session open
  const REACHES = ["pointerdown", "keydown", "click"];
  const ASKS = "[class*=st-key-compute_] button, .st-key-race_progress button, .st-key-compare_twin button"; // of long computations
  const HOLDS = [STREAMLIT.held.progress, STREAMLIT.files, STREAMLIT.drafts, STREAMLIT.grid, "form.bet :checked"].join();
  const FIELDS = "textarea, input:not([type=range], [type=radio], [type=file], [role=combobox])";
  const KEY = /st-key-[\w-]+/;

  const typed = new Set(); // the classes of the fields in which somebody has typed
  let [asked, timer] = [false, 0];

  window.addEventListener("input", ({ target }) => {
    const key = target.matches?.(FIELDS) && target.closest("[class*=st-key-]")?.className.match(KEY);
    if (key) typed.add(key[0]);
  }, true);
  window.addEventListener("click", ({ target }) => { asked ||= Boolean(target.closest?.(ASKS)); }, true);

  // Typed text that is not in the address.
  function isTyped() {
    const said = new Set(new URLSearchParams(location.search).values());
    const fields = [...typed].flatMap((key) => [...document.querySelectorAll(`.${key} :is(${FIELDS})`)]);
    return fields.some(({ value }) => value && !said.has(value));
  }

  function isKept() {
    const app = document.querySelector(STREAMLIT.app);
    if (!lab.page || lab.stage || !STREAMLIT.isAtRest(app)) return true; // still being drawn
    return lab.page.follows || asked || Boolean(lab.drawn) || app.querySelector(HOLDS) !== null || isTyped();
  }

  function look() {
    if (!isKept()) lab.sleep();
    timer = window.setTimeout(look, AGAIN); // also if the connection was just lost
  }

  function watch() {
    window.clearTimeout(timer);
    if (document.hidden) timer = window.setTimeout(look, LONG);
  }

  document.addEventListener("visibilitychange", watch);
  for (const act of REACHES) window.addEventListener(act, () => lab.wake(), true);
  watch();
})();
