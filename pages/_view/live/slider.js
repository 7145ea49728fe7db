// A slider that pictures follow: they get each value during a drag, Python only the one at its release.

const CALM = 2; // factor of the time per stop while ▶ plays, for visitors who prefer less motion
const LETTER = 0.5; // em: width of a letter of the text beside the slider
const SILENCE_AFTER_KEY = 300; // ms without a further key before it counts as released
const LOOK = 50; // ms between two checks if Python can take a message
const LOST = 1500; // ms after which a message is sent again

/** @param {Part<SliderData>} part */
export default function ({ parentElement, data: [data], setTriggerValue, onStage }) {
  return onceShown({ parentElement, name: data.name, nodes: ["[data-slider]"], onStage }, ([root], moved) => {
    root.dial ??= makeDial(root);
    Object.assign(root.dial, { tell: setTriggerValue, isAnswered: !onStage });
    root.dial.receive(data, moved);
    return () => root.dial.leave();
  });
}

function makeDial(root) {
  const slider = root.querySelector("input");
  const value = root.querySelector(".value");
  const play = root.querySelector(".play");
  const ticks = root.querySelector(".ticks");
  /** @type {Dial} */
  const dial = { tell: () => {}, isAnswered: false, receive, leave, step, plays: () => Boolean(data.play), play: () => (playTimer ? pause() : start()) };

  /** @type {SliderData} */
  let data;
  let at = 0; // the stop of the control; the thumb may still be on its way
  let known = NaN; // the value that Python and this slider last agreed on
  let told = /** @type {number | null} */ (null); // the number of the last message to Python, until an answer has that number
  let held = false; // the slider is held, or was released at a value that Python does not have yet
  let byKey = false;
  let keyTimer = 0;
  let playTimer = 0;
  let answerTimer = 0;

  const here = () => data.stops[at];

  function show() {
    const text = data.shown[at];
    value.textContent = text;
    slider.setAttribute("aria-valuetext", text.replace("dₖ", "d_k"));
    const hand = { name: data.name, large: Boolean(data.large), value: here(), held, playing: playTimer !== 0, dial };
    lab.hands[data.name] = hand; // for a picture that comes later
    window.dispatchEvent(new CustomEvent(HAND, { detail: hand }));
  }

  function move() {
    at = Math.round(slider.valueAsNumber);
    held = true;
    show();
  }

  function letGo() {
    window.clearTimeout(keyTimer);
    if (!held) return;
    held = false;
    show();
    if (here() === known) return;
    known = here();
    told = Math.random(); // no counter: a slider that Streamlit has mounted again must not repeat a number
    tell();
  }

  // Streamlit aborts a running script when a message arrives, so wait until the page is drawn. And while a link leads away,
  // a message would keep Streamlit on this page.
  const mayTell = () => !dial.isAnswered || (!lab.leaves() && STREAMLIT.isAtRest(document.querySelector(STREAMLIT.app)));

  function tell() {
    window.clearTimeout(answerTimer);
    if (told === null) return; // answered meanwhile
    if (!mayTell()) {
      answerTimer = window.setTimeout(tell, LOOK);
      return;
    }
    const message = { at: known, number: told };
    lab.do(`release ${data.name}`, () => dial.tell("release", message));
    if (dial.isAnswered) answerTimer = window.setTimeout(tellAgain, LOST);
  }

  // While the page changes, Streamlit may have dropped the slider that sends a message.
  function tellAgain() {
    if (root.isConnected) tell();
  }

  function showPlaying(on) {
    play.setAttribute("aria-label", on ? "Pause" : "Play");
    play.setAttribute("aria-pressed", String(on));
  }

  function pause() {
    stopPlaying();
    letGo();
  }

  function start() {
    const last = data.stops.length - 1;
    slider.endGlide?.();
    if (slider.valueAsNumber === last) slider.value = 0;
    const calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    showPlaying(true);
    move();
    playTimer = window.setInterval(() => {
      slider.value = slider.valueAsNumber + 1;
      move();
      if (slider.valueAsNumber === last) pause();
    }, calm ? CALM * data.play : data.play);
  }

  function stopPlaying() {
    if (!playTimer) return;
    window.clearInterval(playTimer);
    playTimer = 0;
    showPlaying(false);
  }

  for (const [begin, isKey] of Object.entries({ keydown: true, pointerdown: false })) {
    slider.addEventListener(begin, () => {
      byKey = isKey;
      slider.endGlide?.();
    });
  }
  slider.addEventListener("input", () => {
    window.clearTimeout(keyTimer);
    stopPlaying();
    move();
  });
  // Every key press ends with a change event; a held key must not count as a release at every step.
  slider.addEventListener("change", () => {
    window.clearTimeout(keyTimer);
    if (byKey) keyTimer = window.setTimeout(letGo, SILENCE_AFTER_KEY);
    else letGo();
  });
  // A drag back to its start changes nothing, and ends without a change event.
  for (const end of ["pointerup", "pointercancel"]) slider.addEventListener(end, letGo);
  slider.addEventListener("blur", () => { if (!playTimer) letGo(); });
  play.addEventListener("click", dial.play);

  // Moves the slider by some stops, for a key of the page, which works whatever has the focus.
  function step(by) {
    slider.endGlide?.();
    stopPlaying();
    slider.value = at + by; // no further than its ends
    move();
    window.clearTimeout(keyTimer);
    keyTimer = window.setTimeout(letGo, SILENCE_AFTER_KEY);
  }

  // moved: to another page, where Python does not have the values set on the previous one.
  /** @param {SliderData} next @param {boolean} moved */
  function receive(next, moved) {
    if (next.heard === told || (moved && next.value === known)) told = null;
    else if (told !== null && (moved || lab.away || next.page !== data.page)) tell(); // a message on its way may be lost
    // An answer to an earlier move has the slider's earlier value.
    const mine = data && (held || told !== null || lab.away) ? here() : null;
    data = next;
    if (mine === null) known = data.value;
    const first = !slider.hasAttribute("aria-label");
    slider.max = data.stops.length - 1;
    at = Math.max(0, data.stops.indexOf(mine ?? data.value));
    if (first) slider.value = at;
    else glide(slider, at);
    slider.setAttribute("aria-label", data.label);
    nameTicks();
    value.style.minWidth = `${LETTER * Math.max(...data.shown.map((text) => text.length))}em`;
    play.hidden = !data.play;
    showPlaying(playTimer !== 0);
    show();
  }

  // Each name is under the middle of the thumb at its stop.
  function nameTicks() {
    ticks.replaceChildren(...data.ticks.map(([place, text, isMain]) => {
      const tick = document.createElement("span");
      tick.textContent = text;
      tick.style.setProperty("--at", String(place / (data.stops.length - 1)));
      if (!isMain) tick.dataset.minor = "";
      return tick;
    }));
  }

  function leave() {
    if (root.isConnected) return; // Streamlit calls this at every change of the data too
    window.clearTimeout(keyTimer);
    window.clearTimeout(answerTimer);
    window.clearInterval(playTimer);
    if (lab.hands[data.name]?.dial === dial) delete lab.hands[data.name];
  }

  return dial;
}
