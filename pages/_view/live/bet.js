// The plain elements of the stage that send something: the form of a bet, and links with settings. With a session they
// send it to Python; without one they lead to an address.

const BETWEEN = 100; // ms between two checks if a link has been redrawn
const LOOKS = 30;

function hearStage() {
  const isOurs = (node) => Boolean(lab.page && node.closest(STREAMLIT.app));

  // The marker must move first: its start is no answer.
  for (const act of ["input", "click"]) {
    window.addEventListener(/** @type {Heard} */ (act), ({ target }) => {
      if (!target.matches?.("[data-bet] input")) return;
      const said = target.closest("label").querySelector("output");
      if (said) said.textContent = `${target.value}${target.dataset.suffix}`;
      letPlace(target.closest("form"));
    });
  }

  window.addEventListener("submit", (event) => {
    const form = event.target.closest("[data-bet]");
    if (!form) return;
    event.preventDefault();
    const guess = "draws" in form.dataset ? lab.drawn?.join("-") : new FormData(form).get("guess");
    if (isOurs(form)) lab.do("bet", () => lab.page.bet(String(guess)));
    else location.assign(withSaid(form.action, `guess=${guess}`));
  });

  window.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[data-sets]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    if (!isOurs(link)) location.assign(withSaid(location.href, link.dataset.sets));
    else {
      lab.do("sets", () => lab.page.set(link.dataset.sets));
      const calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
      if (link.dataset.try) link.closest(STREAMLIT.main).scrollTo({ top: 0, behavior: calm ? "auto" : "smooth" });
      keepFocus(link);
    }
  });
  return true;
}

// Moves the focus from a link that was followed to the one that replaces it.
function keepFocus(link, looks = LOOKS) {
  const classes = [...link.classList].map((each) => `.${CSS.escape(each)}`).join("");
  const key = link.dataset.try ? `[data-try="${link.dataset.try}"]` : classes;
  const now = key ? document.querySelector(`${STREAMLIT.app} a${key}`) : null; // "Bet again" has no class
  if (!link.isConnected && document.activeElement === document.body) now?.focus({ preventScroll: true });
  else if (looks) window.setTimeout(() => keepFocus(link, looks - 1), BETWEEN);
}

// Enables the button of a form once there is an answer.
function letPlace(form) {
  if (form) form.querySelector("button").disabled = false;
}

// Returns this address with the given parameters; empty ones are removed.
function withSaid(address, said) {
  const to = new URL(address);
  to.search = location.search;
  for (const [name, value] of new URLSearchParams(said)) {
    if (value) to.searchParams.set(name, value);
    else to.searchParams.delete(name);
  }
  return to.href;
}
