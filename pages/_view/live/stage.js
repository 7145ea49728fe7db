// The stage before the platform: slider and picture of the lesson at this address, which work without a session. They
// move into the platform's page once it has drawn the lesson. The platform's scripts come after the first picture.
(() => {
  const LOOK = 50; // ms between two looks at what the platform has drawn
  const STILL = 3; // looks that have found it drawn
  const LONGEST = 8000; // ms for all of the lesson after the first piece of it
  const PLACE = "[data-picture], .st-key-ask_main"; // of a picture, or of what waits for a button
  const LATEST = 10000; // ms until the platform is asked for, if there is no picture by then

  const first = document.getElementById("lab-first");
  const said = JSON.parse(document.getElementById("lab-told").textContent);
  const told = first.matches(".small") ? { ...said, ...said.small } : said;
  const platform = document.getElementById("lab-platform");
  const hero = first.querySelector("[data-hero-host]")?.shadowRoot;
  const dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
  if (told.picture) told.picture.address = entryAt(told.picture, { ground: dark ? "dark" : "light" });
  const slider = told.slider && { [told.slider.name]: first };
  const parents = { ...slider, picture: told.picture && !hero && first, hero };
  const waiting = new Set(); // the platform's own parts; of one name it may make several, of which the last may go again
  const partOf = (name) => [...waiting].findLast((part) => part.name === name && part.parentElement.isConnected);

  lab.hears ??= hearStage();
  let end = () => {};
  lab.stage = {
    over: new Promise((resolve) => { end = resolve; }),
    has: (name) => Boolean(parents[name]),
    wait(part) {
      waiting.add(part);
      return () => (part.leave ? part.leave() : waiting.delete(part));
    },
  };

  // Who goes on before there is anyone to tell takes the slider along: to a step, and d_k to the next lesson. What a try
  // has set out of sight ends with its step: the link says no more of it.
  for (const link of first.querySelectorAll("[data-way] a[href]")) {
    link.addEventListener("click", () => {
      const [here, place] = [new URL(location.href), new URL(link.href)];
      for (const name of link.dataset.lesson ? ["d_k"] : ["d_k", told.slider?.name ?? "d_k"]) {
        const at = here.searchParams.get(name);
        if (at) place.searchParams.set(name, at);
        else place.searchParams.delete(name);
      }
      link.href = place.href;
    });
  }

  // Where the slider was let go before there is anyone to tell: the platform's first run reads it in the address.
  function keepInAddress(_name, { at }) {
    const link = new URL(location.href);
    if (at === told.slider.usual) link.searchParams.delete(told.slider.name);
    else link.searchParams.set(told.slider.name, at);
    history.replaceState(history.state, "", link);
  }

  async function open() {
    const asked = told.picture && pictureAt(told.picture);
    const onStage = true;
    if (told.slider) lab.parts.slider({ parentElement: first, data: [told.slider], setTriggerValue: keepInAddress, onStage });
    if (parents.picture) await drawPicture(asked, onStage);
    else if (hero) await drawHero(asked, onStage);
  }

  async function pictureAt(picture) {
    const asked = fetch(entryAt(picture, picture.values), /** @type {object} */ ({ priority: "high" }));
    const answer = await asked.catch(() => null);
    return answer?.status === 200 ? answer.json() : null;
  }

  async function drawHero(asked, onStage) {
    const drawn = await asked;
    if (!drawn || !first.isConnected) return;
    lab.between = drawn.between;
    lab.parts.hero({ parentElement: hero, data: [drawn.stops], onStage });
    hero.host.style.minHeight = ""; // it has its own height now
  }

  async function drawPicture(asked, onStage) {
    const picture = first.querySelector("[data-picture]");
    const draw = (more) => lab.parts.picture({ parentElement: first, data: [{ ...told.picture, ...more }], onStage });
    draw({}); // the sentence, and the place
    const drawn = await asked;
    if (!drawn || !first.isConnected) return; // the platform was quicker
    const painted = new Promise((resolve) => new MutationObserver(resolve).observe(picture, { attributeFilter: ["data-value"] }));
    draw(drawn);
    await painted;
  }

  // What the platform loads first comes while the script of the pictures, which is there by then, is being read.
  function fetchPlatform() {
    document.head.append(...platform.content.querySelectorAll("link:not([data-further])"));
  }

  function begin() {
    window.clearTimeout(latest);
    if (!platform?.content.firstChild) return;
    for (const script of platform.content.querySelectorAll("script")) script.addEventListener("error", sayMissing);
    document.head.append(platform.content);
    STREAMLIT.tellServer();
  }

  function sayMissing() {
    first.querySelector("[role=alert]").textContent = told.missing;
  }

  // The platform's page takes the place of what was there before it, once it is drawn and no hand is on the slider.
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
    const at = document.activeElement;
    const focused = first.contains(at) ? (at.shadowRoot?.activeElement ?? at) : null;
    delete lab.stage;
    const parts = Object.keys(parents).map(partOf).filter(Boolean);
    for (const part of parts) {
      part.moved = part.nodes.map((selector) => parents[part.name].querySelector(selector));
      part.nodes.forEach((selector, i) => part.parentElement.querySelector(selector).replaceWith(part.moved[i]));
    }
    const form = first.querySelector("[data-bet]"); // with the answer that was chosen meanwhile
    if (form) app.querySelector("[data-bet]")?.replaceWith(form);
    app.querySelector(STREAMLIT.main).scrollTop = first.scrollTop;
    first.remove();
    for (const part of parts) part.leave = part.mount(part.moved, true);
    if (focused?.isConnected) focused.focus({ preventScroll: true });
    end();
  }

  if (platform) document.querySelector("link[rel=preload][as=script]")?.addEventListener("load", fetchPlatform);
  const timer = platform ? window.setInterval(look, LOOK) : 0;
  const latest = window.setTimeout(begin, LATEST);
  open().catch((problem) => window.console.error(problem)).finally(begin);
})();
