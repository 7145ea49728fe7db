// Draws what Python computed for every stop of the slider. It computes no statistic and formats no number:
// heights come in thousandths of a panel's height, positions as scores, everything readable as text.

const SIDES = ["raw", "scaled"];
const canvas = document.createElement("canvas");
const NS = "http://www.w3.org/2000/svg";
const SHORTEST = 0.5; // share of a panel's designed height to which it may shrink
const ROWS = 2;
const EDGE = 3; // px kept free in a frame
const LEVELS = 3.4; // letters of a tick: room for "100 %"
const FRAMED = 0.25; // the same in a frame on another site, where the whole hero must be visible
const TALLEST = 2;
const CROWDED = 4; // letters of a tick: in less room every second one has no name
const SMALL = { name: 0.8, at: 0.875, said: 0.85, tick: 0.93 }; // factors of the font sizes in a narrow window

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
  const sentence = find(".sentence");
  const spoken = find(".spoken");
  const panels = {};
  for (const side of SIDES) {
    panels[side] = makeScorePanel(find(`[data-part="${side}"]`));
    panels[`${side}-weights`] = makeWeightPanel(find(`[data-part="${side}-weights"]`));
  }

  /** @type {HeroData} */
  let fixed; // the data of the slider's own stops
  /** @type {HeroData} */
  let data; // the data that contain the current value: those of the stops, or of the values between them
  let at = 0; // the index of the current value in `data`
  const font = getComputedStyle(root).fontFamily;
  const sizes = /** @type {Record<string, number>} */ ({});
  const framed = isFramed(viewOf(root));
  root.toggleAttribute("data-framed", framed);
  let hand = lab.hands.d_k ?? { value: null, held: false };
  let printed = false;

  // The panels share the room of the window between the words above and the sentence's end.
  function fit() {
    const narrow = isNarrow();
    const scale = scaleOf();
    for (const [name, size] of Object.entries(data.style)) {
      sizes[name] = parseFloat(size) * scale * (narrow ? (SMALL[name] ?? 1) : 1);
      root.style.setProperty(`--${name}`, size.endsWith("px") ? `${sizes[name]}px` : size);
    }
    sizes.levels = narrow ? 0 : LEVELS * sizes.tick;
    root.style.setProperty("--levels", `${sizes.levels}px`);
    for (const [column, names] of Object.entries(data.headings)) say(find(`[data-column="${column}"]`), names[Number(narrow)]);
    const view = viewOf(root);
    if (!view) return; // the page was left meanwhile
    const { top } = root.getBoundingClientRect();
    const others = sentence.getBoundingClientRect().bottom - top - find(".panels").getBoundingClientRect().height;
    const captions = find(".panels").getBoundingClientRect().height - ROWS * sizes.panel;
    const bar = framed ? EDGE : Number(ofPage("--bar"));
    const room = view.clientHeight - (top - view.getBoundingClientRect().top + view.scrollTop) - captions - bar - BELOW;
    const wish = sizes.panel;
    if (ofPage("--on-paper")) return;
    const high = (room - others) / ROWS;
    sizes.panel = Math.floor(Math.min(Math.max(high, (framed ? FRAMED : SHORTEST) * wish), TALLEST * wish));
    root.style.setProperty("--panel", `${sizes.panel}px`);
  }

  const isNarrow = () => window.innerWidth <= NARROW && !framed;

  function draw() {
    const stop = data.stops[at];
    for (const side of SIDES) {
      panels[side].draw(data, side, at);
      panels[`${side}-weights`].draw(data, side, at);
    }
    writeSentence(sentence, stop, light);
    light();
    root.dataset.value = stop.d_k;
  }

  // The side that a word of the sentence names while the pointer is on it: the other one fades.
  function light() {
    const mark = data.stops[at].marks[litIn(sentence)];
    SIDES.forEach((side, i) => {
      const opacity = mark && !mark.curves.includes(i) ? FADED : "";
      for (const part of [side, `${side}-weights`]) find(`[data-part="${part}"]`).style.opacity = opacity;
    });
  }

  // Data of a value between the stops arrive separately, see between.js. Until then the stop below is shown.
  function choose(d_k) {
    for (const some of [fixed, lab.between]) {
      at = some?.stops.findIndex((stop) => stop.d_k === d_k) ?? -1;
      if (some && at >= 0) return (data = { ...some, sizes, font });
    }
    data = { ...fixed, sizes, font };
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
  const bracket = add(svg, "path", "ruler");
  const spread = add(svg, "text", "at halo");
  const row = add(svg, "text", "row");
  return {
    draw(data, side, i) {
      const mine = data[side];
      const box = frameOf(svg, data);
      const { at, name } = data.sizes;
      const sigma = mine.unit[i]; // the bars are those of scores in units of σ, on both sides
      const { bins, heights, law: density, scoreAxis: axis } = data;
      const x = (score) => ((score - axis.low) / (axis.high - axis.low)) * box.width;
      const across = 1.25 * name;
      const y = (thousandths) => box.bottom - (thousandths / 1000) * (box.bottom - across - 0.9 * at);
      drawGrid(grid, box, axis.ticks.map((tick, j) => [x(tick), side === "scaled" ? axis.labels[j] : ""]));
      put(fill, "d", steps(heights[i], (j) => x((bins.first + j * bins.width) * sigma), y, box));
      put(law, "d", line(density[i], (j) => x((bins.first + (j + 0.5) * bins.width) * sigma), y, box));
      const [from, to] = [x(-sigma), x(sigma)];
      put(bracket, "d", `M${from} ${across - 6}V${across + 6}M${from} ${across}H${to}M${to} ${across - 6}V${across + 6}`);
      write(spread, to + 0.6 * at, across + 0.36 * at, mine.spread[i], "start");
      write(row, 0, 0.85 * name, mine.name, "start");
      put(svg, "aria-label", `${mine.alt}: ${mine.spread[i]}`);
    },
  };
}

