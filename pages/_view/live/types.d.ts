// What the scripts say to each other and hear from Python: for the type check (`.ci/scripts.py`), never shipped.

/** What the scripts of a page know of each other: `window.lab`. */
interface Lab {
  /** Act, and once more after a lost connection if the server has said nothing since. By `lasting.js`, for all who tell Python something. */
  do(name: unknown, act: () => void): void;
  /** The sliders by the names of their controls. By `slider.js`, for what follows them. */
  hands: Record<string, Hand>;
  /** Whether a link leads away. By `frame.js`, for `slider.js`. */
  leaves(): boolean;
  /** The functions of the components that stand on the stage. By `first.py`, for `stage.js`. */
  parts: Record<string, (part: Partial<Part<any>>) => unknown>;
  /** What the page is; none before the platform has drawn one. By `frame.js`. */
  page: Page;
  /** Whether the connection is lost. By `lasting.js`, for `slider.js`. */
  away?: boolean;
  /** Let the connection go, and have another one if it was let go. By `lasting.js`, for `hidden.js`. */
  sleep(): void;
  wake(): void;
  /** The stage, until the platform has taken it over. By `stage.js`, for `taken.js` and `picture.js`. */
  stage?: Stage;
  /** The values between the stops of the hero, and the hero that is on the page. By `between.js`, `stage.js` and `hero.js`. */
  between?: HeroData;
  hero?: { sheet(): SVGElement; between(): void };
  /** Whether a link to another step was followed, whose line is not heard yet. By `frame.js`, for itself. */
  turned?: boolean;
  /** What is to be done when the address has changed. By `paper.js`, for `frame.js`. */
  addressed?(): void;
  /** Plotly, on its way or here; what its script calls where Python brings it; the functions that it keeps to itself. By `picture.js` and `bundle.py`. */
  plotly?: Promise<any>;
  bundle(): void;
  plotlyParts: Record<"doCalcdata" | "drawData" | "drawMainTitle" | "doTicksRelayout", (plot: HTMLElement) => void>;
  /** The lesson from which a key leads away, and the key that is held. By `keys.js`, for itself. */
  keys: { turning: string; taken: string; arrive(lesson: string): void };
  /** The curve that was drawn for a bet. By `drawing.js`, for `bet.js`. */
  drawn: number[] | null;
  /** Whether the page hears what the stage's plain elements say. By `bet.js`, for itself. */
  hears?: boolean;
  /** Set by tests: how far away a picture is drawn, in px; how long the stage waits for the lesson, in ms. */
  near?: number;
  patience?: number;
}

interface Window {
  lab: Lab;
  Plotly: any;
  __streamlit: object;
}

/** What a component is called with: by the platform, or by `stage.js`. */
interface Part<Data> {
  parentElement: HTMLElement;
  data: [Data];
  setTriggerValue(name: string, value: unknown): void;
  onStage?: boolean;
}

/** Where the hand is on a slider: what the event `HAND` says. */
interface Hand {
  name: string;
  large: boolean;
  value: number;
  held: boolean;
  playing: boolean;
  dial: Dial;
}

interface Dial {
  tell: Part<SliderData>["setTriggerValue"];
  /** Whether Python answers what it is told. */
  isAnswered: boolean;
  receive(next: SliderData, moved: boolean): void;
  leave(): void;
  step(by: number): void;
  plays(): boolean;
  play(): void;
}

/** What the event `PAPER` says. share: of a plot's height. inks: see `PaperData`. */
interface Paper {
  on: boolean;
  draw?: boolean;
  share?: number;
  inks?: PaperData["inks"];
}

interface Page {
  session: string;
  question: string;
  line: string;
  own: string[];
  /** Whether a class looks at it, or it follows one: a wall. */
  follows: boolean;
  /** Ask Python for another step; tell it what a link sets, and what was bet. */
  turn(step: string): void;
  set(sets: string): void;
  bet(guess: string): void;
  ask(what: "draw" | "bundle"): void;
  /** Whether the window is as large as Python takes it to be. */
  fits(): boolean;
  forget(): void;
}

/** A component of the platform whose nodes are still on the stage. */
interface Waiting {
  parentElement: HTMLElement;
  name: string;
  nodes: string[];
  mount(nodes: any[], moved: boolean): () => void;
  leave?(): void;
}

interface Stage {
  over: Promise<void>;
  /** What is left out of an address that is shared. */
  own: string[];
  /** Fetch the platform, once. */
  begin(): void;
  has(name: string): boolean;
  wait(part: Waiting): () => unknown;
}

// --- what Python says to each component ---------------------------------------------------------------

/** `Stage.slider`, and a dial. heard: the number of the last message that Python has answered. */
interface SliderData {
  name: string;
  page: string;
  value: number;
  stops: number[];
  /** The text of each stop. */
  shown: string[];
  /** The place of a stop, its name under the track, and whether a short track has room for it. */
  ticks: [number, string, boolean][];
  label: string;
  /** ms that a stop stays while playing, 0 without a button. */
  play: number;
  large?: boolean;
  heard?: number | null;
}

/** What `moving/X` answers: `Picture.drawn`. */
interface Drawn {
  /** As JSON. */
  figure?: string;
  height: number;
  /** The height of its plot. */
  plot: number;
  /** The same with the layout of a phone. */
  narrow: { height: number; plot: number };
  sentence: string;
  alt: string;
  marks: Mark[];
}

