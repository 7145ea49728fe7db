// The corner of a wall: how to come into its room, and how many have done what they are asked. When what the room shows
// has changed, Python draws the page anew.
/** @param {Part<WallData>} part */
export default function ({ parentElement, data: [data], setTriggerValue }) {
  const EVERY = 700; // ms between two questions
  const PATIENCE = 4000; // ms after which a change is told again
  const root = parentElement.querySelector("[data-room]");
  const find = (selector) => root.querySelector(selector);
  const join = new URL(data.join, document.baseURI).href;
  const button = find("button");
  const say = (selector, text) => {
    const node = find(selector);
    if (node.textContent !== text) node.textContent = text;
  };
  const door = new URL(data.door, document.baseURI);
  say(".room-door", `${door.host}${door.pathname}`);
  say(".room-code", data.code);
  say(".room-count", data.count);
  find("img").alt = `QR code: ${join}`;
  const drawn = `${data.drawn}?${new URLSearchParams({ at: join })}`;
  if (find("img").getAttribute("src") !== drawn) find("img").src = drawn;
  button.title = join;
  find("a").hidden = !data.lead;
  find("a").href = data.lead;
  button.onclick = () => button.setAttribute("aria-pressed", String(button.getAttribute("aria-pressed") === "false"));
  const told = { mark: data.mark, at: -Infinity };
  async function look() {
    if (!root.isConnected) return clearInterval(timer); // of a page that was left, which nobody ends
    try {
      const answer = await fetch(data.state, { cache: "no-store", signal: AbortSignal.timeout(5000) });
      if (root.timer !== timer) return;
      if ([404, 410].includes(answer.status)) changed("");
      if (!answer.ok) return;
      const state = await answer.json();
      say(".room-count", state.count);
      if (state.mark !== data.mark) changed(state.mark);
    } catch {} // the page says by itself that its server is away
  }
  function changed(mark) {
    // While the page changes, a message from the one before would take the room back to where that was.
    const waits = told.mark !== data.mark;
    if (waits && (performance.now() - told.at < PATIENCE || !STREAMLIT.isAtRest(document.querySelector(STREAMLIT.app)))) return;
    Object.assign(told, { mark, at: performance.now() });
    setTriggerValue("changed", mark);
  }
  clearInterval(root.timer); // of the data before, which nobody ends
  const timer = (root.timer = setInterval(look, EVERY));
  return () => clearInterval(timer);
}
