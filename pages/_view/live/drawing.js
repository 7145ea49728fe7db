// A curve that the visitor draws on a picture: one point at each of some places. A mouse or a finger that sweeps over the
// panel moves them, and so do the arrow keys. The form of the bet gets the heights.

const SVG = "http://www.w3.org/2000/svg";
const STEPS = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1, PageUp: 10, PageDown: -10 };
const NEAR = 14; // px within which a point follows the pointer though the pointer has passed it

/** @param {PictureNode} picture */
function letDraw(picture) {
  const { drawing } = picture.given;
  if (!drawing?.at) {
    picture.curve?.leave();
    picture.curve = undefined;
    return;
  }
  picture.curve ??= makeCurve(picture);
  picture.curve.receive(/** @type {Drawing} */ (drawing));
}

/** @param {PictureNode} picture */
function makeCurve(picture) {
  const area = document.createElement("div");
  area.dataset.drawing = "";
  const svg = document.createElementNS(SVG, "svg");
  const path = document.createElementNS(SVG, "polyline");
  svg.append(path);
  area.append(svg);
  picture.append(area);
  /** @type {Drawing} */
  let drawing;
  let heights = /** @type {number[] | null} */ (null); // as drawn so far
  let points = [];
  let hand = /** @type {{ last: { x: number, y: number }, passed: Set<number> } | null} */ (null); // where it was last, and which points it has passed

  const share = (value, [low, high]) => (value - low) / (high - low);
  const xOf = (place) => share(place, drawing.reach) * area.clientWidth;
  const yOf = (height) => (1 - share(height, drawing.span)) * area.clientHeight;
  const most = () => Math.floor(drawing.span[1]);
  const shown = () => heights ?? drawing.at.map(() => 0);

  function heightAt(y) {
    const [low, high] = drawing.span;
    return high - (y / area.clientHeight) * (high - low);
  }

  function set(i, height) {
    heights = [...shown()];
    heights[i] = Math.min(Math.max(Math.round(height), 0), most());
  }

  function show() {
    const places = drawing.at.map((place, i) => [xOf(place), yOf(shown()[i])]);
    path.setAttribute("points", [[xOf(0), yOf(0)], ...places].map((each) => each.join()).join(" "));
    points.forEach((point, i) => {
      const [x, y] = places[i];
      Object.assign(point.style, { left: `${x}px`, top: `${y}px` });
      point.dataset.height = shown()[i];
      point.setAttribute("aria-valuenow", shown()[i]);
      point.setAttribute("aria-valuemax", most());
    });
  }

  // Gives the heights to the form of the bet.
  function tell() {
    lab.drawn = heights;
    for (const button of document.querySelectorAll("[data-draws] button")) button.disabled = false;
  }

  function add(label, i) {
    const point = document.createElement("span");
    const fixed = { role: "slider", tabindex: 0, "aria-label": label, "aria-orientation": "vertical", "aria-valuemin": 0 };
    for (const [name, value] of Object.entries(fixed)) point.setAttribute(name, value);
    point.addEventListener("keydown", (event) => {
      const { key } = event;
      const ends = { Home: 0, End: most() };
      if (!(key in STEPS) && !(key in ends)) return;
      event.preventDefault();
      event.stopPropagation();
      set(i, key in ends ? ends[key] : shown()[i] + STEPS[key]);
      show();
      tell();
    });
    area.append(point);
    return point;
  }

  // A point follows the pointer until the pointer has passed it, and stays where it was passed.
  function follow(event) {
    const box = area.getBoundingClientRect();
    const now = { x: event.clientX - box.left, y: event.clientY - box.top };
    const places = drawing.at.map(xOf);
    const from = hand?.last ?? now;
    const { passed } = (hand = { last: now, passed: hand?.passed ?? new Set() });
    places.forEach((x, i) => {
      if (from.x === now.x || (x - from.x) * (x - now.x) > 0) return;
      set(i, heightAt(from.y + ((now.y - from.y) * (x - from.x)) / (now.x - from.x)));
      passed.add(i);
    });
    const away = places.map((x) => Math.abs(x - now.x));
    const nearest = away.indexOf(Math.min(...away));
    if (!passed.has(nearest) || away[nearest] <= NEAR) set(nearest, heightAt(now.y));
    points[nearest].focus({ preventScroll: true });
    show();
  }

  function letGo() {
    if (!hand) return;
    hand = null;
    tell();
  }

  area.addEventListener("pointerdown", (event) => {
    if (!event.isPrimary || event.button !== 0) return;
    event.preventDefault();
    area.setPointerCapture(event.pointerId);
    follow(event);
  });
  area.addEventListener("pointermove", (event) => { if (hand && event.isPrimary) follow(event); });
  for (const end of ["pointerup", "pointercancel"]) area.addEventListener(end, letGo);

  function receive(next) {
    drawing = next;
    const { colour, ...sizes } = next.style;
    const [width, size] = [sizes.width, sizes.size].map((each) => `${each * scaleOf()}px`);
    for (const [name, value] of Object.entries({ colour, width, size })) {
      area.style.setProperty(`--${name}`, value);
    }
    if (!points.length) points = next.labels.map(add);
    lay();
    show();
  }

  // Covers the panel, wherever Plotly has laid it.
  function lay() {
    const panel = picture.querySelector(`.nsewdrag[data-subplot="${drawing.panel}"]`).getBoundingClientRect();
    const home = picture.getBoundingClientRect();
    const { width, height } = panel;
    const place = { left: panel.left - home.left, top: panel.top - home.top, width, height };
    for (const [name, value] of Object.entries(place)) area.style[name] = `${value}px`;
  }

  return { receive, leave: () => area.remove() };
}

