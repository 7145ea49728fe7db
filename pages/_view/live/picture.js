// Hands a figure to Plotly, with its sentence below. The bundle is fetched once for all pictures, and a figure that has
// not changed is left alone. A main picture follows the hand on the slider: it asks the server for the picture of where
// the hand is, one at a time, and of the values that the hand has passed meanwhile only for the latest.

export default function ({ parentElement, data }) {
  const picture = parentElement.querySelector("[data-picture]");
  picture.sentence ??= parentElement.querySelector("[data-sentence]");
  picture.style.minHeight = `${data.height}px`;
  picture.given = data;
  if (data.address) follow(picture);
  if (!picture.hand?.held) show(picture, data, data.value);
  return () => leave(picture);
}

function show(picture, drawn, value) {
  picture.setAttribute("aria-label", drawn.alt);
  if (picture.sentence.textContent !== drawn.sentence) picture.sentence.textContent = drawn.sentence;
  picture.sentence.hidden = picture.given.bare;
  picture.shown = value;
  if (picture.figure === drawn.figure) return null;
  picture.figure = drawn.figure;
  return draw(picture, drawn.figure, value);
}

async function draw(picture, figure, value) {
  const Plotly = await fetched(picture.given.bundle);
  if (picture.figure !== figure || !picture.isConnected) return; // a later one has come, or the page has gone
  const { data, layout } = JSON.parse(figure);
  await Plotly.react(picture.firstElementChild, data, layout, picture.given.config);
  if (value !== null) picture.dataset.value = value;
  fitWidth(picture, Plotly);
}

function follow(picture) {
  if (picture.hand) return;
  picture.hand = { held: false, value: null, waiting: false };
  picture.onHand = ({ detail }) => {
    Object.assign(picture.hand, detail);
    if (!picture.hand.waiting && wanted(picture)) catchUp(picture);
  };
  window.addEventListener("lab:hand", picture.onHand);
}

const wanted = ({ hand, shown, isConnected }) => isConnected && hand.value !== shown;

// The next picture is on its way while the browser draws this one.
async function catchUp(picture) {
  const { hand } = picture;
  hand.waiting = true;
  let [value, coming] = [hand.value, ask(picture, hand.value)];
  while (value !== null) {
    const [at, drawn] = [value, await coming];
    value = null;
    if (!drawn || (!hand.held && picture.given.value === hand.value)) break; // Python has drawn it, or will
    picture.shown = at;
    if (wanted(picture)) [value, coming] = [hand.value, ask(picture, hand.value)];
    await show(picture, drawn, at);
  }
  hand.waiting = false;
}

async function ask({ given }, value) {
  if (value === given.value) return given;
  try {
    const answer = await fetch(`${given.address}&d_k=${value}`);
    return answer.ok ? await answer.json() : null; // Python draws it where the hand lets go
  } catch {
    return null;
  }
}

// Not the window's width alone: columns stack and the menu opens without a change of the window.
function fitWidth(picture, Plotly) {
  if (picture.fitted) return;
  const plot = picture.firstElementChild;
  let width = plot.querySelector(".main-svg").clientWidth; // as it was drawn: the place may have changed meanwhile
  picture.fitted = new ResizeObserver(() => {
    if (!picture.clientWidth || picture.clientWidth === width) return;
    width = picture.clientWidth;
    Plotly.Plots.resize(plot);
  });
  picture.fitted.observe(picture);
}

function leave(picture) {
  if (picture.isConnected) return; // the platform calls this at every change of the data too
  window.removeEventListener("lab:hand", picture.onHand);
  picture.fitted?.disconnect();
  window.Plotly?.purge(picture.firstElementChild);
}

function fetched(bundle) {
  window.labPlotly ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = bundle;
    script.onload = () => resolve(window.Plotly);
    script.onerror = () => {
      window.labPlotly = undefined; // the next picture tries again
      reject(new Error(`the script of the pictures did not load: ${bundle}`));
    };
    document.head.append(script);
  });
  return window.labPlotly;
}