/** `Stage.payload`. values: the places of the sliders that it belongs to. usual: where they stand if nothing is said. */
interface PictureData extends Drawn {
  key: string;
  values: Values | null;
  usual: Values;
  address: string;
  main: boolean;
  /** The least share of its plot's height. */
  least: number;
  /** Empty where the visitor draws nothing. */
  drawing: Partial<Drawing>;
  config: object;
  bundle: string;
  bare: boolean;
}

type Values = Record<string, any>;

/** `marks.found`. curves: the places of its traces. */
interface Mark {
  word: string;
  before: string;
  curves: number[];
  points: number[] | null;
  colour: string;
  ink: string;
  line: string;
}

/** `Stage._drawing`. at: the places of the points. */
interface Drawing {
  panel: string;
  at: number[];
  reach: [number, number];
  span: [number, number];
  labels: string[];
  style: { colour: string; width: number; size: number };
}

/** A picture on the page, with what `picture.js` keeps there. */
interface PictureNode extends HTMLElement {
  firstElementChild: HTMLElement & Plot;
  tell: Part<PictureData>["setTriggerValue"];
  given: PictureData;
  sentence: HTMLElement;
  marks: Mark[];
  /** The figure that it shows, as it came, and as it is read; the one that Plotly has drawn without a mark lit. */
  figure?: string;
  parsed: Figure;
  drawn: Figure | null;
  /** Where the sliders stand that it shows. */
  shown: Values | null;
  /** Whether another step's picture is on it. */
  moves: boolean;
  /** Whether it was drawn by `drawQuickly`. */
  quick: boolean;
  height: number;
  drawnAt: string;
  lit: number | null;
  near?: Promise<void>;
  /** Whether a picture is on its way. */
  waiting: boolean;
  printed: boolean;
  inks?: PaperData["inks"];
  curve?: { receive(next: Drawing): void; leave(): void };
  watched: ResizeObserver;
  onHand: any;
  onPaper: any;
}

interface Figure {
  data: Trace[];
  layout: any;
  /** Entries of the layout for a phone. By Python; `parsed` has them in its layout. */
  narrow?: any;
}

type Trace = any;

/** What Plotly keeps of a figure: as it was given, and completed. */
interface Plot {
  data: Trace[];
  layout: any;
  _fullData: Trace[];
  _fullLayout: any;
}

/** `start.figures.payload`. */
interface HeroData {
  mode: string;
  style: Record<string, string>;
  /** Of the columns: in full, and for a narrow window. */
  headings: Record<string, [string, string]>;
  stops: { d_k: number; title: string; sentence: string; marks: Mark[] }[];
  scoreAxis: { low: number; high: number; ticks: number[]; labels: string[] };
  weightAxis: { levels: [number, string][]; names: string[] };
  bins: { first: number; width: number };
  heights: number[][];
  law: number[][];
  raw: HeroSide;
  scaled: HeroSide;
  /** The sizes in px and the type, by `hero.js`. */
  sizes: Record<string, number>;
  font: string;
}

/** top: the place of the largest weight. largest: the words at its mean, from the longest to the shortest. */
interface HeroSide {
  name: string;
  alt: string;
  weightAlt: string;
  unit: number[];
  spread: string[];
  weights: number[][];
  top: number[];
  mean: number[];
  largest: string[][];
}

/** `components.mend_browser`. wall: the least width of one, in px. */
interface FrameData {
  bundle: string;
  session: string;
  question: string;
  line: string;
  own: string[];
  follows: boolean;
  asksForWall: boolean;
  small: boolean;
  wall: number;
}

/** `components.hear_keys`. */
interface KeysData {
  lesson: string;
}

/** `components.prepare_paper`. inks: the colours of the pictures and what they are on paper, the ground first. */
interface PaperData {
  code: string;
  inks: [string, string][];
}

/** `components.draw_room`. */
interface WallData {
  mark: string;
  count: string;
  joined: string;
  code: string;
  join: string;
  door: string;
  state: string;
  near: string;
  lead: string;
  drawn: string;
  home: string;
  screen: string;
}

/** `components.draw_saving`. */
interface SavingData {
  name: string;
  keys: string[];
  sentence: string;
}

// --- the browser --------------------------------------------------------------------------------------

// What a selector finds and what an event comes from is taken for what is looked for.
interface ParentNode {
  querySelector(selector: string): any;
  querySelectorAll(selector: string): NodeListOf<any>;
}
interface Element {
  closest(selector: string): any;
}
interface Document {
  getElementById(id: string): any;
  readonly activeElement: any;
}
type Heard = "click" | "input" | "submit" | "keydown" | "pointerdown" | "pointermove" | "pointerup" | "toggle";
interface Window {
  addEventListener(name: Heard, act: (event: any) => void, options?: boolean): void;
}
interface Document {
  addEventListener(name: Heard, act: (event: any) => void, options?: boolean): void;
}
interface WindowEventMap {
  "lab:hand": CustomEvent<Hand>;
  "lab:paper": CustomEvent<Paper>;
}

// What an older TypeScript, such as Debian's, does not know of a browser.
interface Array<T> {
  findLast(test: (each: T, place: number) => unknown): T | undefined;
  findLastIndex(test: (each: T, place: number) => unknown): number;
}
interface Function {
  timeout(ms: number): AbortSignal; // of AbortSignal
}
