"""Open pages without a browser. They bypass app.py: through its server, AppTest would see no content and no errors."""

import json
import re
from base64 import b64decode
from functools import cache
from html import unescape
from types import SimpleNamespace
from urllib.parse import parse_qsl, urlencode, urlsplit

import numpy as np
from starlette.applications import Starlette
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

from pages._view.lesson import STEP
from pages._view.lessons import LESSONS, ORDER, VIEWS
from pages._view.literal import plain
from pages._view.server import MAIN, bets, moving
from pages._view.shared import SHARED
from tests.pages.asgi import ask

# For each visitor, AppTest searches all installed packages for components, which takes as long as a page.
manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)

FOLDS = ("assumed", "myths", "sources", "background")
TYPED = re.compile(r"_typed_\d+$")
KINDS = ("select_slider", "number_input", "selectbox", "button_group", "text_input", "text_area")


# Every step of every lesson; "" for a lesson without steps.
SCREENS = [(stem, step.name) for stem in ORDER for step in LESSONS[stem].steps or (LESSONS[stem].step(""),)]
# Steps with a picture that follows a slider or a dial.
FOLLOWING = [(stem, step) for stem, step in SCREENS if VIEWS[stem].is_drawn and LESSONS[stem].step(step).followed]

# Steps whose picture takes long at some settings, and then waits for a button.
ASKED = {("training_race", "rates")}
# The other steps with a picture that the server draws.
DRAWN = [each for each in SCREENS if VIEWS[each[0]].of(LESSONS[each[0]].step(each[1])) and each not in ASKED]
# Steps that open with a picture.
OPENED = [*DRAWN, ("training_race", "rates")]

OWN = "own"  # key of the fold of the visitor's own inputs
# By lesson: link parameters that open all its pictures.
ANSWERED = {"recap": {"score": "sum", "spread": "8", "breaks": "stuck", "power": "0.5", "alike": "small"}}


def app_at(stem, *, timeout=60, **query):
    """Return the app at a lesson's address before its first run, with correct answers if pictures wait for them."""
    app = AppTest.from_file(MAIN, default_timeout=timeout)
    app.query_params.update(ANSWERED.get(stem, {}) | query)
    for key in (key for lesson in LESSONS.values() for key in lesson.pictures):
        app.session_state[f"{key}_sure"] = True  # else "How sure?" stays empty
    app.session_state[OWN] = True  # as does the fold of the visitor's own inputs
    return app if stem == ORDER[0] else turn_to(app, stem)


def open_page(stem, **query):
    """Return the page as a fresh visitor with this link sees it."""
    return app_at(stem, **query).run()


def at_step(step):
    """Return the parameters of a link to a step."""
    return {STEP: step} if step else {}


def step_of(app):
    """Return the step that is open."""
    here = app.session_state
    return LESSONS[here["lesson"]].step(here[STEP] if STEP in here else "")


def turn_to(app, stem):
    """Follow the menu to another lesson."""
    return app.switch_page(f"../{stem}.py")


def settle(app):
    """Run the fragment that the last change redraws, then the whole page."""
    app.run()
    assert [each.message for each in app.exception] == []
    return app.run()


def widget(app, name):
    """Return a control's widget of any kind; for d_k, whose slider is a component, the number field."""
    if name in LESSONS[app.session_state["lesson"]].own_sliders:
        return Dial(app, name)
    found = [each for kind in KINDS for each in app.get(kind) if _control_of(each) == name]
    assert len(found) == 1, f"{name} is drawn {len(found)} times"
    return found[0]


class Dial:
    """A control without a Streamlit widget: the slider of a component, or the links between steps."""

    def __init__(self, app, name):
        self._app, self._name = app, name

    @property
    def value(self):
        """The value of the thumb."""
        if self._name == STEP:
            return step_of(self._app).name
        return large_slider(self._app, f"{self._name}_dial").value

    def set_value(self, value):
        """Release the thumb at a value; the next run gets it."""
        self._app.session_state[self._name] = value
        return self._app


def _control_of(widget):
    return TYPED.sub("", widget.key or "")


def button(app, label):
    """Return the one button with this label."""
    (found,) = [each for each in app.button if each.label == label]
    return found


def press(app, label):
    """Click the button with this label."""
    button(app, label).click()
    return settle(app)


