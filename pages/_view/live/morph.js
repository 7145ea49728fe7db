// The transition from the picture of one step to that of another with the same traces: their points move from the old to
// the new places. Other differences, axes and words among them, change at the end.

const MOVE = 300; // ms

/** @param {PictureNode} picture @param {() => boolean} isWanted */
async function moveOver(picture, isWanted) {
  const [from, to] = [picture.drawn, picture.parsed];
  if (!from || window.matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  /** @type {any[]} */
  const ways = from.data.length === to.data.length ? from.data.map((each, i) => wayOf(each, to.data[i], from.layout, to.layout)) : [];
  if (!ways.length || !ways.every((each) => each)) return;
  for (const start = performance.now(); ;) {
    const share = (await new Promise(requestAnimationFrame) - start) / MOVE;
    if (share >= 1 || !isWanted()) return;
    const figure = { data: from.data.map((each, i) => ({ ...each, ...ways[i](Math.max(share, 0)) })), layout: from.layout };
    if (!drawQuickly(picture.firstElementChild, picture.drawn, figure)) return;
    picture.drawn = figure;
  }
}

// The places of a trace's points at each share of the way; null if they are not the same points.
function wayOf(one, other, before, after) {
  if (one.name !== other.name || one.type !== other.type) return null;
  const [wayX, wayY] = ["x", "y"].map((axis) => {
    const [start, end] = [one, other].map((trace) => numbersOf(trace[axis]));
    const [old, next] = [axisOf(one, before, axis), axisOf(other, after, axis)];
    if (!start || !end || start.length !== end.length || !old || !next) return null;
    const from = start.map(old.toShare), to = end.map(next.toShare);
    return (share) => from.map((each, i) => old.toValue(each + share * (to[i] - each)));
  });
  return wayX && wayY ? (share) => ({ x: wayX(share), y: wayY(share) }) : null;
}

function numbersOf(value) {
  const numbers = isObject(value) && "bdata" in value ? [...unpack(value)] : value;
  return Array.isArray(numbers) && numbers.every((each) => typeof each === "number" || each === null) ? numbers : null;
}

// The functions from a value to its share of an axis, and back; null for an axis that fits itself to its values.
function axisOf(trace, layout, letter) {
  const axis = layout[`${letter}axis${(trace[`${letter}axis`] ?? letter).slice(1)}`];
  if (!axis?.range || !["linear", "log", undefined].includes(axis.type)) return null;
  const [low, high] = axis.range;
  const [into, out] = axis.type === "log" ? [Math.log10, (each) => 10 ** each] : [(each) => each, (each) => each];
  return {
    toShare: (value) => (value === null ? NaN : (into(value) - low) / (high - low)),
    toValue: (share) => (Number.isNaN(share) ? null : out(low + share * (high - low))),
  };
}
