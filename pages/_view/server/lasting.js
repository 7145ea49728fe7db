// The page outlives its connection. If Streamlit noticed a loss, it would switch the controls off, grey the page and cover
// it with a dialog. So it gets no notice of it once a lesson is drawn: a line reports the loss, another connection replaces
// it, the page is drawn with the controls' current values, and acts made meanwhile are sent. A connection that the page
// itself has closed is replaced in the same way, see `hidden.js`; no line reports that.
(() => {
  const FIRST = 250; // ms before an attempt, more or less; the next one waits twice as long
  const LONGEST = 3000;
  const PATIENCE = 5000; // ms for the server to answer
  const LOOK = 100; // ms between two checks if the page is at rest
  const SILENCE = 500; // ms before the line is shown: the visitor may only be leaving the page
  // The line stands where it covers no words and nothing to press: as low as there is room, and as far to the left.
  const APART = 8; // px between the line and the edges of the window
  const PRESSED = "a, button, input, select, summary";
  const BUTTONS = `${STREAMLIT.buttons}, ${STREAMLIT.links}`;

  const Socket = window.WebSocket;
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const atRest = () => STREAMLIT.isAtRest(document.querySelector(STREAMLIT.app));

  const line = document.createElement("p");
  line.id = "lab-away";
  line.setAttribute("role", "status");
  document.body.append(line);

  const ASIDE = 500; // ms between two checks if words have come under the line
  let asides = 0;
  function say(text) {
    line.textContent = text;
    clearInterval(asides);
    if (!text) return;
    stepAside();
    asides = setInterval(stepAside, ASIDE);
  }
  function stepAside() {
    const seen = taken(), { offsetWidth: width, offsetHeight: height } = line;
    let least = Infinity, best = [APART, innerHeight - APART - height];
    for (const [left, top] of places(width, height)) {
      const mine = new DOMRect(left, top, width, height);
      const covered = seen.reduce((sum, each) => sum + overlap(mine, each), 0);
      if (covered < least) [least, best] = [covered, [left, top]];
      if (!covered) break;
    }
    line.style.inset = `${best[1]}px auto auto ${best[0]}px`;
  }
  function* places(width, height) {
    for (let top = innerHeight - APART - height; top >= 0; top -= height / 4) {
      for (let left = APART; left + width <= innerWidth - APART; left += width / 4) yield [left, top];
    }
  }
  function overlap(one, other) {
    const width = Math.min(one.right, other.right) - Math.max(one.left, other.left);
    const height = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
    return Math.max(width, 0) * Math.max(height, 0);
  }
  // The boxes of all words on the page, and of what is pressed.
  function taken() {
    const isSeen = (element) => element && !line.contains(element) && element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
    const boxes = [...document.querySelectorAll(PRESSED)].filter(isSeen).map((each) => each.getBoundingClientRect());
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    while (texts.nextNode()) {
      const { currentNode: text } = texts;
      if (!text.nodeValue?.trim() || !isSeen(text.parentElement)) continue;
      range.selectNodeContents(text);
      boxes.push(...range.getClientRects());
    }
    return boxes;
  }

  // What leaves no trace in a control is kept until the server has said something after it.
  const acts = new Map();

  function keep(name, act) {
    acts.delete(name);
    acts.set(name, act);
  }

  lab.do = (name, act) => {
    keep(name, act);
    if (lab.away) lab.wake();
    else act();
  };

  let last = /** @type {Lasting | null} */ (null);
  lab.sleep = () => last?.sleep();
  lab.wake = () => last?.wake();

  window.addEventListener("click", (event) => {
    const button = event.target.closest?.(BUTTONS);
    if (!button || !event.isTrusted) return;
    keep(button, () => button.click());
    if (!lab.away) return;
    lab.wake();
    event.preventDefault();
    event.stopImmediatePropagation();
  }, true);

  class Lasting extends EventTarget {
    socket = /** @type {WebSocket | null} */ (null);
    wait = FIRST;
    others = [];
    missed = false; // a run was asked for while the connection was lost
    heard = false; // the server has sent something
    asking = false; // the next message goes out at once
    closing = false;
    sleeps = false; // closed by the page itself, until somebody reaches for it

    constructor(url, protocols) {
      super();
      this.url = url;
      this.protocols = protocols;
      last = this;
      this.connect(protocols);
      window.addEventListener("offline", () => this.lose());
    }

    get readyState() {
      return lab.away ? Socket.OPEN : this.socket?.readyState;
    }

    connect(protocols) {
      const socket = new Socket(this.url, protocols);
      socket.binaryType = "arraybuffer";
      const on = (kind, then) => socket.addEventListener(kind, (event) => socket === this.socket && then(event));
      const pass = (event) => this.dispatchEvent(new event.constructor(event.type, event));
      on("open", (event) => (lab.away ? this.comeBack() : pass(event)));
      on("message", (event) => {
        this.heard = true;
        if (!lab.away) acts.clear();
        pass(event);
      });
      on("error", (event) => this.lasts() || pass(event));
      on("close", (event) => (this.lasts() ? this.lose() : pass(event)));
      this.socket = socket;
    }

    lasts() {
      return lab.page && !this.closing;
    }

    close() {
      this.closing = true;
      this.socket?.close();
    }

    send(message) {
      if (!lab.away || this.asking) this.socket?.send(lab.page ? STREAMLIT.ofSession(message, lab.page.session) : message);
      else if (STREAMLIT.asksForRun(message)) this.missed = true;
      else this.others.push(message);
      this.asking = false;
      if (!document.hidden) this.wake();
    }

    async lose() {
      if (!this.lasts() || !this.socket) return;
      this.leave();
      this.sayLater();
      do {
        await pause(this.wait * (0.5 + Math.random()));
        this.wait = Math.min(2 * this.wait, LONGEST);
      } while (!(await this.serverAnswers()));
      this.connect(STREAMLIT.protocolsOf(this.protocols, lab.page.session));
    }

    leave() {
      this.socket?.close();
      this.socket = null;
      lab.away = true;
    }

    sayLater() {
      setTimeout(() => { if (lab.away) say("Reconnecting…"); }, SILENCE);
    }

    sleep() {
      if (!this.lasts() || lab.away) return;
      this.leave();
      this.sleeps = true;
    }

    wake() {
      if (!this.sleeps) return;
      this.sleeps = false;
      this.sayLater();
      this.connect(STREAMLIT.protocolsOf(this.protocols, lab.page.session));
    }

    serverAnswers() {
      const options = /** @type {RequestInit} */ ({ cache: "no-store", signal: AbortSignal.timeout(PATIENCE) });
      return fetch(STREAMLIT.healthOf(this.url), options).then((answer) => answer.ok, () => false);
    }

    // A server that has just started knows no part of the page, and must draw it before a part can be requested.
    async comeBack() {
      const { socket } = this;
      do {
        Object.assign(this, { missed: false, heard: false, asking: true });
        lab.page.ask("draw");
        await this.rest();
        if (socket !== this.socket) return; // lost again
      } while (this.missed);
      this.wait = FIRST;
      lab.away = false;
      for (const message of this.others.splice(0)) this.send(message);
      for (const [name, act] of [...acts]) {
        lab.do(name, act);
        await this.rest();
      }
      if (!lab.away) say("");
    }

    async rest() {
      const { socket } = this;
      for (let looks = 0; looks < 2 && socket === this.socket; looks = this.heard && atRest() ? looks + 1 : 0) {
        await pause(LOOK);
      }
    }
  }

  window.WebSocket = /** @type {any} */ (Lasting);
})();
