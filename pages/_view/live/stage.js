// The stage before Streamlit: sliders and picture of the lesson at this address, which work without a session. Streamlit is
// fetched when the visitor reaches for a part that needs it, or at once where the address needs it; then the picture goes
// first. Once Streamlit has drawn the lesson, sliders and picture move into its page, and the last press is repeated there.
(() => {
  const LOOK = 50; // ms between two checks of Streamlit's page
  const STILL = 3; // checks in a row that must find the page complete
  const LONGEST = 8000; // ms from the lesson's first element until Streamlit's page takes over in any case
  const PLACE = "[data-picture], .st-key-ask_main"; // a picture, or the button that it waits for
  const LATEST = 10000; // ms until Streamlit is requested, if there is no picture by then
  const WRITTEN = ["p.line", ".tries"]; // the parts that the server writes from the sliders' values
  const TYPED = ".field input";
  const CELLS = "[data-picture][data-key^=matrix_]"; // pictures in which a click chooses a cell
  const NEAR = 6; // px within which a press is a click, as in cells.js
  const REACHED = { share: ".st-key-share button", menu: STREAMLIT.mainMenu, settings: ".st-key-settings summary", fold: ".st-key-folds summary" };

  const first = document.getElementById("lab-first");
  const said = JSON.parse(document.getElementById("lab-told").textContent);
  const told = first.matches(".small") ? { ...said, ...said.small } : said;
  const platform = document.getElementById("lab-platform");
  const hero = first.querySelector("[data-hero-host]")?.shadowRoot;
  const dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
  if (told.picture) told.picture.address = entryAt(told.picture, { ground: dark ? "dark" : "light" });
  const places = [...first.querySelectorAll(".controls > .dial")]; // no dials in a frame on another site
  const dials = places.length ? told.dials : [];
  const sliders = [told.slider, ...dials].filter(Boolean);
  const placeOf = (data) => (data === told.slider ? first : places[dials.indexOf(data)]);
  const slider = Object.fromEntries(sliders.map((data) => [data.name, placeOf(data)]));
  const parents = { ...slider, picture: told.picture && !hero && first, hero };
  const waiting = new Set(); // Streamlit's own parts; it may mount several of one name, and unmount the last
  const partOf = (name) => [...waiting].findLast((part) => part.name === name && part.parentElement.isConnected);

  lab.hears ??= hearStage();
  let [begun, timer, latest] = [false, 0, 0];
  let pressed = /** @type {HTMLElement | null} */ (null); // the element to press in Streamlit's page
  let cell = /** @type {PointerEvent | null} */ (null); // the press on a cell of a matrix
  const typed = /** @type {NodeListOf<HTMLInputElement>} */ (first.querySelectorAll(TYPED));
  const entered = new Set(); // fields in which Enter was pressed
  let end = () => {};
  lab.stage = {
    over: new Promise((resolve) => { end = resolve; }),
    own: told.own ?? [],
    begin,
    has: (name) => Boolean(parents[name]),
    wait(part) {
      waiting.add(part);
      return () => (part.leave ? part.leave() : waiting.delete(part));
    },
  };

  // Without a session a link takes the slider's value along: to a step, and d_k to the next lesson. Hidden settings
  // of a try end with its step: the link leaves them out.
  for (const link of first.querySelectorAll("[data-way] a[href]")) {
    link.addEventListener("click", () => {
      const [here, place] = [new URL(location.href), new URL(link.href)];
      for (const name of link.dataset.lesson ? ["d_k"] : ["d_k", ...sliders.map((data) => data.name)]) {
        const at = here.searchParams.get(name);
        if (at) place.searchParams.set(name, at);
        else place.searchParams.delete(name);
      }
      link.href = place.href;
    });
  }

  // Without a session the release of a slider goes into the address: Streamlit's first run reads it there, and so does the
  // server, whose page has the line and the tries for it.
  const keepInAddress = ({ name, usual }) => (_name, { at }) => {
    const link = new URL(location.href);
    if (at === usual) link.searchParams.delete(name);
    else link.searchParams.set(name, at);
    history.replaceState(history.state, "", link);
    paper?.soon();
    if (!begun && platform) writeAnew(link.href);
  };

  async function writeAnew(href) {
    const answer = await fetch(href).catch(() => null);
    if (!answer?.ok || begun) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (location.href !== href) return;
    for (const part of WRITTEN) {
      const [was, is] = [first, page].map((each) => each.querySelector(part));
      if (was && is && was.outerHTML !== is.outerHTML && !was.contains(document.activeElement)) was.replaceWith(is);
    }
  }

  async function open() {
    const asked = told.picture && pictureAt(told.picture);
    const onStage = true;
    for (const data of sliders) {
      lab.parts.slider({ parentElement: placeOf(data), data: [data], setTriggerValue: keepInAddress(data), onStage });
    }
    return parents.picture ? drawPicture(asked, onStage) : hero ? drawHero(asked, onStage) : false;
  }

  async function pictureAt(picture) {
    const asked = fetch(entryAt(picture, picture.values), /** @type {object} */ ({ priority: "high" }));
    const answer = await asked.catch(() => null);
    if (answer?.status === 204) begin(); // it waits for a button
    return answer?.status === 200 ? answer.json() : null;
  }

  async function drawHero(asked, onStage) {
    const drawn = await asked;
    if (!drawn || !first.isConnected) return false;
    lab.between = drawn.between;
    lab.parts.hero({ parentElement: hero, data: [drawn.stops], onStage });
    hero.host.style.minHeight = ""; // the hero has its own height now
    return true;
  }

  async function drawPicture(asked, onStage) {
    const picture = first.querySelector("[data-picture]");
    const draw = (more) => lab.parts.picture({ parentElement: first, data: [{ ...told.picture, ...more }], onStage });
    draw({}); // the sentence, and an empty place for the picture
    const drawn = await asked;
    if (!drawn || !first.isConnected) return false; // Streamlit was quicker
    const painted = new Promise((resolve) => new MutationObserver(resolve).observe(picture, { attributeFilter: ["data-value"] }));
    draw(drawn);
    await painted;
    return true;
  }

  // Streamlit's first files arrive while the browser reads the script of the pictures, which is there by then.
  function fetchPlatform() {
    document.head.append(...platform.content.querySelectorAll("link:not([data-further])"));
  }

  function begin() {
    window.clearTimeout(latest);
    if (!platform || begun) return;
    begun = true;
    for (const script of platform.content.querySelectorAll("script")) script.addEventListener("error", sayMissing);
    document.head.append(platform.content);
    STREAMLIT.tellServer();
    window.dispatchEvent(new Event(BEGUN));
    timer = window.setInterval(look, LOOK);
  }

  // --- parts that need Streamlit --------------------------------------------------------------------------

  // A pointer or the focus on such a part, or a scroll to the folds, fetches Streamlit; the last press is repeated there.
  function hearReaching() {
    for (const act of ["pointerover", "pointerdown", "focusin"]) {
      first.addEventListener(act, ({ target }) => { if (target.closest("[data-reach]")) begin(); });
    }
    first.addEventListener("pointerdown", (event) => {
      cell = event.target.closest(CELLS) && event;
      if (cell) begin();
    });
    document.addEventListener("pointerup", ({ clientX, clientY }) => {
      if (cell && Math.hypot(clientX - cell.clientX, clientY - cell.clientY) > NEAR) cell = null;
    }, true);
    first.addEventListener("click", ({ target }) => {
      const at = target.closest("[data-reach]");
      if (!at) return;
      pressed?.removeAttribute("aria-busy");
      if (!at.matches(TYPED)) at.setAttribute("aria-busy", "true");
      pressed = at;
      begin();
    });
    first.addEventListener("keydown", ({ key, target }) => {
      if (key === "Enter" && target.matches(TYPED)) entered.add(target);
    });
    first.addEventListener("scroll", () => {
      const folds = first.querySelector(".folds");
      if (folds?.offsetHeight && folds.getBoundingClientRect().top < window.innerHeight) begin(); // not on paper
    });
    const opener = first.querySelector(".open-menu");
    opener?.addEventListener("click", () => {
      opener.setAttribute("aria-expanded", String(first.classList.toggle("menu-open")));
    });
  }

  // The counterpart in Streamlit's page of an element on the stage, found by its words.
  function thereOf(at) {
    const words = at.textContent.trim();
    if (at.dataset.control) return partOfField(document.querySelector(`.st-key-stage .st-key-${at.dataset.control}`), at, words);
    return [...document.querySelectorAll(REACHED[at.dataset.reach])].find((each) => each.textContent.includes(words));
  }

  // The option of these words, the button for less or for more, or the field.
  function partOfField(field, { dataset: { way } }, words) {
    if (way) return field?.querySelector(STREAMLIT[way]);
    const options = [...(field?.querySelectorAll("[role=radio]") ?? [])];
    return options.find((each) => each.textContent.trim() === words) ?? field?.querySelector("input");
  }

  // Repeats typed text there. A visitor who has left a field, or pressed Enter in it, wants it read.
  function typeThere(field) {
    const there = field.value === field.defaultValue ? null : thereOf(field);
    if (!(there instanceof HTMLInputElement)) return;
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set?.call(there, field.value); // so that React notices it
    there.dispatchEvent(new InputEvent("input", { bubbles: true }));
    const isDone = field !== document.activeElement || entered.has(field);
    const leave = () => there.dispatchEvent(new FocusEvent("focusout", { bubbles: true })); // then a field is read
    if (isDone) window.setTimeout(leave); // once React has drawn the text
  }

  function putCaret(there, { selectionStart, selectionEnd }) {
    if (there.type === "text") there.setSelectionRange(selectionStart, selectionEnd); // a number field has no caret
  }

  // Repeats a click on a cell at the same place.
  function press({ clientX, clientY }) {
    for (const act of ["pointerdown", "pointerup"]) {
      const event = new PointerEvent(act, { bubbles: true, isPrimary: true, button: 0, clientX, clientY });
      document.elementFromPoint(clientX, clientY)?.dispatchEvent(event);
    }
  }

  function sayMissing() {
    first.querySelector("[role=alert]").textContent = told.missing;
  }

  // Streamlit's page replaces the first page once it is drawn and no slider is held.
  let [waited, still] = [0, 0];
  function look() {
    const app = document.querySelector(STREAMLIT.app);
    if (!app?.querySelector("h1")) return; // nothing of the lesson is drawn yet
    waited += LOOK;
    const all = Object.keys(parents).every((name) => !parents[name] || partOf(name));
    const drawn = parents.picture || !told.draws || app.querySelector(PLACE)?.offsetHeight > 0;
    const done = all && drawn && lab.page?.fits() && STREAMLIT.isAtRest(app) && !app.querySelector(STREAMLIT.skeleton);
    still = done ? still + 1 : 0;
    const held = Object.values(lab.hands).some((hand) => hand.held && !hand.playing);
    if (held || (still < STILL && waited < (lab.patience ?? LONGEST))) return;
    window.clearInterval(timer);
    handOver(app);
  }

  function handOver(app) {
    const { scrollTop } = first; // how far the whole page is scrolled
    const at = document.activeElement;
    const within = first.contains(at) ? (at.shadowRoot?.activeElement ?? at) : null;
    const focused = within?.dataset.reach ? thereOf(within) : within;
    for (const field of typed) typeThere(field);
    delete lab.stage;
    const parts = Object.keys(parents).map(partOf).filter(Boolean);
    for (const part of parts) {
      part.moved = part.nodes.map((selector) => parents[part.name].querySelector(selector));
      part.nodes.forEach((selector, i) => part.parentElement.querySelector(selector).replaceWith(part.moved[i]));
    }
    const form = first.querySelector("[data-bet]"); // with the answer chosen meanwhile
    if (form) app.querySelector("[data-bet]")?.replaceWith(form);
    first.remove();
    for (const part of parts) part.leave = part.mount(part.moved, true);
    app.querySelector(STREAMLIT.main).scrollTop = scrollTop; // now that all of it is there
    if (focused?.isConnected) focused.focus({ preventScroll: true });
    if (focused && within?.matches(TYPED)) putCaret(focused, within);
    const there = pressed && thereOf(pressed);
    (there?.parentElement.querySelector(":scope > [aria-haspopup=listbox]") ?? there)?.click(); // a list opens by its button
    if (cell) press(cell);
    end();
  }

  // On paper: the stage with its address and a code of it, until Streamlit's page has replaced it.
  function hearPrinting() {
    const end = endOnPaper(first.querySelector("[data-address]"), told.code);
    window.addEventListener("beforeprint", () => {
      if (!first.isConnected) return;
      end.say();
      asOnPaper(() => tell({ on: true, draw: true, share: 1, inks: dark ? told.inks : [] }));
    });
    window.addEventListener("afterprint", () => {
      if (first.isConnected) tell({ on: false, draw: true });
    });
    return end;
  }

  const rests = said.rests && !STREAMLIT.isGroundChosen(); // only Streamlit has the colours of a chosen ground
  if (platform) hearReaching();
  const paper = platform && hearPrinting();
  if (platform && !rests) {
    document.querySelector("link[rel=preload][as=script]")?.addEventListener("load", fetchPlatform);
    latest = window.setTimeout(begin, LATEST);
  }
  open().catch((problem) => window.console.error(problem)).then((isDrawn) => { if (!rests || !isDrawn) begin(); });
})();
