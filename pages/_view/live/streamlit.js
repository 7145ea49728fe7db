// Streamlit internals that the scripts depend on, in its page and its messages. This file is put before each script;
// tests/pages/test_streamlit_contract.py compares it with the installed Streamlit.
const STREAMLIT = {
  app: "[data-testid=stApp]",
  main: "[data-testid=stMain]",
  block: "[data-testid=stVerticalBlock]",
  wrapper: "[data-testid=stLayoutWrapper]", // around a container
  held: {
    alert: "[data-testid=stAlert]",
    column: "[data-testid=stColumn]",
    field: ".stNumberInput, .stSlider, .stSelectbox, .stTextInput",
    formula: "[data-testid=stTable] .katex",
    help: "[data-testid=stWidgetLabel] button",
    progress: "[data-testid=stProgress]",
    radio: ".stRadio",
  },
  grid: "[data-testid=stDataFrame]",
  mainMenu: "[data-testid=stMainMenuButton]",
  less: "[data-testid=stNumberInputStepDown]", // the button that lowers a number
  greater: "[data-testid=stNumberInputStepUp]",
  uploads: "[data-testid=stFileUploaderDropzone]",
  files: "[data-testid=stFileChipName]", // names of chosen files
  drafts: "[data-testid=stForm] input:checked", // choices in forms that have not been sent
  links: "a[data-testid*=Nav]",
  menu: "[data-testid=stSidebar]",
  closer: "[data-testid=stSidebarCollapseButton] button", // the button that closes the menu
  buttons: ".stButton button, .stDownloadButton button",
  tables: ".stTable > div",
  codes: ".stCode pre",
  skeleton: "[data-testid=stSkeleton]",
  isConnected: (app) => app?.dataset.testConnectionState === "CONNECTED",
  isAtRest: (app) => app?.dataset.testScriptState === "notRunning",
  // True if its menu was used to choose a light or a dark page here, whatever the browser prefers.
  isGroundChosen: () => {
    try {
      const key = Object.keys(localStorage).find((each) => each.startsWith(`stActiveTheme-${location.pathname}-v`));
      return key !== undefined && /^"(Light|Dark)"$/.test(localStorage.getItem(key) ?? "");
    } catch {
      return false; // a browser without storage
    }
  },
  // The field number at the beginning of a message to the server that asks for a run.
  asksForRun: (message) => message[0] >> 3 === 11,
  // A message that asks for a file names the page's first session: after its number come its length and the request's
  // field. A server answers only for the session of the connection.
  ofSession: (message, session) => {
    if (message[0] !== 0x9a || message[1] !== 1) return message;
    let at = 3;
    while (message[at - 1] & 128) at += 1;
    at += 2 + message[at + 1];
    const [own, name] = [message.slice(), new TextEncoder().encode(session)];
    if (own[at + 1] === name.length) own.set(name, at + 2);
    return own;
  },
  healthOf: (stream) => stream.replace(/^ws/, "http").replace(/stream$/, "health"),
  // Streamlit would first search its server below the page's own path; it is where its scripts come from.
  tellServer: () => {
    for (const { src } of document.querySelectorAll("script[type=module][src*='/static/js/']")) {
      window.__streamlit = { BACKEND_BASE_URL: src.slice(0, src.indexOf("static/js/")), ...window.__streamlit };
    }
  },
  // In a page's request to connect, the third entry is its last session.
  protocolsOf: (protocols, session) => [...protocols.slice(0, 2), session],
};
