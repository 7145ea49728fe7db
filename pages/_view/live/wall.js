// The corner of a wall: the way into its class, and how many have done what they are asked; and the same as large as the
// wall, which `keys.js` opens and closes too. When the class has new data, Python draws the page again. While nobody has
// answered, a key shows the truth only at its second press; from a shown truth a key goes back by hiding it first.
/** @param {Part<WallData>} part */
export default function ({ parentElement, data: [data], setTriggerValue }) {
  const EVERY = 700; // ms between two requests
  const PATIENCE = 4000; // ms after which a change is reported again
  const AGAIN = "No answers yet: press again to show.";
  const SHOW = `[data-reveal][data-sets$="=1"]`, HIDE = `[data-reveal][data-sets$="="]`;
  const BACK = "[data-way] a[rel=prev], .st-key-turn_left button, .st-key-lesson_before a";
  const OWN = /^(localhost|.+\.localhost|127\.[\d.]+|0\.0\.0\.0|\[::1?\])$/; // names that phones cannot reach
  const root = parentElement.querySelector("[data-room]");
  const find = (selector) => root.querySelector(selector);
  const join = new URL(data.join, document.baseURI).href;
  const button = find("button"), screen = find("dialog");
  const say = (selector, text) => {
    const node = find(selector);
    if (node.textContent !== text) node.textContent = text;
  };
  const door = new URL(data.door, document.baseURI);
  for (const place of ["room", "join"]) {
    say(`.${place}-door`, `${door.host}${door.pathname}`);
    say(`.${place}-code`, data.code);
    find(`.${place}-door`).style.setProperty("--letters", String(door.host.length + door.pathname.length));
    find(`.${place}-code`).style.setProperty("--letters", String(data.code.length));
  }
  say(".room-count", data.count);
  say(".join-count", data.joined);
  const home = new URL(data.home, document.baseURI).href, last = find("dialog.home");
  say(".home-door", home.replace(/^https?:\/\/|\/$/g, ""));
  find(".home-door").style.setProperty("--letters", String(find(".home-door").textContent.length));
  for (const image of root.querySelectorAll("img")) {
    const at = last.contains(image) ? home : join;
    const drawn = `${data.drawn}?${new URLSearchParams({ at })}`;
    image.alt = `QR code: ${at}`;
    if (image.getAttribute("src") !== drawn) image.src = drawn;
  }
  button.title = join;
  find("a").hidden = !data.lead;
  find("a").href = data.lead;
  button.onclick = () => screen.showModal();
  for (const each of [screen, last]) each.onclick = (event) => event.target.closest("a") || each.close();
  cover("join", screen);
  cover("home", last);
  root.dataset.screen = data.screen;
  // What covers the wall covers all walls of the room, and so does what uncovers it.
  function cover(name, dialog) {
    const before = root.dataset.screen ?? "";
    if (before !== name && data.screen === name && !dialog.open) dialog.showModal();
    if (before === name && data.screen !== name && dialog.open) dialog.close();
    dialog.onclose = () => {
      if (data.screen === name) lab.do("sets", () => lab.page.set("screen=none"));
    };
  }
  if (OWN.test(location.hostname)) warn();
  async function warn() {
    try {
      const answer = await fetch(data.near, { cache: "no-store", signal: AbortSignal.timeout(5000) });
      const found = answer.ok && (await answer.json());
      if (!found) return;
      screen.dataset.warns = "";
      for (const place of [find(".room-away"), find(".join-away")]) place.replaceChildren(found.says, ...found.roots.map(leads));
    } catch {} // it is asked again when the page changes
  }
  function leads(other) {
    const { pathname, search } = location;
    return Object.assign(document.createElement("a"), { href: `${other}${pathname}${search}`, textContent: new URL(other).host });
  }
  const told = { mark: data.mark, at: -Infinity };
  let since = 0; // when a change was first seen
  let isEmpty = false; // phones are there, and none has answered
  const heard = new AbortController();
  root.heard?.abort(); // listeners of an earlier call, which nothing else removes
  root.heard = heard;
  window.addEventListener("click", turned, { capture: true, signal: heard.signal });
  function turned(event) {
    const at = (selector) => event.target.closest?.(selector);
    const hides = !event.isTrusted && at(BACK) && document.querySelector(HIDE); // pressed by a key, through `keys.js`
    if (!root.isConnected || !(hides || (at(SHOW) && isEmpty && root.dataset.asks === undefined))) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (hides) hide(hides);
    else {
      root.dataset.asks = "";
      say(".room-count", AGAIN);
    }
  }
  function hide(link) {
    link.click();
    setTimeout(() => { lab.keys.turning = ""; }); // no lesson follows
  }
  async function look() {
    if (!root.isConnected) return clearInterval(timer); // the page was left, and nothing else stops the timer
    try {
      const answer = await fetch(data.state, { cache: "no-store", signal: AbortSignal.timeout(5000) });
      if (root.timer !== timer) return;
      if ([404, 410].includes(answer.status)) changed("");
      if (!answer.ok) return;
      const state = await answer.json();
      isEmpty = state.empty;
      if (!isEmpty || state.mark !== data.mark) delete root.dataset.asks;
      say(".room-count", root.dataset.asks === undefined ? state.count : AGAIN);
      say(".join-count", state.joined);
      if (state.mark !== data.mark) changed(state.mark);
    } catch {} // the page itself reports that its server is away
  }
  function changed(mark) {
    // While the page changes, a message from the previous one would take the room back there.
    const waits = told.mark !== data.mark;
    const rests = STREAMLIT.isAtRest(document.querySelector(STREAMLIT.app));
    since ||= performance.now();
    // A run that is interrupted has not told the page what was moved, and the page would move it back; a film never rests.
    if (!rests && (waits || performance.now() - since < PATIENCE)) return;
    if (waits && performance.now() - told.at < PATIENCE) return;
    Object.assign(told, { mark, at: performance.now() });
    setTriggerValue("changed", mark);
  }
  clearInterval(root.timer); // of an earlier call; nothing else stops it
  const timer = (root.timer = setInterval(look, EVERY));
  return () => {
    clearInterval(timer);
    heard.abort();
  };
}
