// A file to download: drawings beside each other, below them their sentence and their address. It is an SVG that needs no
// style sheet, or the same as pixels.

const SVG = "http://www.w3.org/2000/svg";
const SHEET = { width: 1920, height: 1080, edge: 40, words: 36, address: 24, line: 1.3 };
const ROW = 3; // drawings per row

// The room of all drawings together, in rows of at most `ROW`, and of each one.
function roomOn(count, sentence) {
  const { width, height, edge, words, address, line } = SHEET;
  const lines = wrapped(sentence, width - 2 * edge);
  const below = (lines.length * words + address) * line + edge;
  const columns = Math.min(count, ROW);
  const room = { width: width - 2 * edge, height: height - 2 * edge - below };
  return { lines, columns, each: { width: room.width / columns, height: room.height / Math.ceil(count / columns) } };
}

// Each drawing is an SVG element with a view box; all have the same size.
function sheetOf(drawings, { sentence, ground, ink, font }) {
  const { width, height, edge, words, address, line } = SHEET;
  const { lines, columns, each } = roomOn(drawings.length, sentence);
  const sheet = made("svg", { xmlns: SVG, width, height, viewBox: `0 0 ${width} ${height}`, role: "img" });
  sheet.append(made("title", {}, sentence), made("rect", { width, height, fill: ground }));
  drawings.forEach((drawing, i) => {
    const at = { x: edge + (i % columns) * each.width, y: edge + Math.floor(i / columns) * each.height };
    for (const [name, value] of Object.entries({ ...at, ...each })) drawing.setAttribute(name, value);
    sheet.append(drawing);
  });
  const last = height - edge;
  const first = last - address * line - (lines.length - 1) * words * line;
  const text = { x: edge, fill: ink, "font-family": font };
  lines.forEach((each, i) => sheet.append(made("text", { ...text, y: first + i * words * line, "font-size": words }, each)));
  sheet.append(made("text", { ...text, y: last, "font-size": address }, linkHere().href));
  return sheet;

  function made(tag, attributes, words) {
    const element = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) if (name !== "xmlns") element.setAttribute(name, value);
    if (words) element.textContent = words;
    return element;
  }
}

function wrapped(text, width) {
  const pen = penOn(document.createElement("canvas"));
  pen.font = `${SHEET.words}px sans-serif`;
  const lines = [""];
  for (const word of text.split(" ")) {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (pen.measureText(longer).width <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

const penOn = (canvas) => /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));

async function saveSheet(sheet, name, kind) {
  const drawn = new Blob([new XMLSerializer().serializeToString(sheet)], { type: "image/svg+xml" });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(kind === "png" ? await asDots(drawn) : drawn);
  link.download = `${name}.${kind}`;
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(link.href));
}

async function asDots(drawn) {
  const image = new Image(SHEET.width, SHEET.height);
  image.src = URL.createObjectURL(drawn);
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width: SHEET.width, height: SHEET.height });
  penOn(canvas).drawImage(image, 0, 0, SHEET.width, SHEET.height);
  URL.revokeObjectURL(image.src);
  return new Promise((resolve) => { canvas.toBlob(resolve, "image/png"); });
}
