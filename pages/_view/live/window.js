// The window that a picture on the stage is drawn for.

const BELOW = 8; // px between the sentence and the window's end
const NARROW = 640; // px of a window in which the sentence may be below the first view, if it is no frame of another site
const PHONE = 480; // px of a picture up to which it has the layout for a phone, if its figure has one

// The page that it fits into: Streamlit's, or before that the server's.
const viewOf = (node) => (node.getRootNode().host ?? node).closest(`${STREAMLIT.main}, #lab-first`);

const isFramed = (view) => view.matches(".embed");

const isDesigned = () => Boolean(ofPage("--designed-width"));

// A projector's sizes are designed for a window of one width, and scaled in windows of another.
function scaleOf() {
  const designed = Number(ofPage("--designed-width"));
  return Number(ofPage("--on-paper")) || (designed ? window.innerWidth / designed : 1);
}

const ofPage = (name) => getComputedStyle(document.documentElement).getPropertyValue(name);
