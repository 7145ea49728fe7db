// The page asks the server regularly if anything has changed, and updates itself; typed text stays. A phone sends its
// forms by script: if one does not arrive, its fields keep the text, and it is sent until it arrives.
(() => {
  const EVERY = 1200; // ms between two requests, plus a random time of up to as much, so that a class does not ask all at once
  const main = document.querySelector("main");
  const away = document.querySelector("#away");
  const [LOST, KEPT] = [away.textContent, "The connection is lost. Your answer is kept here, and sent as soon as it is back."];
  let pending = null; // the form that has not arrived yet
  let turn = 0; // the number of the last answer: older news is ignored
  async function look() {
    const mine = turn;
    try {
      const answer = await fetch(`${main.dataset.news}?seen=${main.dataset.mark}`, { cache: "no-store", signal: AbortSignal.timeout(8000) });
      const text = await answer.text();
      if (mine === turn && [200, 403, 404, 409, 410].includes(answer.status)) show(text); // a closed class explains itself
      else if (mine === turn && answer.status !== 204) throw new Error(answer.statusText);
      away.hidden = !pending;
    } catch {
      lose();
    }
    if (main.dataset.news) setTimeout(look, document.hidden ? 4 * EVERY : EVERY * (0.5 + Math.random()));
  }
  function lose() {
    away.textContent = pending ? KEPT : LOST;
    away.hidden = false;
  }
  function submitted(event) {
    const form = event.target;
    if (main.dataset.keeps === undefined || form.method !== "post") return;
    event.preventDefault();
    const isSending = pending !== null;
    const body = new URLSearchParams();
    new FormData(form).forEach((value, name) => body.append(name, String(value)));
    pending = { place: form.action, body };
    if (!isSending) send();
  }
  async function send() {
    const sent = pending;
    turn++;
    try {
      const answer = await fetch(sent.place, { method: "POST", body: sent.body, signal: AbortSignal.timeout(8000) });
      const text = await answer.text();
      const came = new DOMParser().parseFromString(text, "text/html");
      if (came.querySelector("main")?.dataset.news === undefined) throw new Error(answer.statusText); // from a proxy
      if (pending === sent) pending = null;
      turn++;
      show(text);
      const [foot, now] = [came, document].map((each) => each.querySelector("footer"));
      if (foot && now) now.querySelector("p").textContent = foot.querySelector("p").textContent; // the number
      away.hidden = true;
      if (main.dataset.again) setTimeout(again, EVERY * (0.5 + Math.random()));
    } catch {
      lose();
    }
    if (pending) setTimeout(send, EVERY * (0.5 + Math.random()));
  }
  function show(text) {
    const next = new DOMParser().parseFromString(text, "text/html").querySelector("main");
    const fields = () => [...main.querySelectorAll("input:not([type=hidden])")];
    const typed = next.dataset.asked === main.dataset.asked ? fields() : [];
    put([...next.childNodes]);
    Object.assign(main.dataset, { news: "", mark: "", again: "", ...next.dataset });
    for (const field of fields()) {
      const before = typed.find((each) => each.name === field.name && (each.type !== "radio" || each.value === field.value));
      if (before) Object.assign(field, { value: before.value, checked: before.checked });
    }
  }
  // Unchanged nodes stay in place, with the focus, a button being pressed and an open list.
  function put(nodes) {
    let at = main.firstChild;
    for (const node of nodes) {
      let same = at;
      while (same && !isSame(same, node)) same = same.nextSibling;
      if (!same) main.insertBefore(node, at);
      else at = clear(at, same).nextSibling;
    }
    clear(at, null);
  }
  function clear(at, end) {
    while (at !== end) {
      const next = at.nextSibling;
      at.remove();
      at = next;
    }
    return end;
  }
  function isSame(node, other) {
    const closed = node.cloneNode(true);
    closed.removeAttribute?.("open");
    return closed.isEqualNode(other);
  }
  // A form that the server was too busy for is sent again, with the current text of its fields.
  function again() {
    const form = [...document.forms].find((each) => new FormData(each).get("do") === main.dataset.again);
    form?.requestSubmit();
  }
  if (main.dataset.again) setTimeout(again, EVERY * (0.5 + Math.random()));
  main.addEventListener("submit", submitted);
  setTimeout(look, EVERY);
})();
