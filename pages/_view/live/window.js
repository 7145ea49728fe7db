// What a picture on the stage knows of the window that it is drawn for.

const BELOW = 8; // px between the sentence and the window's end
const NARROW = 640; // px of a window in which the sentence may come after the first view, if it is no frame of others
const PHONE = 480; // px of a picture up to which it takes the layout for a phone, if its figure has one

// What it fits itself into: the platform's page, or before that the server's.
const viewOf = (node) => (node.getRootNode().host ?? node).closest(`${STREAMLIT.main}, #lab-first`);

const isFramed = (view) => view.matches(".embed");

const isDesigned = () => Boolean(ofPage("--designed-width"));

// A projector's sizes are written for a window of one width, and shown at another as they are, larger or smaller.
function scaleOf() {
  const designed = Number(ofPage("--designed-width"));
  return Number(ofPage("--on-paper")) || (designed ? window.innerWidth / designed : 1);
}

const ofPage = (name) => getComputedStyle(document.documentElement).getPropertyValue(name);
