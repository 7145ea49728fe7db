// Tells Python which cell of a matrix was clicked or tapped. Streamlit's own selection would keep a finger from
// scrolling the page over a chart, and would forget or undo a choice when the same cell is clicked again. The script also
// keeps arrow keys inside a grid from turning the steps, since Streamlit lets them through.

const MATRIX = "[data-picture][data-key^='matrix_']";
const STILL = 6; // pixels within which a press is a click and not the start of a drag

/** @param {Part<object>} part */
export default function ({ setTriggerValue }) {
  let pressed = /** @type {{ area: any, x: number, y: number } | null} */ (null);

  function onDown(event) {
    const area = event.isPrimary && event.button === 0 ? event.target.closest?.(`${MATRIX} .nsewdrag`) : null;
    pressed = area && { area, x: event.clientX, y: event.clientY };
  }

  function onUp(event) {
    const press = pressed;
    pressed = null;
    if (!press || !event.isPrimary || !press.area.isConnected) return;
    if (Math.hypot(event.clientX - press.x, event.clientY - press.y) > STILL) return;
    const { data, layout } = /** @type {Plot} */ (press.area.closest(".js-plotly-plot"));
    const { subplot } = press.area.dataset; // such as x2y2
    const [x, y] = subplot.match(/[xy]\d*/g);
    const box = press.area.getBoundingClientRect();
    const cell = {
      chart: data.find((trace) => trace.xaxis === x && trace.yaxis === y).name,
      line: at(layout[y.replace("y", "yaxis")].range, (press.y - box.top) / box.height, true),
      place: at(layout[x.replace("x", "xaxis")].range, (press.x - box.left) / box.width, false),
    };
    lab.do("cell", () => setTriggerValue("cell", cell));
  }

  function drop() {
    pressed = null;
  }

  function keepKeys(event) {
    if (event.target.closest?.(STREAMLIT.grid)) event.stopPropagation();
  }

  const listeners = { pointerdown: onDown, pointerup: onUp, pointercancel: drop };
  for (const [name, listener] of Object.entries(listeners)) document.addEventListener(name, listener, true);
  document.body.addEventListener("keydown", keepKeys);
  return () => {
    document.body.removeEventListener("keydown", keepKeys);
    for (const [name, listener] of Object.entries(listeners)) document.removeEventListener(name, listener, true);
  };
}

// The index of the cell at a share of the axis's length, counted from the left or from the top.
function at([first, last], share, fromTop) {
  const [low, high] = fromTop ? [last, first] : [first, last];
  return Math.round(low + share * (high - low));
}
