// Gives a figure to Plotly, with its sentence below. The bundle is fetched once for all pictures, and an unchanged figure
// is left alone. A main picture follows the slider: during a drag it asks the server for one picture at a time, always for
// the latest value. Python mostly sends its name alone, and the figure is fetched too. It is as high as the window has room
// for, measured while nothing is dragged. A projector's figures are designed for a window of one width, and scaled in
// others. In a narrow picture the panels may have other places.

const TALLEST = 1.6; // factor of the figure's own height
const LETTERS = 155; // number of letters of a long sentence
const DRAWN = ["figure", "height", "plot", "narrow", "sentence", "alt", "marks"]; // the answer of `moving/X`
const USUAL = { height: 480, plot: 380, narrow: { height: 480, plot: 380 } }; // px: of most pictures
const AHEAD = 1; // window heights: a picture so near to the window is drawn before it is visible

/** @param {Part<PictureData>} part */
export default function ({ parentElement, data: [data], setTriggerValue, onStage }) {
  const part = { parentElement, name: data.main ? "picture" : "", nodes: ["[data-picture]", "[data-sentence]"], onStage };
  return onceShown(part, ([picture, sentence], moved) => {
    Object.assign(picture, { tell: setTriggerValue, sentence, newest: data });
    if (onStage && data.figure) picture.asked = { name: nameOf(data), answer: Promise.resolve(drawnIn(data)) };
    if (onStage || data.figure) take(picture, data, moved, onStage);
    else fill(picture, data, moved);
    return () => leave(picture);
  });
}

/** @param {PictureNode} picture */
function take(picture, data, moved, onStage = false) {
  picture.given = data;
  picture.moves = ![undefined, data.key].includes(picture.dataset.key);
  picture.dataset.key = data.key;
  fit(picture);
  if (onStage) fitToLetters(picture);
  hearPaper(picture);
  if (data.address) follow(picture);
  // Python learns only now of a slider moved before the session, and then names the picture for it.
  const elsewhere = (moved || onStage) && !same(placeOf(picture), data.values);
  if (!isHeld(picture) && !elsewhere) show(picture, data, data.values);
  if (moved && picture.watched) watchAll(picture);
}

// Fetches the figure of data that have none. Until it is there, the picture stays as it is, or an empty place is kept.
/** @param {PictureNode} picture */
async function fill(picture, data, moved) {
  picture.given ??= { ...data, ...USUAL };
  fit(picture);
  const drawn = await fetchOnce(picture, nameOf(data));
  if (picture.newest !== data || !picture.isConnected) return;
  if (!drawn) lab.page?.ask("picture"); // Python draws it
  else take(picture, { ...data, ...drawn }, moved);
}

// The part of a picture's data that the server's answer has.
const drawnIn = (data) => Object.fromEntries(DRAWN.map((name) => [name, data[name]]));

/** @param {PictureNode} picture */
function show(picture, drawn, values) {
  picture.setAttribute("aria-label", drawn.alt);
  picture.marks = drawn.marks;
  writeSentence(picture.sentence, drawn, () => light(picture));
  picture.sentence.hidden = picture.given.bare;
  picture.shown = values;
  if (picture.figure === drawn.figure) return null; // on the stage there is no figure at first
  picture.figure = drawn.figure;
  return draw(picture, drawn.figure, values);
}

/** @param {PictureNode} picture */
async function draw(picture, figure, values) {
  await near(picture);
  if (picture.figure !== figure) return;
  const Plotly = await fetched(picture.given.bundle);
  if (picture.figure !== figure || !picture.isConnected) return; // a later one has come, or the page is gone
  parse(picture);
  if (picture.moves) await moveOver(picture, () => picture.figure === figure && picture.isConnected);
  if (picture.figure !== figure || !picture.isConnected) return;
  picture.moves = false;
  if (!paintQuickly(picture)) await paint(picture, Plotly);
  if (values) picture.dataset.value = Object.values(values).join(" ");
  watchSize(picture, Plotly);
}

// During a drag the size of the picture stays.
/** @param {PictureNode} picture */
function paintQuickly(picture) {
  if (!isHeld(picture) || picture.inks?.length) return false;
  const drawn = drawQuickly(picture.firstElementChild, picture.drawn, picture.parsed);
  if (drawn) Object.assign(picture, { drawn: picture.parsed, quick: true });
  return drawn;
}