def plain_html(app):
    """Return the HTML that is the same before and in a session: links between steps, line, bet, tries."""
    return "\n".join(each.proto.body for each in app.get("html"))


def line_of(app):
    """Return the text of the line above the picture; "" if there is none."""
    found = re.search('<p class="line[^"]*">(.*?)</p>', plain_html(app))
    return read(found[1]) if found else ""


def read(html):
    """Return the text of HTML."""
    return unescape(re.sub("<.*?>", "", html))


def sets_of(app, link):
    """Return the parameters set by the link whose text or markup contains `link`."""
    found = [each for each in re.findall("<a .*?</a>", plain_html(app)) if link in each + read(each)]
    (sets,) = [re.search('data-sets="(.*?)"', each)[1] for each in found]
    return dict(parse_qsl(unescape(sets), keep_blank_values=True))


def follow(app, link):
    """Follow a link that sets only parameters without a widget."""
    for name, text in sets_of(app, link).items():
        if text:
            app.query_params[name] = text
        else:
            app.query_params.pop(name, None)
    return settle(app)


def turn_truth(app, label):
    """Click the link that reveals or hides the truth of a bet on a wall."""
    app.session_state["truth_turned"] = label == "Reveal"
    return follow(app, f">{label}<")


def tries_of(app):
    """Return the texts of the tries by key."""
    return {key: read(said) for key, said in re.findall('data-try="(.*?)".*?>(.*?)</a>', plain_html(app))}


def asks_bet(app):
    """Return True if the page has the form of a bet."""
    return "<form" in plain_html(app)


def place_bet(app, text):
    """Submit the form of the bet and go to the address it redirects to."""
    query = {name: str(each) for name, each in app.query_params.items()} | {"guess": text}
    action = re.search('<form.* action="(.*?)"', plain_html(app))[1]
    status, headers, _ = ask(Starlette(routes=bets.routes()), f"/{action}?{urlencode(query)}")
    assert status == 303
    app.query_params.clear()
    app.query_params.update(parse_qsl(urlsplit(headers["location"]).query))
    return settle(app)


def controls_of(stem):
    """Return every control of a lesson, shared and its own, by name."""
    return SHARED | dict(LESSONS[stem].controls)


def uses_d_k(stem):
    """Return True if anything of a lesson depends on d_k."""
    return "d_k" in LESSONS[stem].followed or "d_k" in LESSONS[stem].shared


def drawn_controls(app):
    """Return the names of the controls that the page draws."""
    known = set(SHARED).union(*(lesson.controls for lesson in LESSONS.values()))
    dials = {each.key.removesuffix("_dial") for each in app.get("bidi_component")}
    return ({_control_of(each) for kind in KINDS for each in app.get(kind)} | dials) & known


def charts(app):
    """Return the pictures by key, in page order: alt text, sentence and Plotly figure."""
    found = [json.loads(each.proto.json)[0] for each in app.get("bidi_component") if each.proto.json]
    drawn = [_filled(data) for data in found if "bundle" in data and "key" in data]
    return {data["key"]: SimpleNamespace(**data, spec=data["figure"]) for data in drawn}


def _filled(data):
    """Return a picture's data with the server's answer, if the browser would fetch it."""
    return data if "figure" in data else data | fetched(data)


def fetched(data):
    """Return the server's answer for a picture at the values of its sliders, as `live/entry.js` asks for it."""
    place, _, query = data["address"].partition("?")
    moved = {name: f"{each:.17g}" for name, each in data["values"].items() if each != data["usual"][name]}
    said = dict(parse_qsl(query, keep_blank_values=True)) | moved
    return json.loads(answer_at(f"/{place}?{urlencode(said)}"))


@cache
def answer_at(address):
    """Return the server's answer for a picture; as in a browser, each picture is asked for once in a test."""
    status, _, body = ask(Starlette(routes=moving.routes()), address)
    assert status == 200
    return body


def large_slider(app, key=""):
    """Return the data (value, stops, texts of stops) of the large slider, or of the slider with this key."""
    name = step_of(app).slider
    key = key or ("dimension" if name == "d_k" else f"{name}_dial")
    (found,) = [json.loads(each.proto.json)[0] for each in app.get("bidi_component") if each.key == key]
    return SimpleNamespace(**found)


