// What is drawn for paper, and comes back to the screen.

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