function makeWeightPanel(panel) {
  const svg = openSvg(panel);
  const grid = add(svg, "g");
  const fill = add(svg, "path", "fill");
  const mean = add(svg, "path", "ruler");
  const largest = add(svg, "text", "at halo");
  return {
    draw(data, side, i) {
      const mine = data[side];
      const box = frameOf(svg, data, data.sizes.levels);
      const { at, name } = data.sizes;
      const weights = mine.weights[i];
      const pitch = box.width / weights.length;
      const gap = Math.min(3, pitch / 5);
      const y = (weight) => box.bottom - weight * (box.bottom - name);
      const { levels, names } = data.weightAxis;
      const below = side === "scaled" ? names.map((word, j) => [box.left + (j + 0.5) * pitch, word]) : [];
      drawLevels(grid, box, levels.map(([level, text]) => [y(level), text]), below);
      const bars = weights.map((weight, j) => {
        const left = box.left + j * pitch + gap / 2;
        return { left, right: left + pitch - gap, top: y(weight) };
      });
      put(fill, "d", bars.map(({ left, right, top }) => {
        return `M${left.toFixed(1)} ${box.bottom}V${top.toFixed(2)}H${right.toFixed(1)}V${box.bottom}Z`;
      }).join(""));
      const top = y(mine.mean[i]);
      const { from, to } = across(bars[mine.top[i]], box, 0.7 * at);
      put(mean, "d", `M${from.toFixed(1)} ${top.toFixed(1)}H${to.toFixed(1)}`);
      const words = beside({ from, to, top }, measured(mine.largest[i], at, data.font), bars, box, at);
      write(largest, words.x, words.y + 0.36 * at, words.text, words.anchor);
      put(svg, "aria-label", `${mine.weightAlt} ${mine.largest[i][0]}`);
    },
  };
}

// The ends of the mark across a bar.
const across = ({ left, right }, box, over) => ({ from: Math.max(box.left, left - over), to: Math.min(box.right, right + over) });

