// The window that a picture on the stage is drawn for.

const BELOW = 8; // px between the sentence and the window's end
const NARROW = 640; // px: in windows up to this width, except frames on other sites, the sentence may be below the first view
const PHONE = 480; // px: pictures up to this width have the layout for phones, if their figure has one

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
