// Hands a figure to Plotly. Its bundle is fetched once for all pictures, and a figure that has not changed is left alone.

export default function ({ parentElement, data }) {
  const picture = parentElement.querySelector("[data-picture]");
  picture.setAttribute("aria-label", data.alt);
  picture.style.minHeight = `${data.height}px`;
  if (picture.figure !== data.figure) {
    picture.figure = data.figure;
    draw(picture, data);
  }
  return () => leave(picture);
}

async function draw(picture, { figure, bundle, config }) {
  const Plotly = await fetched(bundle);
  if (picture.figure !== figure || !picture.isConnected) return; // a later one has come, or the page has gone
  const { data, layout } = JSON.parse(figure);
  await Plotly.react(picture.firstElementChild, data, layout, config);
  fitWidth(picture, Plotly);
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
