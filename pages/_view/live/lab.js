// The state that the scripts of a page share: one object, made by the script that runs first. Each member is described in
// `types.d.ts`.
const lab = (window.lab ??= /** @type {Lab} */ ({}));
lab.do ??= (_name, act) => act(); // without `server/lasting.js`, as in a frame of another site, no connection is lost
lab.hands ??= {};
lab.leaves ??= () => false;
lab.parts ??= {};

// Events of the window, since a picture that fails must not stop the others: a slider has moved, see `Hand`; all pictures
// are drawn for paper or for the screen, see `Paper`; Streamlit is wanted.
const HAND = "lab:hand";
const PAPER = "lab:paper";
const BEGUN = "lab:begun";
