// Two buttons that make a file of the picture on the screen: from its figures, drawn again in the size of the file, or
// from the hero, which brings its own drawing.

const LARGER = 1.5; // factor of a screen's sizes on a sheet; a projector's sizes fit it already

/** @param {Part<SavingData>} part */
export default function ({ parentElement, data: [data] }) {
  const buttons = parentElement.querySelector(".saving");
  buttons.given = data;
  buttons.onclick ??= ({ target }) => target.dataset.kind && save(buttons.given, target.dataset.kind);
}

/** @param {SavingData} given @param {string} kind */
async function save({ name, keys, sentence }, kind) {
  const sheet = keys.length ? await figuresOf(keys, sentence) : lab.hero?.sheet();
  if (sheet) await saveSheet(sheet, name, kind);
}

async function figuresOf(keys, sentence) {
  const pictures = keys.map((key) => document.querySelector(`[data-picture][data-key="${key}"]`));
  const { each } = roomOn(keys.length, sentence);
  const scale = isDesigned() ? 1 : LARGER;
  const [width, height] = [each.width / scale, each.height / scale].map(Math.round);
  const drawings = [];
  for (const { parsed } of pictures) {
    const options = { format: "svg", width, height, imageDataOnly: true };
    const text = await window.Plotly.toImage({ data: parsed.data, layout: { ...parsed.layout, width, height } }, options);
    const drawing = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
    drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
    drawings.push(drawing);
  }
  const { paper_bgcolor: ground, font } = pictures[0].parsed.layout;
  return sheetOf(drawings, { sentence, ground, ink: font.color, font: "sans-serif" });
}
