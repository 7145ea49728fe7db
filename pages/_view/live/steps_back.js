// Keeps the browser's history to one step a page. On its own Streamlit adds a step for every address that Python
// sets, and on the way out of a page one without the page's own settings: Back would come to a page that lost them.

const LEAVING = 2000; // ms within which a page change follows the click on its link

export default function () {
  const { history, location } = window;
  if (history.onePageOneStep) return;
  history.onePageOneStep = true;
  const push = history.pushState.bind(history);
  let leaving = 0; // a timer, while a page change may be on its way
  let held = null; // what was to be added meanwhile

  function stay() {
    leaving = 0;
    if (held) history.replaceState(...held);
    held = null;
  }

  window.addEventListener("click", (event) => {
    if (!event.composedPath().some((element) => element.matches?.('a[data-testid*="Nav"]'))) return;
    window.clearTimeout(leaving);
    leaving = window.setTimeout(stay, LEAVING);
  }, true);

  history.pushState = (...step) => {
    const changesPage = new URL(step[2], location.href).pathname !== location.pathname;
    if (changesPage) {
      window.clearTimeout(leaving);
      [leaving, held] = [0, null];
      push(...step);
    } else if (leaving) held = step;
    else history.replaceState(...step);
  };
}
