// The parts drawn for paper, which return to the screen, and the words at the end of the paper.

const RESTED = 1500; // ms without a change of the address until its code is fetched

const tell = (/** @type {Paper} */ detail) => window.dispatchEvent(new CustomEvent(PAPER, { detail }));

// The rules for paper, used on the screen while something is measured and drawn.
function asOnPaper(act) {
  const rules = [...document.styleSheets].flatMap((sheet) => /** @type {any[]} */ ([...sheet.cssRules]));
  const onPaper = rules.filter((rule) => rule.media?.mediaText === "print");
  for (const { media } of onPaper) media.mediaText = "all";
  document.documentElement.dataset.paper = "";
  act();
  delete document.documentElement.dataset.paper;
  for (const { media } of onPaper) media.mediaText = "print";
}

// The address of a lesson with its settings, without the visitor's own parameters, and a code of it. The code is fetched
// ahead, once the address has rested: printing does not wait for it. path: the route of codes.
function endOnPaper(place, path) {
  const [code, text] = place.children;
  let timer = 0;

  function fetchCode() {
    if (place.isConnected) code.src = `${path}?${new URLSearchParams({ at: linkHere().href })}`;
  }

  function rest() {
    window.clearTimeout(timer);
  }

  function soon() {
    rest();
    timer = window.setTimeout(fetchCode, RESTED);
  }

  function say() {
    const { href } = linkHere();
    text.textContent = href;
    // An old code is worse than none.
    if (new URL(code.src || href).searchParams.get("at") !== href) code.removeAttribute("src");
  }

  code.addEventListener("error", () => code.removeAttribute("src")); // no code, only the address
  soon();
  return { soon, say, rest };
}
