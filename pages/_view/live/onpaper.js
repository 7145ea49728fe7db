// What is drawn for paper, and comes back to the screen; and what stands at the end of it.

const RESTED = 1500; // ms

const tell = (/** @type {Paper} */ detail) => window.dispatchEvent(new CustomEvent(PAPER, { detail }));

// The rules for paper, taken for the screen while something is measured and drawn.
function asOnPaper(act) {
  const rules = [...document.styleSheets].flatMap((sheet) => /** @type {any[]} */ ([...sheet.cssRules]));
  const onPaper = rules.filter((rule) => rule.media?.mediaText === "print");
  for (const { media } of onPaper) media.mediaText = "all";
  document.documentElement.dataset.paper = "";
  act();
  delete document.documentElement.dataset.paper;
  for (const { media } of onPaper) media.mediaText = "print";
}

// The address of a lesson with its settings, what is the visitor's own left out, and a code of it. The code is fetched
// ahead, once the address has rested: paper does not wait for it. path: where codes are drawn.
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
    // A code of where the lesson was before is worse than none.
    if (new URL(code.src || href).searchParams.get("at") !== href) code.removeAttribute("src");
  }

  code.addEventListener("error", () => code.removeAttribute("src")); // no code, the address alone
  soon();
  return { soon, say, rest };
}
