// The pictures of a drag differ in numbers and words, rarely in more. Plotly.react would check the whole figure again.
// Here the new numbers go into the drawn figure, and Plotly's own functions compute and draw its traces, shapes and
// annotations: a quarter of the work. If more has changed, or the drag rests, Plotly.react draws. A figure sets mode and
// colours of its traces itself: values that Plotly derives (a mode from the number of points) would not change.

const OF_TRACE = /^(x|y|z|text|name|opacity|fillcolor|error_y\.(array|arrayminus)|line\.(color|dash|width)|marker\.(color|opacity|size|symbol|line\.(color|width)))$/;
const OF_LAYOUT = /^(annotations\.\d+\.(text|x|y|ay)|shapes\.\d+\.([xy][01]|path))$/;
const OF_TITLE = /^title\.(subtitle\.)?text$/;
const OF_TICKS = /^[xy]axis\d*\.ticktext$/;

// Draws the figure and returns true; changes nothing and returns false if it differs in more. drawn: the figure on the
// screen; both as they were parsed.
/** @param {Plot & HTMLElement} plot @param {Figure | null} drawn @param {Figure} figure */
function drawQuickly(plot, drawn, figure) {
  const traces = drawn && drawn.data.length === figure.data.length && figure.data.map((each, i) => changes(drawn.data[i], each, OF_TRACE));
  const layout = drawn && changes(drawn.layout, figure.layout, OF_LAYOUT, OF_TITLE, OF_TICKS);
  const isSeen = (changed, i) => changed && (!changed.length || plot._fullData[i].visible === true); // Plotly completes no other
  if (!traces || !layout || !traces.every(isSeen)) return false;
  traces.forEach((changed, i) => setAll(changed, plot.data[i], plot._fullData[i]));
  setAll(layout, plot.layout, plot._fullLayout);
  plot._fullData.forEach(measure);
  calculate(plot);
  const { drawData, drawMainTitle, doTicksRelayout } = lab.plotlyParts;
  drawData(plot);
  const changed = (words) => layout.some(([path]) => words.test(path));
  if (changed(OF_TICKS)) doTicksRelayout(plot); // and the title
  else if (changed(OF_TITLE)) drawMainTitle(plot);
  return true;
}

// [path, value] of each leaf that differs; null if another leaf than the free ones does.
function changes(from, to, ...free) {
  const found = [];
  const compare = (one, other, path) => {
    if (isBranch(one) && isBranch(other)) {
      const names = Object.keys(other);
      return names.length === Object.keys(one).length && names.every((name) => name in one && compare(one[name], other[name], path ? `${path}.${name}` : name));
    }
    if (equal(one, other)) return true;
    found.push([path, other]);
    return kindOf(one) === kindOf(other) && free.some((each) => each.test(path));
  };
  return compare(from, to, "") ? found : null;
}

const isObject = (value) => typeof value === "object" && value !== null;
const isBranch = (value) => isObject(value) && !("bdata" in value) && (!Array.isArray(value) || (isObject(value[0]) && !Array.isArray(value[0])));
const isEmpty = (value) => (value.bdata ?? value).length === 0;
const kindOf = (value) => (isObject(value) ? `array ${value.shape ?? ""} ${isEmpty(value)}` : "scalar"); // Plotly hides a trace without points
const equal = (one, other) => one === other || (isObject(one) && isObject(other) && JSON.stringify(one) === JSON.stringify(other));

// The places where Plotly keeps a figure as given, and as completed.
function setAll(changed, ...places) {
  for (const [path, value] of changed) {
    const names = path.split(".");
    const last = names.pop();
    const unpacked = isObject(value) && "bdata" in value ? unpack(value) : value;
    for (const place of places) names.reduce((owner, name) => owner[name], place)[last] = unpacked;
  }
}

// Numbers arrive as bytes, those of a matrix row by row.
function unpack({ bdata, shape }) {
  const numbers = new Float64Array(Uint8Array.from(atob(bdata), (each) => each.charCodeAt(0)).buffer);
  if (!shape) return numbers;
  const [rows, columns] = shape.split(",").map(Number);
  return Array.from({ length: rows }, (_, row) => numbers.subarray(row * columns, (row + 1) * columns));
}

// A line may have more points than before.
function measure(trace) {
  if (trace.type !== "heatmap" && trace.x && trace.y) trace._length = Math.min(trace.x.length, trace.y.length);
}

// The attributes of a trace that are arrays have not changed; Plotly would spend half of the time to find them again.
function calculate(plot) {
  const schema = window.Plotly.PlotSchema;
  const { findArrayAttributes } = schema;
  schema.findArrayAttributes = (trace) => trace._arrayAttrs ?? findArrayAttributes(trace);
  try {
    lab.plotlyParts.doCalcdata(plot);
  } finally {
    schema.findArrayAttributes = findArrayAttributes;
  }
}