def traces(app, key):
    """Return a picture's traces by name, with numbers as arrays."""
    return {each["name"]: _decoded(each) for each in json.loads(charts(app)[key].spec)["data"]}


def _decoded(data):
    if not isinstance(data, dict):
        return data
    if "bdata" in data:
        flat = np.frombuffer(b64decode(data["bdata"]), data["dtype"])
        return flat.reshape([int(size) for size in data.get("shape", str(flat.size)).split(", ")])
    return {name: _decoded(each) for name, each in data.items()}


def sure_of(app, key):
    """Return the texts under a picture's "How sure?"."""
    return " ".join(each.value for each in _sure_box(app, key).markdown)


def checks_of(app, key):
    """Return the table under a picture's "How sure?"."""
    return _sure_box(app, key).table[0].value


def _sure_box(app, key):
    (box,) = [each for each in app.expander if each.key == f"{key}_sure"]
    return box


def rows_of(app, head):
    """Return the rows of the Markdown table that begins with `head`."""
    (table,) = [each.value for each in app.markdown if each.value.startswith(head)]
    return table.split("\n")[2:]


def prose(app):
    """Return all Markdown of a page."""
    return " ".join(each.value for each in app.markdown)


def claims(app):
    """Return the headlines of a page."""
    return [each.value for each in app.header]


def seen(app):
    """Return all that a visitor sees of a page, without its controls."""
    kinds = ("markdown", "header", "error", "warning", "info", "html")
    texts = [str(each.proto) for kind in kinds for each in app.get(kind)]
    drawn = [json.loads(each.proto.json or "[{}]")[0] for each in app.get("bidi_component")]
    drawn = [_filled(each) if "bundle" in each and "key" in each else each for each in drawn]
    drawn = [each for each in drawn if "stops" not in each]  # without the sliders
    for each in drawn:
        each.pop("address", None)  # it contains every control
        each.pop("values", None)
    return "\n".join([*texts, *(each.value.to_csv() for each in app.table), *map(str, drawn)])


def said(app):
    """Return the alt texts of the pictures by key; fail if the page has an exception."""
    assert [each.message for each in app.exception] == []
    return {key: chart.alt for key, chart in charts(app).items()}


def folds(app):
    """Return the folds at the end of a lesson by label: (True if open, Markdown texts)."""
    found = [each for each in app.expander if each.key in FOLDS]
    return {each.label: (each.proto.expanded, [text.value for text in each.markdown]) for each in found}


def pictures(app):
    """Return the keys of the pictures with data to download, in page order."""
    return [each.key.removesuffix("_data") for each in app.expander if each.key.endswith("_data")]


def without_definitions(said):
    """Return Markdown with each word's pop-up definition removed."""
    return re.sub(r"<details.*?<summary>(.*?)</summary>.*?</details>", r"\1", said)


def too_much(sentence):
    """Return the faults of a sentence: more than 25 words, or more than three numbers (d_k and roots do not count).

    A size such as 2 × 2 is one number.
    """
    words = [each for each in sentence.split() if each.strip("×·=+−÷:;,.()")]
    numbers = re.findall(r"\d[\d,.]*(?: × \d[\d,.⁻⁰¹²³⁴⁵⁶⁷⁸⁹]*)*", re.sub(r"(dₖ = |√)\d[\d,]*", "", sentence))
    return [f"{len(words)} words"] * (len(words) > 25) + [f"numbers {numbers}"] * (len(numbers) > 3)


def check_page(app, stem):
    """Check a page: no error, the lesson's question as title, its pictures in declared order, each with a sentence."""
    assert [each.message for each in app.exception] == []
    assert [each.value for each in app.title] == [LESSONS[stem].question]
    drawn = pictures(app)
    waits = [each.key for each in app.button if each.key == "compute_main"]  # the main picture, waiting for its button
    assert drawn or waits or app.session_state["mode"] == "projector"  # a projector shows no data at first
    assert drawn == [key for key in LESSONS[stem].pictures if key in drawn]
    texts = {each.value for each in app.markdown}
    for key, chart in charts(app).items():
        assert chart.sentence
        assert not too_much(chart.sentence), f"{too_much(chart.sentence)}: {chart.sentence}"
        assert chart.alt
        assert not chart.bare or plain(chart.sentence) in texts, f"the sentence of {key} is not on the page"
