// Draws what Python computed for every stop of the slider. It computes no statistic and formats no number:
// heights come in thousandths of a panel's height, positions as scores, everything readable as text.

const NS = "http://www.w3.org/2000/svg";
const SILENCE_AFTER_KEY = 300; // ms without a further key before Python is told

export default function ({ parentElement, data, setStateValue }) {
  const root = parentElement.querySelector("[data-hero]");
  root.hero ??= makeHero(root);
  root.hero.tellPython = (d_k) => setStateValue("d_k", d_k);
  root.hero.receive(data);
  return () => root.hero.leave();
}

function makeHero(root) {
  const find = (selector) => root.querySelector(selector);
  const slider = find(".slider");
  const play = find(".play");
  const axis = find(".axis");
  const value = find(".value");
  const sentence = find(".sentence");
  const spoken = find(".spoken");
  const panels = {};
  for (const side of ["raw", "scaled"]) {
    panels[side] = makeScorePanel(find(`[data-part="${side}"]`));
    panels[`${side}-weights`] = makeWeightPanel(find(`[data-part="${side}-weights"]`));
  }

  let data = null;
  let known = null; // the d_k that Python and this slider last agreed on
  let moved = false; // the slider stands somewhere Python has not been told of
  let byKey = false;
  let ownAxis = false;
  let keyTimer = 0;
  let playTimer = 0;

  function draw() {
    const i = slider.valueAsNumber;
    const stop = data.stops[i];
    say(value, stop.title);
    put(slider, "aria-valuetext", stop.title.replaceAll("dₖ", "d_k"));
    for (const side of ["raw", "scaled"]) {
      panels[side].draw(data, side, i, ownAxis);
      panels[`${side}-weights`].draw(data, side, i);
    }
    say(sentence, stop.sentence);
  }

  function moveTo(i) {
    slider.value = i;
    moved = true;
    draw();
  }

  function tell() {
    window.clearTimeout(keyTimer);
    if (!moved) return;
    moved = false;
    const stop = data.stops[slider.valueAsNumber];
    say(spoken, stop.sentence);
    if (stop.d_k === known) return;
    known = stop.d_k;
    root.hero.tellPython(known);
  }

  function showPlaying(on) {
    say(play, on ? data.labels.pause : data.labels.play);
    play.setAttribute("aria-pressed", String(on));
  }

  function pause() {
    window.clearInterval(playTimer);
    playTimer = 0;
    showPlaying(false);
    tell();
  }

  function start() {
    const last = data.stops.length - 1;
    if (slider.valueAsNumber === last) moveTo(0);
    const calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    showPlaying(true);
    playTimer = window.setInterval(() => {
      moveTo(slider.valueAsNumber + 1);
      if (slider.valueAsNumber === last) pause();
    }, calm ? data.calmStep : data.playStep);
  }

  slider.addEventListener("keydown", () => { byKey = true; });
  slider.addEventListener("pointerdown", () => { byKey = false; });
  slider.addEventListener("input", () => {
    window.clearTimeout(keyTimer);
    window.clearInterval(playTimer);
    if (playTimer) showPlaying(false);
    playTimer = 0;
    moved = true;
    draw();
  });
  // Every key press ends with a change event; a held key must not send one message a step.
  slider.addEventListener("change", () => {
    window.clearTimeout(keyTimer);
    if (byKey) keyTimer = window.setTimeout(tell, SILENCE_AFTER_KEY);
    else tell();
  });
  slider.addEventListener("blur", () => { if (!playTimer) tell(); });
  play.addEventListener("click", () => (playTimer ? pause() : start()));
  find(".save").addEventListener("click", () => save(root, data.stops[slider.valueAsNumber]));
  axis.addEventListener("click", () => {
    ownAxis = !ownAxis;
    axis.setAttribute("aria-pressed", String(ownAxis));
    draw();
  });
  new ResizeObserver(() => { if (data) draw(); }).observe(find(".panels"));

  return {
    receive(next) {
      const here = data && moved ? data.stops[slider.valueAsNumber].d_k : null;
      data = next;
      for (const [name, size] of Object.entries(data.style)) root.style.setProperty(`--${name}`, size);
      root.dataset.mode = data.mode;
      for (const [part, name] of Object.entries(data.names)) panels[part].name(name);
      say(axis, data.labels.axis);
      find(".save").textContent = data.labels.save;
      showPlaying(playTimer !== 0);
      if (here === null) known = data.d_k;
      const wanted = here ?? data.d_k;
      slider.max = data.stops.length - 1;
      slider.value = Math.max(0, data.stops.findIndex((stop) => stop.d_k === wanted));
      draw();
    },
    leave() {
      window.clearTimeout(keyTimer);
      window.clearInterval(playTimer);
      playTimer = 0;
    },
  };
}

