// The messages between the scripts, and from Python: for the type check (`.ci/scripts.py`), never shipped.

/** The state that the scripts of a page share: `window.lab`. */
interface Lab {
  /** Act; act again after a lost connection if the server has sent nothing since. By `lasting.js`, for whatever sends to Python. */
  do(name: unknown, act: () => void): void;
  /** The sliders by the names of their controls. By `slider.js`, for all that follow them. */
  hands: Record<string, Hand>;
  /** True while a link leads away. By `frame.js`, for `slider.js`. */
  leaves(): boolean;
  /** The functions of the components on the stage. By `first.py`, for `stage.js`. */
  parts: Record<string, (part: Partial<Part<any>>) => unknown>;
  /** The state of the page; none before Streamlit has drawn one. By `frame.js`. */
  page: Page;
  /** True while the connection is lost. By `lasting.js`, for `slider.js`. */
  away?: boolean;
  /** Close the connection, or open another one. By `lasting.js`, for `hidden.js`. */
  sleep(): void;
  wake(): void;
  /** The stage, until Streamlit has taken it over. By `stage.js`, for `taken.js` and `picture.js`. */
  stage?: Stage;
  /** The values between the stops of the hero, and the hero that is on the page. By `between.js`, `stage.js` and `hero.js`. */
  between?: HeroData;
  hero?: { sheet(): SVGElement; between(): void };
  /** True after a link to another step, until its line has the focus. By `frame.js`, for itself. */
  turned?: boolean;
  /** The action for when the address has changed. By `paper.js`, for `frame.js`. */
  addressed?(): void;
  /** Plotly, being fetched or here; a callback for when Python brings it; its private functions. By `picture.js` and `bundle.py`. */
  plotly?: Promise<any>;
  bundle(): void;
  plotlyParts: Record<"doCalcdata" | "drawData" | "drawMainTitle" | "doTicksRelayout", (plot: HTMLElement) => void>;
  /** The lesson that a key leads away from, and the held key. By `keys.js`, for itself. */
  keys: { turning: string; taken: string; arrive(lesson: string): void };
  /** The curve drawn for a bet. By `drawing.js`, for `bet.js`. */
  drawn: number[] | null;
  /** True if the page listens to the stage's plain elements. By `bet.js`, for itself. */
  hears?: boolean;
  /** Set by tests: the distance at which a picture is drawn, in px; how long the stage waits for the lesson, in ms. */
  near?: number;
  patience?: number;
}

interface Window {
  lab: Lab;
  Plotly: any;
  __streamlit: object;
}

/** The argument with which Streamlit or `stage.js` calls a component. */
interface Part<Data> {
  parentElement: HTMLElement;
  data: [Data];
  setTriggerValue(name: string, value: unknown): void;
  onStage?: boolean;
}

/** The value of a slider: the detail of the event `HAND`. */
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
  /** True if Python answers its messages. */
  isAnswered: boolean;
  receive(next: SliderData, moved: boolean): void;
  leave(): void;
  step(by: number): void;
  plays(): boolean;
  play(): void;
}

/** The detail of the event `PAPER`. share: the share of a plot's height that is drawn. inks: see `PaperData`. */
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
  /** True if a class watches it, or it follows a class: a wall. */
  follows: boolean;
  /** Ask Python for another step; send it a link's settings, and a bet. */
  turn(step: string): void;
  set(sets: string): void;
  bet(guess: string): void;
  ask(what: "draw" | "bundle" | "picture"): void;
  /** True if the window is as large as Python assumes. */
  fits(): boolean;
  forget(): void;
}

/** A component of Streamlit whose nodes are still on the stage. */
interface Waiting {
  parentElement: HTMLElement;
  name: string;
  nodes: string[];
  mount(nodes: any[], moved: boolean): () => void;
  leave?(): void;
}

interface Stage {
  over: Promise<void>;
  /** Parameters that a shared address leaves out. */
  own: string[];
  /** Fetch Streamlit, once. */
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
  /** The index of a stop, its name under the track, and true if a short track has room for it. */
  ticks: [number, string, boolean][];
  label: string;
  /** ms that a stop stays while ▶ plays, 0 without a button. */
  play: number;
  large?: boolean;
  heard?: number | null;
}

/** The answer of `moving/X`: `Picture.drawn`. */
interface Drawn {
  /** As JSON. */
  figure?: string;
  height: number;
  /** The height of its plot. */
  plot: number;
  /** Both heights in the layout for a phone. */
  narrow: { height: number; plot: number };
  sentence: string;
  alt: string;
  marks: Mark[];
}

/** `Stage.payload`. values: those of the picture's sliders. usual: their defaults. */
interface PictureData extends Drawn {
  key: string;
  values: Values | null;
  usual: Values;
  address: string;
  main: boolean;
  /** The smallest share of the plot's height that may be drawn. */
  least: number;
  /** Empty if the visitor draws nothing. */
  drawing: Partial<Drawing>;
  config: object;
  bundle: string;
  bare: boolean;
}

type Values = Record<string, any>;

/** `marks.found`. curves: the indices of its traces. */
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

/** A picture on the page, with the state that `picture.js` keeps there. */
interface PictureNode extends HTMLElement {
  firstElementChild: HTMLElement & Plot;
  tell: Part<PictureData>["setTriggerValue"];
  /** What Python has said last, and what is on the screen or being drawn. */
  newest: PictureData;
  given: PictureData;
  /** The last picture that was asked for. */
  asked?: { name: string; answer: Promise<Drawn | null> };
  sentence: HTMLElement;
  marks: Mark[];
  /** The figure as text, as parsed, and as last drawn without a lit mark. */
  figure?: string;
  parsed: Figure;
  drawn: Figure | null;
  /** The slider values of the picture on the screen. */
  shown: Values | null;
  /** True while it still shows another step's picture. */
  moves: boolean;
  /** True if it was drawn by `drawQuickly`. */
  quick: boolean;
  height: number;
  drawnAt: string;
  lit: number | null;
  near?: Promise<void>;
  /** True while a picture is being fetched. */
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

/** A figure inside Plotly: as given, and completed. */
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
  /** The headings of the columns, in full and for a narrow window. */
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

/** top: the height of the largest weight. largest: the words at its mean, from the longest to the shortest. */
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

/** `components.mend_browser`. wall: the smallest width of a wall, in px. */
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

/** `components.prepare_paper`. inks: the colours of the pictures and their counterparts on paper, the ground first. */
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

// The results of selectors and the targets of events have the type that the caller expects.
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

// Parts of a browser that an older TypeScript, such as Debian's, does not know.
interface Array<T> {
  findLast(test: (each: T, place: number) => unknown): T | undefined;
  findLastIndex(test: (each: T, place: number) => unknown): number;
}
interface Function {
  timeout(ms: number): AbortSignal; // of AbortSignal
}
