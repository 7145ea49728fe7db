// A slider that pictures follow: they hear where the hand is; Python hears where it has let go.

const CALM = 2; // times as long a stop stays on screen while playing, for visitors who asked for less motion
const LETTER = 0.5; // em of a letter of the text beside the slider
const SILENCE_AFTER_KEY = 300; // ms without a further key before the hand counts as gone
const LOOK = 50; // ms between two looks at whether Python can be told
const LOST = 1500; // ms after which what was told is told again

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
  let at = 0; // the stop that the control stands at; the thumb may still be on its way there
  let known = NaN; // the value that Python and this slider last agreed on
  let told = /** @type {number | null} */ (null); // what the last message to Python was numbered with, until an answer has that number
  let held = false; // a hand is on the slider, or has left it where Python has not been told of
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
    told = Math.random(); // no count: a slider that the platform has made anew must not begin with a number that was used
    tell();
  }

  // While a page is drawn, the platform may lose the end of it over what it is told; and while a link leads away, it
  // would stay on the page that tells it something.
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

  // While the page changes, the platform may have let go of the slider that tells it something.
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
  // Every key press ends with a change event; a held key must not let go at every step.
  slider.addEventListener("change", () => {
    window.clearTimeout(keyTimer);
    if (byKey) keyTimer = window.setTimeout(letGo, SILENCE_AFTER_KEY);
    else letGo();
  });
  // A hand that comes back to where it began changes nothing, and ends without a change event.
  for (const end of ["pointerup", "pointercancel"]) slider.addEventListener(end, letGo);
  slider.addEventListener("blur", () => { if (!playTimer) letGo(); });
  play.addEventListener("click", dial.play);

  // By a key that the page has heard, whatever has the focus.
  function step(by) {
    slider.endGlide?.();
    stopPlaying();
    slider.value = at + by; // no further than its ends
    move();
    window.clearTimeout(keyTimer);
    keyTimer = window.setTimeout(letGo, SILENCE_AFTER_KEY);
  }

  // moved: to another page, where nobody has been told of what was done on the one before.
  /** @param {SliderData} next @param {boolean} moved */
  function receive(next, moved) {
    if (next.heard === told || (moved && next.value === known)) told = null;
    else if (told !== null && (moved || lab.away || next.page !== data.page)) tell(); // what was on its way may be lost
    // An answer to an earlier move says where the slider stood then.
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

  // Each under the middle of the thumb that stands at its stop.
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
    if (root.isConnected) return; // the platform calls this at every change of the data too
    window.clearTimeout(keyTimer);
    window.clearTimeout(answerTimer);
    window.clearInterval(playTimer);
    if (lab.hands[data.name]?.dial === dial) delete lab.hands[data.name];
  }

  return dial;
}