function makeScorePanel(panel) {
  const svg = openSvg(panel);
  const grid = add(svg, "g");
  const fill = add(svg, "path", "fill");
  const law = add(svg, "path", "law");
  const ruler = add(svg, "path", "ruler");
  const rulerText = add(svg, "text", "halo");
  const beyond = add(svg, "text", "halo");
  const caption = panel.querySelector(".figures");
  return {
    name: (text) => { say(panel.querySelector(".name"), text); },
    draw(data, side, i, ownAxis) {
      const mine = data[side];
      const box = frameOf(svg, data);
      const unit = ownAxis ? mine.unit[i] : 1;
      const shown = ownAxis ? data.scaled : mine; // in units of σ both sides have the bars of the scaled scores
      const range = ownAxis ? data.own : data.shared;
      const bins = shown.bins;
      const x = (score) => box.left + ((score - range.low * unit) / ((range.high - range.low) * unit)) * box.width;
      const y = (thousandths) => box.bottom - (thousandths / 1000) * (box.height - box.tick * 1.6);
      const labels = ownAxis ? mine.ownTicks[i] : data.shared.labels;
      drawGrid(grid, box, range.ticks.map((tick, j) => [x(tick * unit), labels[j]]));
      put(fill, "d", steps(shown.heights[i], (j) => x((bins.first + j * bins.width) * unit), y, box));
      put(law, "d", line(shown.law[i], (j) => x((bins.first + (j + 0.5) * bins.width) * unit), y, box));
      const [from, to, top] = [Math.max(box.left, x(-mine.ruler[i])), Math.min(box.right, x(mine.ruler[i])), box.tick * 0.6];
      put(ruler, "d", `M${from} ${top - 6}V${top + 6}M${from} ${top}H${to}M${to} ${top - 6}V${top + 6}`);
      const right = to + box.tick * 0.6;
      const fits = right + box.tick * 9 < box.right;
      write(rulerText, fits ? right : box.right, top + box.tick * 0.36, mine.rulerText[i], fits ? "start" : "end");
      write(beyond, box.right, top + box.tick * 1.9, ownAxis ? "" : mine.beyond[i], "end");
      say(caption, mine.figures[i]);
      put(svg, "aria-label", `${mine.alt}: ${mine.figures[i]}`);
    },
  };
}

function makeWeightPanel(panel) {
  const svg = openSvg(panel);
  const grid = add(svg, "g");
  const fill = add(svg, "path", "fill");
  const caption = panel.querySelector(".figures");
  return {
    name: (text) => { say(panel.querySelector(".name"), text); },
    draw(data, side, i) {
      const mine = data[side];
      const box = frameOf(svg, data, data.weightAxis.room);
      const weights = mine.weights[i];
      const pitch = box.width / weights.length;
      const gap = Math.min(3, pitch / 5);
      const y = (weight) => box.bottom - weight * (box.height - box.tick * 0.7);
      drawLevels(grid, box, data.weightAxis.levels.map(([level, text]) => [y(level), text]), data.weightAxis.label);
      let path = "";
      weights.forEach((weight, j) => {
        const left = box.left + j * pitch + gap / 2;
        path += `M${left.toFixed(1)} ${box.bottom}V${y(weight).toFixed(2)}H${(left + pitch - gap).toFixed(1)}V${box.bottom}Z`;
      });
      put(fill, "d", path);
      say(caption, mine.weightFigures[i]);
      put(svg, "aria-label", `${mine.weightAlt}: ${mine.weightFigures[i]}`);
    },
  };
}

function openSvg(panel) {
  const svg = panel.querySelector("svg");
  svg.setAttribute("role", "img");
  return svg;
}

function add(parent, tag, kind) {
  const element = parent.appendChild(document.createElementNS(NS, tag));
  if (kind) element.setAttribute("class", kind);
  return element;
}

// What is right already is left alone: an answer of Python to what the visitor did redraws nothing.
function put(element, name, value) {
  if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
}

function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function write(element, x, y, text, anchor) {
  put(element, "x", x);
  put(element, "y", y);
  put(element, "text-anchor", anchor);
  say(element, text);
}

function frameOf(svg, data, room = 0) {
  const tick = parseFloat(data.style.tick);
  const left = room * tick;
  const width = (svg.parentNode.clientWidth || 600) - left;
  const bottom = parseFloat(data.style.panel) - tick * 1.7;
  return { left, width, right: left + width, bottom, height: bottom, tick };
}