// The figure; on paper in the colours of paper, on a phone with the layout of a phone.
/** @param {PictureNode} picture */
function parse(picture) {
  const { figure, inks } = picture;
  const { data, layout, narrow } = JSON.parse(inks?.length ? onWhite(figure, inks) : figure);
  picture.parsed = { data, layout: isNarrow(picture) ? { ...layout, ...narrow } : layout };
}

// By the width for which the figure is drawn: on a wall, on paper and in a frame it is shown smaller.
const isNarrow = (/** @type {PictureNode} */ picture) => picture.clientWidth / scaleOf() <= PHONE;

// A picture further down is drawn once the stage is in place, when it comes near the window or goes to paper.
/** @param {PictureNode} picture */
async function near(picture) {
  if (picture.given.main) return;
  await lab.stage?.over;
  if (!picture.isConnected) return;
  picture.near ??= new Promise((resolve) => {
    const rootMargin = `${lab.near ?? AHEAD * window.innerHeight}px 0px`;
    const look = new IntersectionObserver((seen) => { if (seen.some((each) => each.isIntersecting)) come(); }, {
      root: viewOf(picture), rootMargin,
    });
    const come = () => {
      look.disconnect();
      window.removeEventListener("beforeprint", come);
      resolve();
    };
    window.addEventListener("beforeprint", come);
    look.observe(picture);
  });
  await picture.near;
}

// Redraws the figure if the pointer has entered or left a word, so that other marks fade.
/** @param {PictureNode} picture */
function light(picture) {
  if (picture.parsed && litIn(picture.sentence) !== picture.lit) paint(picture, window.Plotly);
}

/** @param {PictureNode} picture */
function paint(picture, Plotly) {
  const plot = picture.firstElementChild;
  const scale = scaleOf();
  const [width, height] = [picture.clientWidth / scale, picture.height / scale].map(Math.floor);
  if (!width) return null; // the picture is in a closed fold
  picture.drawnAt = sizeOf(picture);
  Object.assign(plot.style, { width: `${width}px`, aspectRatio: `${width} / ${height}`, transformOrigin: "0 0", transform: scale === 1 ? "" : `scale(${scale})` });
  const { data, layout } = structuredClone(picture.parsed); // Plotly writes into its arguments
  picture.lit = litIn(picture.sentence);
  const drawn = lightUp(data, picture.marks[picture.lit ?? -1]);
  Object.assign(picture, { drawn: drawn === data ? picture.parsed : null, quick: false });
  return Plotly.react(plot, drawn, { ...layout, width, height }, picture.given.config).then(() => {
    // On paper the page's style alone may make a picture wider or narrower.
    for (const svg of plot.querySelectorAll(".main-svg")) svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    for (const still of picture.querySelectorAll("[data-still]")) still.remove();
    letDraw(picture);
  });
}

