// Draws what Python computed for every stop of the slider. It computes no statistic and formats no number:
// heights come in thousandths of a panel's height, positions as scores, everything readable as text.

const SIDES = ["raw", "scaled"];
const NS = "http://www.w3.org/2000/svg";
const SHORTEST = 0.5; // of the height that a panel is written for
const FRAMED = 0.25; // in a frame on a page of others, where all of it is to be seen
const TALLEST = 2;

/** @param {Part<HeroData>} part */
export default function ({ parentElement, data: [data], onStage }) {
  return onceShown({ parentElement, name: "hero", nodes: ["[data-hero]"], onStage }, ([root], moved) => {
    root.hero ??= makeHero(root);
    if (moved) root.hero.watch();
    root.hero.receive(data);
    return () => root.hero.leave();
  });
}

function makeHero(root) {
  const find = (selector) => root.querySelector(selector);
  const axis = find(".axis");
  const sentence = find(".sentence");
  const spoken = find(".spoken");
  const panels = {};
  for (const side of SIDES) {
    panels[side] = makeScorePanel(find(`[data-part="${side}"]`));
    panels[`${side}-weights`] = makeWeightPanel(find(`[data-part="${side}-weights"]`));
  }

  /** @type {HeroData} */
  let fixed; // what is said of the slider's own stops
  /** @type {HeroData} */
  let data; // those stops, or the values between them, where the one is that is shown
  let at = 0; // its place among them
  const sizes = /** @type {Record<string, number>} */ ({});
  const framed = isFramed(viewOf(root));
  root.toggleAttribute("data-framed", framed);
  let hand = lab.hands.d_k ?? { value: null, held: false };
  let ownAxis = false;
  let printed = false;

  // The panels share what is left of the window between what stands above and the sentence's end.
  function fit() {
    const scale = scaleOf();
    for (const [name, size] of Object.entries(data.style)) {
      sizes[name] = parseFloat(size) * scale;
      root.style.setProperty(`--${name}`, size.endsWith("px") ? `${sizes[name]}px` : size);
    }
    const view = viewOf(root);
    if (!view) return; // of a page that was left meanwhile
    const { top } = root.getBoundingClientRect();
    const others = sentence.getBoundingClientRect().bottom - top - find(".panels").getBoundingClientRect().height;
    const rows = window.innerWidth <= NARROW && !framed ? 4 : 2;
    const captions = find(".panels").getBoundingClientRect().height - rows * sizes.panel;
    const room = view.clientHeight - (top - view.getBoundingClientRect().top + view.scrollTop) - captions - BELOW;
    const wish = sizes.panel;
    if (ofPage("--on-paper")) return;
    const high = (room - (rows === 2 ? others : 0)) / rows;
    sizes.panel = Math.floor(Math.min(Math.max(high, (framed ? FRAMED : SHORTEST) * wish), TALLEST * wish));
    root.style.setProperty("--panel", `${sizes.panel}px`);
  }

  function draw() {
    const stop = data.stops[at];
    for (const side of SIDES) {
      panels[side].draw(data, side, at, ownAxis);
      panels[`${side}-weights`].draw(data, side, at);
    }
    writeSentence(sentence, stop, light);
    light();
    root.dataset.value = stop.d_k;
  }

  // The side that a word of the sentence names, where one is pointed at: the other one fades.
  function light() {
    const mark = data.stops[at].marks[litIn(sentence)];
    SIDES.forEach((side, i) => {
      const opacity = mark && !mark.curves.includes(i) ? FADED : "";
      for (const part of [side, `${side}-weights`]) find(`[data-part="${part}"]`).style.opacity = opacity;
    });
  }

  // A value between the stops comes by itself, see between.js. Until it is there the stop below stands for it.
  function choose(d_k) {
    for (const some of [fixed, lab.between]) {
      at = some?.stops.findIndex((stop) => stop.d_k === d_k) ?? -1;
      if (some && at >= 0) return (data = { ...some, sizes });
    }
    data = { ...fixed, sizes };
    at = Math.max(0, data.stops.findLastIndex((stop) => stop.d_k <= d_k));
  }

  function goTo(d_k) {
    choose(d_k);
    draw();
  }

  function onHand({ detail }) {
    if (detail.name !== "d_k") return;
    const letGo = hand.held && !detail.held;
    hand = detail;
    if (!data) return;
    goTo(hand.value);
    if (letGo) say(spoken, data.stops[at].sentence);
  }

  function between() {
    if (data) goTo(hand.value);
  }

  window.addEventListener(HAND, onHand);
  const sheet = () => sheetFor(root, data.stops[at]);
  const mine = (lab.hero = { sheet, between });
  find(".save").addEventListener("click", () => saveSheet(sheet(), `start_d_k_${data.stops[at].d_k}`, "svg"));
  axis.addEventListener("click", () => {
    ownAxis = !ownAxis;
    axis.setAttribute("aria-pressed", String(ownAxis));
    draw();
  });
  const watched = new ResizeObserver(() => {
    if (!data || hand.held || printed) return;
    fit();
    draw();
  });
  function onPaper({ detail }) {
    printed = detail.on;
    if (!data || !detail.draw) return;
    fit();
    draw();
  }

  window.addEventListener(PAPER, onPaper);
  function watch() {
    watched.disconnect();
    const view = viewOf(root);
    for (const each of [find(".panels"), view, view.querySelector(STREAMLIT.block)]) if (each) watched.observe(each);
  }
  watch();

  return {
    watch,
    receive(next) {
      fixed = next;
      choose(hand.value);
      root.dataset.mode = data.mode;
      for (const [part, name] of Object.entries(data.names)) panels[part].name(name);
      say(axis, data.labels.axis);
      find(".save").textContent = data.labels.save;
      for (let times = 0; times < 2; times += 1) { // with its texts in place it has less room
        fit();
        draw();
      }
    },
    leave() {
      if (root.isConnected) return;
      window.removeEventListener(HAND, onHand);
      window.removeEventListener(PAPER, onPaper);
      if (lab.hero === mine) delete lab.hero;
      watched.disconnect();
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
  const caption = panel.querySelector(".figures");
  return {
    name: (text) => { say(panel.querySelector(".name"), text); },
    draw(data, side, i, ownAxis) {
      const mine = data[side];
      const box = frameOf(svg, data);
      const sigma = mine.unit[i]; // the bars are those of scores in units of it, on both sides
      const unit = ownAxis ? sigma : 1;
      const { bins, heights, law: density } = data;
      const range = ownAxis ? data.own : data.shared;
      const x = (score) => box.left + ((score / unit - range.low) / (range.high - range.low)) * box.width;
      const y = (thousandths) => box.bottom - (thousandths / 1000) * (box.height - box.tick * 1.6);
      const labels = ownAxis ? mine.ownTicks[i] : data.shared.labels;
      drawGrid(grid, box, range.ticks.map((tick, j) => [x(tick * unit), labels[j]]));
      put(fill, "d", steps(heights[i], (j) => x((bins.first + j * bins.width) * sigma), y, box));
      put(law, "d", line(density[i], (j) => x((bins.first + (j + 0.5) * bins.width) * sigma), y, box));
      const [from, to, top] = [Math.max(box.left, x(-mine.ruler[i])), Math.min(box.right, x(mine.ruler[i])), box.tick * 0.6];
      put(ruler, "d", `M${from} ${top - 6}V${top + 6}M${from} ${top}H${to}M${to} ${top - 6}V${top + 6}`);
      const right = to + box.tick * 0.6;
      const fits = right + box.tick * 9 < box.right;
      write(rulerText, fits ? right : box.right, top + box.tick * 0.36, mine.rulerText[i], fits ? "start" : "end");
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
      const { levels, label, names } = data.weightAxis;
      const below = names.length ? names.map((name, j) => [box.left + (j + 0.5) * pitch, name]) : [[box.left + box.width / 2, label]];
      drawLevels(grid, box, levels.map(([level, text]) => [y(level), text]), below);
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
  const { tick, panel } = data.sizes;
  const left = room * tick;
  const width = (svg.parentNode.clientWidth || 600) - left;
  put(svg, "viewBox", `0 0 ${left + width} ${panel}`); // on paper the page's style alone may make it wider or narrower
  const bottom = panel - tick * 1.7;
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

function drawLevels(group, box, levels, below) {
  match(group, levels.length + below.length, "text");
  const rule = group.querySelector("path") ?? add(group, "path", "gridline");
  put(rule, "d", levels.map(([y]) => `M${box.left} ${y}H${box.right}`).join(""));
  const texts = [...group.querySelectorAll("text")];
  levels.forEach(([y, text], j) => write(texts[j], box.left - box.tick * 0.5, y + box.tick * 0.35, text, "end"));
  below.forEach(([x, text], j) => write(texts[levels.length + j], x, box.bottom + box.tick * 1.4, text, "middle"));
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

// The four panels with their captions and the sentence on a sheet.
function sheetFor(root, stop) {
  const outer = root.querySelector(".panels").getBoundingClientRect();
  const size = parseFloat(getComputedStyle(root).fontSize);
  const page = document.createElementNS(NS, "svg");
  page.setAttribute("viewBox", `0 0 ${outer.width} ${outer.height + size * 2}`);
  copyText(page, root.querySelector(".sentence"), 0, size * 1.4, stop.title);
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
  const { backgroundColor: ground, color: ink, fontFamily: font } = getComputedStyle(root);
  return sheetOf([page], { sentence: stop.sentence, ground, ink, font });
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
