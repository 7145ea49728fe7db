// Return each figure's texts that are cut off or overlap a mark or another text, with the overlap in pixels.
// Everything is measured on the screen: turned texts by their turned boxes, lines along their paths.
// The numbers of a trace (its `text` in Plotly) may cover the marks of that trace.
(figures) => {
  const STEP = 2; // px between two checked points of a line or an area
  const TOUCH = 1; // px of empty space that a text needs around it

  // --- shapes: a quad is four corners in order -----------------------------------------------------

  const onScreen = (element, x, y, width, height) => {
    const matrix = element.getScreenCTM();
    return [[x, y], [x + width, y], [x + width, y + height], [x, y + height]].map(([left, top]) => {
      const point = new DOMPoint(left, top).matrixTransform(matrix);
      return [point.x, point.y];
    });
  };
  const quadOf = ({left, top, right, bottom}) => [[left, top], [right, top], [right, bottom], [left, bottom]];
  const boxOf = (corners) => {
    const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)];
    return {left: Math.min(...xs), top: Math.min(...ys), right: Math.max(...xs), bottom: Math.max(...ys)};
  };
  const meet = (a, b) => ({
    left: Math.max(a.left, b.left),
    top: Math.max(a.top, b.top),
    right: Math.min(a.right, b.right),
    bottom: Math.min(a.bottom, b.bottom),
  });
  const isEmpty = (box) => !(box.left < box.right && box.top < box.bottom);
  const holds = (box, [x, y]) => x >= box.left && x <= box.right && y >= box.top && y <= box.bottom;

  // Each side of a quad as a line: its unit normal, which points inwards, and its position along the normal.
  const sides = (quad) => quad.map(([x, y], i) => {
    const [toX, toY] = quad[(i + 1) % 4];
    const length = Math.hypot(toX - x, toY - y) || 1;
    const normal = [-(toY - y) / length, (toX - x) / length];
    return {normal, at: normal[0] * x + normal[1] * y};
  });
  const along = ([x, y], [pointX, pointY]) => x * pointX + y * pointY;
  const depthOfPoint = (point, quadSides) =>
    Math.min(...quadSides.map(({normal, at}) => along(normal, point) - at));
  // The distance to move one quad until the two do not overlap; negative if they do not.
  const depthOfQuads = (a, b) => {
    let least = Infinity;
    for (const {normal} of [...sides(a), ...sides(b)]) {
      const [inA, inB] = [a, b].map((quad) => quad.map((corner) => along(normal, corner)));
      least = Math.min(least, Math.max(...inA) - Math.min(...inB), Math.max(...inB) - Math.min(...inA));
    }
    return least;
  };
  const grown = (quad, by) => {
    const centre = [0, 1].map((i) => (quad[0][i] + quad[2][i]) / 2);
    const [across, down] = [[quad[0], quad[1]], [quad[0], quad[3]]].map(([from, to]) => {
      const length = Math.hypot(to[0] - from[0], to[1] - from[1]) || 1;
      return [(to[0] - from[0]) / length, (to[1] - from[1]) / length];
    });
    const out = (vector, corner) => Math.sign(along(vector, corner) - along(vector, centre)) * by;
    return quad.map((corner) => [0, 1].map((i) => corner[i] + out(across, corner) * across[i] + out(down, corner) * down[i]));
  };

  // --- texts ---------------------------------------------------------------------------------------

  const ROLES = [
    ["title", ".gtitle"],
    ["key", ".gtitle-subtitle"],
    ["number", ".bartext, .textpoint, .heatmap-label"],
    ["label", ".annotation"],
    ["legend", ".legend"],
    ["colour bar", ".colorbar"],
    ["tick", "[class*=tick]"],
    ["axis title", "[class*=title]"],
  ];
  const roleOf = (text) => (ROLES.find(([, where]) => text.closest(where)) ?? ["text"])[0];

  // Chromium calls a text visible in a group that is not displayed, but gives it no client rectangles.
  const isSeen = (element) =>
    element.getClientRects().length > 0 && element.checkVisibility({opacityProperty: true, visibilityProperty: true});
  const alpha = (colour) => (colour === "none" ? 0 : Number(/rgba\(.*, ([\d.]+)\)/.exec(colour)?.[1] ?? 1));
  const covers = (rect) => {
    const style = getComputedStyle(rect);
    return alpha(style.fill) * style.fillOpacity * style.opacity > 0.5;
  };

  // The box of each line of a text, without the font's empty space above and below its letters.
  const linesOf = (text) => {
    const rows = [];
    const written = text.textContent;
    for (let i = 0; i < text.getNumberOfChars(); i++) {
      const {x, y, width, height} = text.getExtentOfChar(i);
      if (!width || !written[i]?.trim()) continue;
      const [top, bottom] = [y + 0.2 * height, y + 0.95 * height];
      const row = rows.find((each) => Math.min(each.bottom, bottom) - Math.max(each.top, top) > 0.3 * (bottom - top));
      if (!row) rows.push({left: x, right: x + width, top, bottom});
      else Object.assign(row, {
        left: Math.min(row.left, x), right: Math.max(row.right, x + width),
        top: Math.min(row.top, top), bottom: Math.max(row.bottom, bottom),
      });
    }
    return rows.map((row) => onScreen(text, row.left, row.top, row.right - row.left, row.bottom - row.top));
  };

  // The part of a text that covers marks: the box behind the letters if it is opaque, else the letters.
  const hidingOf = (text, lines) => {
    const back = text.closest(".annotation, .legend")?.querySelector("rect.bg");
    if (!back || !covers(back)) return lines;
    const [x, y, width, height] = ["x", "y", "width", "height"].map((name) => back[name].baseVal.value);
    return [onScreen(back, x, y, width, height)];
  };

  const textsOf = (figure) => [...figure.querySelectorAll("svg text")]
    .filter((text) => text.textContent.trim() && isSeen(text) && !text.closest(".hoverlayer, .modebar"))
    .map((text) => {
      const lines = linesOf(text);
      const hiding = hidingOf(text, lines);
      return {text, lines, hiding, role: roleOf(text), box: boxOf([...lines, ...hiding].flat())};
    })
    .filter(({lines}) => lines.length);

  // --- marks ---------------------------------------------------------------------------------------

  const MARKS = [
    ["bar", "box", ".bars .point path, .barlayer .point > path"],
    ["point", "box", ".points path.point"],
    ["cells", "box", ".heatmaplayer image"],
    ["line", "stroke", ".lines path.js-line, path.law, path.ruler"],
    ["error bar", "stroke", "path.xerror, path.yerror"],
    ["guide", "stroke", ".shapelayer path"],
    ["axis", "stroke", "[class*=lines-above], [class*=lines-below], path.baseline"],
    ["area", "fill", ".fills path, path.fill"],
  ];

  // The visible part of an element on the screen.
  const windowOf = (element, edges) => {
    let seen = edges;
    for (let each = element; each && !each.matches?.("svg"); each = each.parentElement) {
      const id = /url\(["']?#([^"')]+)/.exec(each.getAttribute("clip-path") ?? "")?.[1];
      const rect = id && document.getElementById(id)?.querySelector("rect");
      if (!rect) continue;
      const [x, y, width, height] = ["x", "y", "width", "height"].map((name) => rect[name].baseVal.value);
      seen = meet(seen, boxOf(onScreen(each, x, y, width, height)));
    }
    return seen;
  };
  const paints = (element, kind) => {
    const style = getComputedStyle(element);
    if (kind === "box") return true;
    const strength = kind === "stroke" ? style.strokeOpacity * parseFloat(style.strokeWidth) : style.fillOpacity;
    return alpha(style[kind]) * strength * style.opacity > 0;
  };

  const marksOf = (figure, edges) => MARKS.flatMap(([name, kind, where]) =>
    [...figure.querySelectorAll(where)]
      .filter((element) => isSeen(element) && paints(element, kind))
      .map((element) => {
        const view = windowOf(element, edges);
        const wide = kind === "stroke" ? parseFloat(getComputedStyle(element).strokeWidth) / 2 : 0;
        const {left, top, right, bottom} = element.getBoundingClientRect();
        const box = meet({left: left - wide, top: top - wide, right: right + wide, bottom: bottom + wide}, view);
        return {element, name, kind, view, wide, box};
      })
      .filter(({box}) => !isEmpty(box)));

  const placesOf = (mark) => {
    if (mark.places) return mark.places;
    const matrix = mark.element.getScreenCTM();
    const length = mark.element.getTotalLength();
    const count = Math.max(1, Math.ceil(length / STEP));
    mark.places = Array.from({length: count + 1}, (_, i) => {
      const point = mark.element.getPointAtLength((length * i) / count).matrixTransform(matrix);
      return [point.x, point.y];
    }).filter((place) => holds(mark.view, place));
    return mark.places;
  };

  // The depth in pixels by which a mark lies under a quad.
  const depthOfMark = (mark, quad) => {
    const reach = meet(mark.box, boxOf(quad));
    if (isEmpty(reach)) return -Infinity;
    if (mark.kind === "box") return depthOfQuads(quad, quadOf(mark.box));
    const edges = sides(quad);
    let deepest = -Infinity;
    if (mark.kind === "stroke") {
      for (const place of placesOf(mark)) deepest = Math.max(deepest, depthOfPoint(place, edges) + mark.wide);
      return deepest;
    }
    const inverse = mark.element.getScreenCTM().inverse();
    for (let x = reach.left; x <= reach.right; x += STEP) {
      for (let y = reach.top; y <= reach.bottom; y += STEP) {
        const depth = depthOfPoint([x, y], edges);
        if (depth <= deepest) continue;
        if (mark.element.isPointInFill(new DOMPoint(x, y).matrixTransform(inverse))) deepest = depth;
      }
    }
    return deepest;
  };

  // A number may cover its own bar, the cells of its own matrix, and the points of its own trace.
  const owns = ({role, text}, mark) =>
    role === "number" && text.closest("g.point, g.hm, g.trace")?.contains(mark.element);

  // --- faults --------------------------------------------------------------------------------------

  const deepest = (quads, others, depth) =>
    Math.max(...quads.flatMap((quad) => others.map((other) => depth(quad, other))));

  const problemsOf = (figure, edges) => {
    const texts = textsOf(figure);
    const marks = marksOf(figure, edges);
    const found = [];
    const add = (kind, depth, ...names) => { if (depth > 0) found.push({kind, depth, names}); };
    texts.forEach((one, i) => {
      const says = one.text.textContent;
      const box = boxOf(one.lines.flat());
      const out = Math.max(edges.left - box.left, edges.top - box.top, box.right - edges.right, box.bottom - edges.bottom);
      add(`${one.role} cut off`, out + TOUCH, says);
      for (const mark of marks) {
        if (isEmpty(meet(one.box, mark.box)) || owns(one, mark)) continue;
        add(`${one.role} on ${mark.name}`, Math.max(...one.hiding.map((quad) => depthOfMark(mark, quad))), says);
      }
      for (const other of texts.slice(i + 1)) {
        const room = {left: one.box.left - 2 * TOUCH, top: one.box.top - 2 * TOUCH, right: one.box.right + 2 * TOUCH, bottom: one.box.bottom + 2 * TOUCH};
        if (isEmpty(meet(room, other.box))) continue;
        const touching = (quads) => quads.map((quad) => grown(quad, TOUCH));
        const depth = Math.max(
          deepest(touching(one.lines), touching(other.lines), depthOfQuads),
          deepest(one.hiding, other.lines, depthOfQuads),
          deepest(one.lines, other.hiding, depthOfQuads),
        );
        add(`${[one.role, other.role].sort().join(" and ")} collide`, depth, says, other.text.textContent);
      }
    });
    return found;
  };

  // The box outside which texts are cut off: that of the drawing if it hides its overflow, within the window.
  const edgesOf = (figure) => {
    const drawing = figure.querySelector("svg");
    const cuts = getComputedStyle(drawing).overflow === "visible" ? figure : drawing;
    const page = {left: 0, top: -Infinity, right: document.documentElement.clientWidth, bottom: Infinity};
    return meet(cuts.getBoundingClientRect(), page);
  };

  return [...document.querySelectorAll(figures)].filter(isSeen).map((figure) => {
    const key = [...(figure.closest("[class*='st-key-']")?.classList ?? [])].find((name) => name.startsWith("st-key-"));
    return {figure: key?.replace("st-key-", "") ?? figure.id, problems: problemsOf(figure, edgesOf(figure))};
  });
}