function drawGrid(group, box, ticks) {
  match(group, ticks.length, "text");
  const rule = group.querySelector("path") ?? add(group, "path", "baseline");
  put(rule, "d", `M${box.left} ${box.bottom}H${box.right}` + ticks.map(([x]) => `M${x} ${box.bottom}v5`).join(""));
  group.querySelectorAll("text").forEach((text, j) => {
    write(text, ticks[j][0], box.bottom + box.tick * 1.4, ticks[j][1], "middle");
  });
}

function drawLevels(group, box, levels, label) {
  match(group, levels.length + 1, "text");
  const rule = group.querySelector("path") ?? add(group, "path", "gridline");
  put(rule, "d", levels.map(([y]) => `M${box.left} ${y}H${box.right}`).join(""));
  group.querySelectorAll("text").forEach((text, j) => {
    if (j < levels.length) write(text, box.left - box.tick * 0.5, levels[j][0] + box.tick * 0.35, levels[j][1], "end");
    else write(text, box.left + box.width / 2, box.bottom + box.tick * 1.4, label, "middle");
  });
}

function match(group, count, tag) {
  while (group.querySelectorAll(tag).length < count) add(group, tag);
  while (group.querySelectorAll(tag).length > count) group.querySelector(tag).remove();
}

function steps(heights, x, y, box) {
  let path = `M${box.left} ${box.bottom}`;
  heights.forEach((height, j) => {
    const [left, right] = [clamp(x(j), box), clamp(x(j + 1), box)];
    if (right > left) path += `H${left.toFixed(1)}V${y(height).toFixed(2)}H${right.toFixed(1)}`;
  });
  return `${path}V${box.bottom}Z`;
}

function line(heights, x, y, box) {
  let path = "";
  heights.forEach((height, j) => {
    const at = x(j);
    if (at >= box.left && at <= box.right) path += `${path ? "L" : "M"}${at.toFixed(1)} ${y(height).toFixed(2)}`;
  });
  return path;
}

function clamp(x, box) {
  return Math.min(box.right, Math.max(box.left, x));
}

// The four panels with their captions and the sentence, as one SVG file that needs no style sheet.
function save(root, stop) {
  const outer = root.querySelector(".panels").getBoundingClientRect();
  const size = parseFloat(getComputedStyle(root).fontSize);
  const page = document.createElementNS(NS, "svg");
  const height = outer.height + size * 7;
  for (const [name, value] of Object.entries({ xmlns: NS, width: outer.width, height })) page.setAttribute(name, value);
  const ground = add(page, "rect");
  for (const [name, value] of Object.entries({ width: outer.width, height })) ground.setAttribute(name, value);
  ground.setAttribute("fill", getComputedStyle(root).getPropertyValue("background-color"));
  copyText(page, root.querySelector(".value"), 0, size * 1.4);
  for (const panel of root.querySelectorAll(".panel")) {
    for (const caption of panel.querySelectorAll(".name, .figures")) {
      const at = caption.getBoundingClientRect();
      copyText(page, caption, at.left - outer.left, at.bottom - outer.top + size * 1.7);
    }
    const svg = panel.querySelector("svg");
    const at = svg.getBoundingClientRect();
    const group = add(page, "g");
    group.setAttribute("transform", `translate(${at.left - outer.left} ${at.top - outer.top + size * 2})`);
    for (const child of svg.children) group.appendChild(styledCopy(child));
  }
  const lines = stop.sentence.match(/.{1,90}(\s|$)/g);
  lines.forEach((line, j) => copyText(page, root.querySelector(".sentence"), 0, outer.height + size * (3.4 + 1.3 * j), line));
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([page.outerHTML], { type: "image/svg+xml" }));
  link.download = `start_d_k_${stop.d_k}.svg`;
  link.click();
  URL.revokeObjectURL(link.href);
}

const KEPT = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin", "paint-order", "font-size", "font-family"];

function styledCopy(element) {
  const copy = element.cloneNode(false);
  const style = getComputedStyle(element);
  copy.removeAttribute("class");
  for (const name of KEPT) copy.setAttribute(name, style.getPropertyValue(name));
  for (const child of element.childNodes) {
    copy.appendChild(child.nodeType === Node.TEXT_NODE ? child.cloneNode() : styledCopy(child));
  }
  return copy;
}

function copyText(page, source, x, y, text = source.textContent) {
  const style = getComputedStyle(source);
  const copy = add(page, "text");
  write(copy, x, y, text, "start");
  copy.setAttribute("fill", style.color);
  for (const name of ["font-size", "font-family", "font-weight"]) copy.setAttribute(name, style.getPropertyValue(name));
}