// The side of a mark for its words, right or left: as many as fit, and above the bars that are there.
function beside(mark, said, bars, box, size) {
  const gap = 0.4 * size;
  const sides = said.flatMap(({ text, width }) => [
    { text, anchor: "start", x: mark.to + gap, low: mark.to, high: mark.to + gap + width },
    { text, anchor: "end", x: mark.from - gap, low: mark.from - gap - width, high: mark.from },
  ]);
  const words = sides.find(({ low, high }) => low >= box.left && high <= box.right) ?? sides.at(-1);
  const under = bars.filter(({ left, right }) => right > words.low && left < words.high).map(({ top }) => top);
  return { ...words, y: Math.max(Math.min(mark.top, ...under.map((top) => top - 0.8 * size)), 0.6 * size) };
}

const measured = (texts, size, font) => {
  const pen = penOn(canvas);
  pen.font = `700 ${size}px ${font}`;
  return texts.map((text) => ({ text, width: pen.measureText(text).width }));
};

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

// Parts that are already right stay: Python's answer to a move redraws nothing.
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

function frameOf(svg, data, left = 0) {
  const { tick, panel } = data.sizes;
  const width = (svg.parentNode.clientWidth || 600) - left;
  const lowest = svg.parentNode.dataset.part.startsWith("scaled");
  put(svg, "viewBox", `0 0 ${left + width} ${panel + (lowest ? 1.7 * tick : 0)}`); // on paper the page's style alone may make it wider or narrower
  return { left, width, right: left + width, bottom: panel - 1, tick };
}

function drawGrid(group, box, ticks) {
  match(group, ticks.length, "text");
  const few = box.width < CROWDED * box.tick * ticks.length;
  const rule = group.querySelector("path") ?? add(group, "path", "baseline");
  put(rule, "d", `M${box.left} ${box.bottom}H${box.right}` + ticks.map(([x]) => `M${x} ${box.bottom}v5`).join(""));
  group.querySelectorAll("text").forEach((text, j) => {
    const [x, said] = ticks[j];
    const half = 0.25 * box.tick * said.length;
    const at = Math.min(Math.max(x, box.left + half), box.right - half);
    write(text, at, box.bottom + box.tick * 1.4, few && j % 2 ? "" : said, "middle");
  });
}

function drawLevels(group, box, levels, below) {
  match(group, levels.length + below.length, "text");
  const rule = group.querySelector("path") ?? add(group, "path", "gridline");
  put(rule, "d", levels.map(([y]) => `M${box.left} ${y}H${box.right}`).join("") + `M${box.left} ${box.bottom}H${box.right}`);
  const texts = [...group.querySelectorAll("text")];
  levels.forEach(([y, text], j) => {
    if (box.left) write(texts[j], box.left - box.tick * 0.5, y + box.tick * 0.35, text, "end");
    else write(texts[j], box.right, y - box.tick * 0.3, j === levels.length - 1 ? text : "", "end");
  });
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
  for (const name of root.querySelectorAll(".name")) {
    const at = name.getBoundingClientRect();
    copyText(page, name, at.left - outer.left + (parseFloat(getComputedStyle(name).paddingLeft) || 0), at.bottom - outer.top + size * 1.7);
  }
  for (const panel of root.querySelectorAll(".panel")) {
    const svg = panel.querySelector("svg");
    const at = svg.getBoundingClientRect();
    const group = add(page, "g");
    group.setAttribute("transform", `translate(${at.left - outer.left} ${at.top - outer.top + size * 2})`);
    for (const child of svg.children) group.appendChild(styledCopy(child));
  }
  const { backgroundColor: ground, color: ink, fontFamily: font } = getComputedStyle(root);
  return sheetOf([page], { sentence: stop.sentence, ground, ink, font });
}

const KEPT = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin", "paint-order", "font-size", "font-weight", "font-family"];

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