// Returns a dark figure in the light theme's colours. A mixture of the ground and a colour stays the same mixture.
function onWhite(figure, inks) {
  const pairs = inks.map((pair) => pair.map((ink) => ink.match(/[0-9a-f]{2}/gi).map((two) => parseInt(two, 16))));
  const [ground, white] = pairs[0];
  const shares = (seen, dark) => {
    const way = dark.map((each, i) => each - ground[i]);
    const share = way.reduce((sum, each, i) => sum + each * (seen[i] - ground[i]), 0) / way.reduce((sum, each) => sum + each ** 2, 0);
    return { share, off: Math.hypot(...way.map((each, i) => ground[i] + share * each - seen[i])) };
  };
  const turned = (seen) => {
    const found = pairs.slice(1).map(([dark, light]) => ({ light, ...shares(seen, dark) }));
    const { light, share } = found.reduce((best, each) => (each.off < best.off ? each : best));
    return white.map((each, i) => Math.max(0, Math.min(255, Math.round(each + share * (light[i] - each)))));
  };
  return figure
    .replace(/#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})\b/gi, (_, ...some) => `rgb(${turned(some.slice(0, 3).map((two) => parseInt(two, 16)))})`)
    .replace(/rgba\((\d+), ?(\d+), ?(\d+)/g, (_, ...some) => `rgba(${turned(some.slice(0, 3).map(Number))}`);
}

// The height of the figure, and that of its plot.
const heightOf = (/** @type {PictureNode} */ picture) => ({ ...picture.given, ...(isNarrow(picture) && picture.given.narrow) });

const sizeOf = (picture) => `${picture.clientWidth} ${picture.height} ${scaleOf()}`;

// The height of the picture: the room of the window between the words above and the sentence.
/** @param {PictureNode} picture */
function fit(picture) {
  const { given, sentence } = picture;
  const wish = heightOf(picture).height * scaleOf();
  const below = () => Math.max(reserve(sentence), formBelow(picture));
  picture.height = Math.round(given.main ? roomFor(picture, wish, below()) : wish);
  picture.style.height = `${picture.height}px`;
}

// The lines above a picture may end elsewhere in the page's own letters, which come after the script. The page is hidden
// until then (`letters.html`), so that nothing moves when the picture is drawn.
/** @param {PictureNode} picture */
function fitToLetters(picture) {
  const again = () => {
    if (picture.isConnected && !picture.watched) fit(picture);
  };
  document.fonts.load('1rem "Source Sans"').then(again, again);
}

/** @param {PictureNode} picture */
function roomFor(picture, wish, sentence) {
  const view = viewOf(picture);
  const top = picture.getBoundingClientRect().top - view.getBoundingClientRect().top + view.scrollTop;
  if (top > view.clientHeight) return wish; // the picture is below the window
  const room = view.clientHeight - top - BELOW - (isFramed(view) ? 0 : Number(ofPage("--bar")));
  const isSmall = window.innerWidth <= NARROW && !isFramed(view);
  const alone = isSmall && !ofPage("--whole") ? Math.min(room, wish) : 0;
  const found = Math.min(Math.max(room - sentence, alone), TALLEST * wish);
  const { plot, least: share, bare } = heightOf(picture);
  const least = wish - (1 - share) * plot * scaleOf();
  const whole = bare ? Math.max(found, wish - plot * scaleOf()) : wish;
  return found < least ? whole : found; // a picture that does not fit is not squeezed either, except over a bet
}

// The height of a bet's form below the picture, where it takes the place of the sentence.
/** @param {PictureNode} picture */
function formBelow(picture) {
  const form = picture.given.bare && picture.closest(`#lab-first, ${STREAMLIT.app}`)?.querySelector("form.bet");
  return form ? form.getBoundingClientRect().bottom - picture.getBoundingClientRect().bottom : 0;
}

// Parts below a sentence must not move when it gains or loses a line.
function reserve(sentence) {
  const style = getComputedStyle(sentence);
  const size = parseFloat(style.fontSize);
  const lines = Math.ceil((LETTERS * 0.47 * size) / (sentence.clientWidth || window.innerWidth));
  const height = lines * (parseFloat(style.lineHeight) || 1.5 * size);
  sentence.style.minHeight = `${height}px`;
  return Math.max(height, sentence.offsetHeight);
}

/** @param {PictureNode} picture */
function follow(picture) {
  if (picture.onHand) return;
  picture.onHand = (/** @type {CustomEvent<Hand>} */ { detail }) => {
    if (!(detail.name in (picture.given.values ?? {})) || picture.waiting) return;
    if (wanted(picture)) catchUp(picture);
    else finish(picture);
  };
  window.addEventListener(HAND, picture.onHand);
}

// The values of the sliders that the picture follows. A control without a slider has Python's value.
const handsOf = ({ given }) => Object.keys(given.values ?? {}).map((name) => lab.hands[name]).filter(Boolean);
const isHeld = (/** @type {PictureNode} */ picture) => handsOf(picture).some(({ held }) => held);
const placeOf = (/** @type {PictureNode} */ picture) =>
  handsOf(picture).reduce((place, { name, value }) => ({ ...place, [name]: value }), picture.given.values);
const same = (some, others) => Object.keys(some).every((name) => some[name] === others?.[name]);
const wanted = (/** @type {PictureNode} */ picture) => picture.isConnected && !same(placeOf(picture), picture.shown);
// True if Python's picture is the one to show.
const atRest = (/** @type {PictureNode} */ picture) => !isHeld(picture) && same(placeOf(picture), picture.given.values);

/** @param {PictureNode} picture */
async function catchUp(picture) {
  picture.waiting = true;
  try {
    let coming = /** @type {ReturnType<typeof askFor> | null} */ (null); // the next picture, on its way while the browser draws this one
    const ask = () => { if (wanted(picture)) coming ??= askFor(picture); };
    for (ask(); coming; ask()) {
      const { values, answer } = coming;
      const drawn = await answer;
      if (!drawn || atRest(picture)) break;
      picture.shown = values;
      coming = null;
      ask();
      await show(picture, drawn, values);
      await nextFrame(ask);
    }
  } finally {
    picture.waiting = false;
  }
  if (atRest(picture)) await show(picture, picture.given, picture.given.values); // the slider may be back at its value
  finish(picture);
}

/** @param {PictureNode} picture */
function finish(picture) {
  if (picture.quick && !isHeld(picture) && picture.isConnected) paint(picture, window.Plotly);
}

// The browser handles the drag, and paints thumb and picture, between two frames.
const nextFrame = (ask) =>
  new Promise((resolve) => {
    requestAnimationFrame(() => {
      ask();
      setTimeout(resolve);
    });
  });

/** @param {PictureNode} picture */
function askFor(picture) {
  const values = placeOf(picture);
  return { values, answer: pictureAt(picture, values) };
}

const pictureAt = (picture, values) =>
  (same(values, picture.given.values) ? picture.given : fetchOnce(picture, entryAt(picture.given, values)));

const nameOf = (data) => entryAt(data, data.values);

// The picture of a name; null if the server does not draw it. The last one is kept: at the release of a slider Python
// names the picture that has just been fetched for it.
/** @param {PictureNode} picture */
function fetchOnce(picture, name) {
  const { asked: before } = picture;
  if (before && before.name === name) return before.answer;
  const asked = { name, answer: fetchPicture(name) };
  picture.asked = asked;
  asked.answer.then((drawn) => { if (!drawn && picture.asked === asked) delete picture.asked; });
  return asked.answer;
}

async function fetchPicture(name) {
  try {
    const answer = await fetch(name);
    if (answer.status === 204) lab.stage?.begin(); // it waits for a button
    return answer.status === 200 ? await answer.json() : null;
  } catch {
    return null;
  }
}

// On paper it is as wide as its place there, and its words are as large as on the screen.
/** @param {PictureNode} picture */
function hearPaper(picture) {
  if (picture.onPaper) return;
  picture.onPaper = (/** @type {CustomEvent<Paper>} */ { detail }) => {
    picture.printed = detail.on;
    picture.inks = detail.inks;
    if (detail.share) fitPaper(picture, detail.share);
    if (!detail.on) fit(picture);
    if (!picture.parsed) return;
    parse(picture);
    if (detail.draw) paint(picture, window.Plotly);
  };
  window.addEventListener(PAPER, picture.onPaper);
}

/** @param {PictureNode} picture */
function fitPaper(picture, share) {
  const { height, plot, bare } = heightOf(picture);
  picture.height = Math.round((bare ? height : height - (1 - share) * plot) * scaleOf());
  picture.firstElementChild.style.aspectRatio = `${picture.clientWidth} / ${picture.height}`;
}

// Watching the window is not enough: columns stack, the menu opens and notes appear while its size stays.
/** @param {PictureNode} picture */
function watchSize(picture, Plotly) {
  if (picture.watched) return;
  const look = () => {
    if (!picture.isConnected || isHeld(picture) || picture.printed) return;
    fit(picture);
    if (sizeOf(picture) === picture.drawnAt) return;
    parse(picture); // a phone may have been turned
    paint(picture, Plotly);
  };
  picture.watched = new ResizeObserver(look);
  watchAll(picture);
}

/** @param {PictureNode} picture */
function watchAll(picture) {
  const view = picture.given.main && viewOf(picture);
  picture.watched.disconnect();
  for (const each of [picture, view, view && view.querySelector(STREAMLIT.block)]) if (each) picture.watched.observe(each);
}

/** @param {PictureNode} picture */
function leave(picture) {
  if (picture.isConnected) return; // Streamlit calls this at every change of the data too
  window.removeEventListener(HAND, picture.onHand);
  window.removeEventListener(PAPER, picture.onPaper);
  picture.watched?.disconnect();
  window.Plotly?.purge(picture.firstElementChild);
}

function fetched(bundle) {
  lab.plotly ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = bundle;
    lab.bundle = () => resolve(window.Plotly);
    // A host without our server answers with its page; Python has the bundle too.
    script.onload = () => (window.Plotly ? lab.bundle() : lab.page.ask("bundle"));
    script.onerror = () => {
      lab.plotly = undefined; // the next picture tries again
      reject(new Error(`the script of the pictures did not load: ${bundle}`));
    };
    document.head.append(script);
  });
  return lab.plotly;
}
