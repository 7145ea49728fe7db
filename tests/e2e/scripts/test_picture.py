"""Scripts of a picture: quick redrawing, morphing between steps, words that light marks, drags, and drawn curves."""

import base64
import json
import struct
from urllib.parse import parse_qs

import pytest

from pages._view.bundle import BUNDLE
from pages._view.live import PICTURE

pytestmark = pytest.mark.e2e


def numbers(*rows):
    """Return an array as Plotly's JSON encodes it; several rows are a matrix with its shape."""
    flat = [each for row in rows for each in row]
    packed = {"dtype": "f8", "bdata": base64.b64encode(struct.pack(f"<{len(flat)}d", *flat)).decode()}
    return packed | ({"shape": f"{len(rows)}, {len(rows[0])}"} if len(rows) > 1 else {})


LINE = {
    "type": "scatter",
    "mode": "lines",
    "x": numbers([1, 2, 3]),
    "y": numbers([1, 4, 9]),
    "line": {"color": "#D55E00", "width": 2},
}
LAYOUT = {"height": 300, "margin": {"t": 60, "b": 40}, "xaxis": {"range": [0, 4]}, "yaxis": {"range": [0, 10]}}
LAYOUT |= {"title": {"text": "before"}, "showlegend": False}


def drawn(trace, **layout):
    return {"data": [trace], "layout": LAYOUT | layout}


TICKS = {"tickvals": [1, 2], "ticktext": ["one", "two"], "range": [0, 4]}
SHAPE = {"type": "line", "x0": 1, "x1": 1, "y0": 0, "y1": 10, "line": {"dash": "dash"}}
WORD = {"text": "σ = 1", "x": 1, "y": 5, "showarrow": False}
BAR = {"type": "bar", "x": ["a", "b"], "y": numbers([2, 3])}
ERROR = {"type": "data", "array": numbers([1, 1, 1]), "arrayminus": numbers([1, 2, 1])}
CHANGES = {
    "line": (drawn(LINE), drawn(LINE | {"y": numbers([2, 3, 5])})),
    "longer line": (drawn(LINE), drawn(LINE | {"x": numbers([0, 1, 2, 3]), "y": numbers([1, 1, 2, 8])})),
    "colour": (drawn(LINE), drawn(LINE | {"line": {"color": "#0072B2", "width": 4}})),
    "bars": (drawn(BAR), drawn(BAR | {"y": numbers([9, 1])})),
    "errors": (drawn(LINE | {"error_y": ERROR}), drawn(LINE | {"error_y": ERROR | {"array": numbers([3, 2, 0.5])}})),
    "matrix": tuple(
        drawn({"type": "heatmap", "z": numbers(*rows), "zmin": 0, "zmax": 9})
        for rows in (([1, 2, 3], [3, 4, 5]), ([9, 0, 3], [5, 4, 8]))
    ),
    "shape": tuple(drawn(LINE, shapes=[SHAPE | {"x0": at, "x1": at}]) for at in (1, 3)),
    "path": tuple(
        drawn(LINE, shapes=[{"type": "path", "path": f"M0,0L4,{at}L4,0Z", "fillcolor": "#D55E00"}]) for at in (2, 8)
    ),
    "words": tuple(
        drawn(LINE, annotations=[WORD | {"text": text, "x": at}]) for text, at in (("σ = 1", 1), ("σ = 9", 3))
    ),
    "title": tuple(drawn(LINE, title={"text": text}) for text in ("before", "after")),
    "ticks": tuple(drawn(LINE, xaxis=TICKS | {"ticktext": [text, "two"]}) for text in ("one", "1,024")),
}
# Draw a figure quickly over another one, then by `Plotly.react`.
# Return three flags: drawn quickly, both drawings equal, figure changed.
QUICKLY = """async ([one, other]) => {
  const plot = document.body.appendChild(document.createElement('div'));
  const look = () => [...plot.querySelectorAll('.main-svg')].map(svg => svg.innerHTML
    .replaceAll('<g class="errorbar" style="opacity: 1;">', '<g class="errorbar">')).join();
  const given = figure => structuredClone(figure);
  const first = given(one);
  await Plotly.newPlot(plot, first.data, {...first.layout, width: 500});
  const before = look();
  const done = script.drawQuickly(plot, one, other);
  const quick = look();
  const again = given(done ? other : one);
  await Plotly.react(plot, again.data, {...again.layout, width: 500});
  return [done, quick === look(), quick !== before];
}"""


@pytest.fixture
def quickly(load):
    page = load("quick.js", names=("drawQuickly",))
    page.add_script_tag(url=f"/{BUNDLE}")
    return lambda one, other: page.evaluate(QUICKLY, [one, other])


def test_quick_drawing_equals_that_of_plotly(quickly):
    for name, change in CHANGES.items():
        assert quickly(*change) == [True, True, True], name


def test_changes_that_quick_drawing_cannot_make_are_left_to_plotly(quickly):
    one = drawn(LINE)
    for other in (
        drawn(LINE, yaxis={"range": [0, 20]}),
        drawn(LINE | {"mode": "lines+markers"}),
        drawn(LINE | {"y": numbers([])}),
        {"data": [LINE, LINE], "layout": LAYOUT},
    ):
        assert quickly(one, other) == [False, True, False]


# --- the component --------------------------------------------------------------------------------------

MARK = {"curves": [0], "points": None, "colour": "#D55E00", "ink": "#A34700", "line": "solid"}
MARKS = [MARK | {"word": "raw", "before": ""}, MARK | {"word": "scaled", "before": " and ", "curves": [1]}]
TWO = [LINE, LINE | {"y": numbers([1, 1, 1])}]


def picture(d_k=64, *, data=TWO, of_figure=(), **more):
    figure = {"data": data, "layout": LAYOUT | {"title": {"text": f"d_k = {d_k}"}}} | dict(of_figure)
    told = {"figure": json.dumps(figure), "height": 300, "plot": 200, "sentence": "raw and scaled.", "marks": MARKS}
    told |= {"alt": f"at {d_k}", "values": {"d_k": d_k}, "usual": {"d_k": 64}, "address": "moving/X?seed=0"}
    told |= {"main": True, "least": 0.5}
    return told | {"drawing": {}, "config": {}, "bundle": BUNDLE, "bare": False} | more


OPACITIES = "() => [...document.querySelectorAll('.scatterlayer .trace')].map(each => each.style.opacity)"
TITLE = "() => document.querySelector('.gtitle').textContent"
HAND = """([value, held]) => {
  lab.hands.d_k = {name: 'd_k', value, held};
  dispatchEvent(new CustomEvent('lab:hand', {detail: lab.hands.d_k}));
}"""


def open_picture(mount, **more):
    page = mount("picture", picture(**more), PICTURE)
    page.locator("[data-value]").wait_for()
    return page


# Let the clock advance 40 ms at each reading, on any machine. `heights` collects the first y of each quick drawing.
TICKING = """() => {
  let now = 0;
  performance.now = () => (now += 40);
  window.requestAnimationFrame = (then) => setTimeout(() => then(performance.now()));
  window.heights = [];
  const { drawData } = lab.plotlyParts;
  const drawn = (plot) => (heights.push(plot.data[0].y[0]), drawData(plot));
  lab.plotlyParts = { ...lab.plotlyParts, drawData: drawn };
}"""
TURNED = [LINE | {"y": numbers([9, 4, 1])}, TWO[1]]


@pytest.mark.parametrize(("calm", "change"), [(False, {}), (True, {}), (False, {"name": "another"})])
def test_points_glide_to_the_next_step_unless_motion_is_reduced(mount, calm, change):
    page = open_picture(mount, key="first")
    page.emulate_media(reduced_motion="reduce" if calm else "no-preference")
    page.evaluate(TICKING)
    mount(None, picture(65, data=[TURNED[0] | change, TURNED[1]], key="next"))
    page.wait_for_function("() => document.querySelector('[data-value]').dataset.value === '65'")
    heights = page.evaluate("() => heights")
    assert heights == sorted(heights)
    assert all(1 < each < 9 for each in heights)
    assert (len(heights) > 3) == (not calm and not change)
    assert page.evaluate("() => [...document.querySelector('.js-plotly-plot')._fullData[0].y]") == [9, 4, 1]


def test_points_glide_to_their_positions_on_the_next_axes(load):
    page = load("quick.js", "morph.js", names=("wayOf",))
    way = """([one, other, before, after]) => {
      const way = script.wayOf(one, other, before, after);
      return way && [0, 0.5, 1].map((share) => way(share));
    }"""
    axes = {"xaxis": {"range": [0, 100]}, "yaxis": {"range": [0, 10]}}
    root = {"xaxis": {"range": [0, 10]}, "yaxis": {"range": [0, 3], "type": "log"}}
    line = {"name": "walk", "type": "scatter", "x": [4, 100], "y": [1, None]}
    after = line | {"x": [2, 10], "y": [100, None]}
    found = page.evaluate(way, [line, after, axes, root])
    assert [each["x"] for each in found] == [pytest.approx([at, 100]) for at in (4, 12, 20)]
    assert [each["y"][0] for each in found] == pytest.approx([1, 0.5 + 10 / 3, 20 / 3])
    assert {each["y"][1] for each in found} == {None}
    for other in ({"name": "other"}, {"type": "bar"}, {"x": [1]}, {"x": ["a", "b"]}):
        assert page.evaluate(way, [line, after | other, axes, root]) is None
    assert page.evaluate(way, [line, after, axes, root | {"xaxis": {}}]) is None


def test_a_word_lights_its_part_of_the_picture(mount):
    page = open_picture(mount)
    raw, scaled = page.locator(".mark").all()
    raw.hover()
    assert page.evaluate(OPACITIES) == ["1", "0.15"]
    scaled.click()
    page.mouse.move(999, 699)
    assert page.evaluate(OPACITIES) == ["0.15", "1"]
    assert [each.get_attribute("aria-pressed") for each in (raw, scaled)] == ["false", "true"]
    scaled.press("ArrowRight")
    assert raw.evaluate("each => each === document.activeElement")
    assert page.evaluate(OPACITIES) == ["1", "0.15"]


def test_a_number_and_its_unit_are_not_split_over_two_lines(mount):
    page = open_picture(mount, sentence="At dₖ = 64, raw takes 84 %.", marks=[MARKS[0] | {"before": "At dₖ = 64, "}])
    sentence = page.locator("[data-sentence]")
    assert sentence.locator(".whole").all_inner_texts() == ["dₖ = 64", "84 %"]
    assert sentence.inner_text() == "At dₖ = 64, raw takes 84 %."
    later = [MARKS[0] | {"before": "At dₖ = 4, "}]
    mount(None, picture(d_k=65, sentence="At dₖ = 4, raw takes it.", marks=later))
    page.wait_for_function("() => document.querySelector('[data-value]').dataset.value === '65'")
    assert sentence.locator(".whole").all_inner_texts() == ["dₖ = 4"]
    assert sentence.inner_text() == "At dₖ = 4, raw takes it."


def test_a_word_keeps_its_element_and_stays_lit_in_a_new_sentence(mount):
    page = open_picture(mount)
    page.locator(".mark").first.click()
    page.evaluate("() => { window.word = document.querySelector('.mark'); }")
    later = [MARKS[0] | {"before": "Now "}, MARKS[1]]
    mount(None, picture(d_k=65, sentence="Now raw and scaled.", marks=later))
    page.wait_for_function("() => document.querySelector('[data-value]').dataset.value === '65'")
    assert page.locator("[data-sentence]").inner_text() == "Now raw and scaled."
    assert page.evaluate("() => word === document.querySelector('.mark')")
    assert page.evaluate(OPACITIES) == ["1", "0.15"]


def test_picture_is_drawn_quickly_in_a_drag_and_fully_at_rest(mount):
    page = open_picture(mount)
    asked = []

    def answer(request):
        asked.append(request.url.partition("?")[2])
        return picture(int(parse_qs(asked[-1])["d_k"][0]))

    page.answers["moving/X"] = answer
    for value in (65, 66):
        page.evaluate(HAND, [value, True])
        page.wait_for_function("at => document.querySelector('[data-value]').dataset.value === at", arg=str(value))
    assert page.evaluate("() => document.querySelector('[data-picture]').quick")
    assert page.evaluate(TITLE) == "d_k = 66"
    page.evaluate(HAND, [66, False])
    page.wait_for_function("() => !document.querySelector('[data-picture]').quick")
    assert asked == ["d_k=65&seed=0", "d_k=66&seed=0"]


ON_A_PHONE = {"xaxis": {"range": [0, 4], "domain": [0.5, 1]}}
DOMAIN = "() => document.querySelector('[data-picture]').firstElementChild._fullLayout.xaxis.domain"
WIDEN = "width => { document.querySelector('[data-testid=stMain]').style.width = width; }"


def test_a_narrow_picture_keeps_its_layout_in_a_drag(mount):
    told = {"of_figure": {"narrow": ON_A_PHONE}, "narrow": {"height": 200, "plot": 150}}
    page = open_picture(mount, **told)
    page.answers["moving/X"] = lambda request: picture(65, **told)
    assert page.evaluate(DOMAIN) == [0, 1]
    for width, domain, height in (("400px", [0.5, 1], 320), ("600px", [0, 1], 480)):
        page.evaluate(WIDEN, width)
        page.wait_for_function(f"domain => String(({DOMAIN})()) === String(domain)", arg=domain)
        assert page.evaluate("() => document.querySelector('[data-picture]').offsetHeight") == height
    page.evaluate(WIDEN, "400px")
    page.wait_for_function(f"() => ({DOMAIN})()[0] === 0.5")
    page.evaluate(HAND, [65, True])
    page.wait_for_function("() => document.querySelector('[data-value]').dataset.value === '65'")
    assert page.evaluate("() => document.querySelector('[data-picture]').quick")
    assert page.evaluate(DOMAIN) == [0.5, 1]
    page.evaluate(HAND, [65, False])
    page.wait_for_function("() => !document.querySelector('[data-picture]').quick")
    assert page.evaluate(DOMAIN) == [0.5, 1]


def test_slider_moved_back_shows_the_picture_from_python_again(mount):
    page = open_picture(mount)
    page.answers["moving/X"] = lambda request: picture(65)
    page.evaluate(HAND, [65, True])
    page.wait_for_function("() => document.querySelector('[data-value]').dataset.value === '65'")
    page.evaluate(HAND, [64, False])
    page.wait_for_function("() => document.querySelector('[data-value]').dataset.value === '64'")
    assert page.evaluate(TITLE) == "d_k = 64"


def test_main_picture_is_as_tall_as_the_window_allows(mount):
    page = open_picture(mount)
    height = "() => document.querySelector('[data-picture]').offsetHeight"
    end = "() => document.querySelector('[data-sentence]').getBoundingClientRect().bottom"
    assert page.evaluate(height) == 480  # at most 1.6 times the figure's height
    page.evaluate("() => { document.querySelector('[data-testid=stMain]').style.height = '400px'; }")
    page.wait_for_function("() => document.querySelector('.main-svg').getBoundingClientRect().height < 400")
    assert 300 < page.evaluate(end) <= 400


# --- a picture that Python only names ---------------------------------------------------------------------

DRAWN = ("figure", "height", "plot", "narrow", "sentence", "alt", "marks")
HEIGHT = "() => document.querySelector('[data-picture]').offsetHeight"


def named(d_k, **more):
    """Return a picture's data without what the server answers for its name."""
    return {name: value for name, value in picture(d_k, **more).items() if name not in DRAWN}


def answered(page, *, is_page=False):
    """Answer requests for pictures; return the list of their queries. is_page: True for a host that sends a page."""
    asked = []

    def answer(request):
        asked.append(request.url.partition("?")[2])
        told = picture(int(parse_qs(asked[-1]).get("d_k", ["64"])[0]))
        return "<html>" if is_page else {name: told.get(name) for name in DRAWN}

    page.answers["moving/X"] = answer
    return asked


def until_drawn(page, value):
    page.wait_for_function("at => document.querySelector('[data-value]')?.dataset.value === at", arg=str(value))


@pytest.mark.parametrize("data", [picture(65), named(65)], ids=["sent", "named"])
def test_a_picture_whose_place_has_gone_is_not_drawn(mount, alone, data):
    """Streamlit loads a component's script after drawing its place, which the next step may replace meanwhile."""
    asked = answered(alone)
    page = mount("picture", named(64), PICTURE)
    until_drawn(page, 64)
    begun = page.evaluate(
        """([html, data]) => {
          const parentElement = Object.assign(document.createElement('div'), { innerHTML: html });
          script.default({ parentElement, data: [data], setTriggerValue() {} })();
          return 'newest' in parentElement.querySelector('[data-picture]');
        }""",
        [PICTURE, data],
    )
    assert (begun, asked) == (False, ["seed=0"])


def test_a_picture_without_a_figure_is_fetched_by_its_name(mount, alone):
    asked = answered(alone)
    alone.evaluate("() => { document.querySelector('[data-testid=stMain]').style.height = '400px'; }")
    page = mount("picture", named(72, key="first"), PICTURE)
    height = page.evaluate(HEIGHT)
    until_drawn(page, 72)
    assert (page.evaluate(TITLE), page.locator("[data-sentence]").inner_text()) == ("d_k = 72", "raw and scaled.")
    assert page.evaluate("() => document.querySelector('[data-picture]').getAttribute('aria-label')") == "at 72"
    assert page.evaluate(HEIGHT) == height > 200  # its room was kept
    mount(None, named(80, key="first"))
    until_drawn(page, 80)
    assert asked == ["d_k=72&seed=0", "d_k=80&seed=0"]


def test_the_release_of_a_slider_fetches_nothing_again(mount, alone):
    asked = answered(alone)
    page = mount("picture", named(64), PICTURE)
    until_drawn(page, 64)
    page.evaluate(HAND, [65, True])
    until_drawn(page, 65)
    page.evaluate(HAND, [65, False])
    mount(None, named(65))
    page.wait_for_function("() => document.querySelector('[data-picture]').given.values.d_k === 65")
    assert page.evaluate(TITLE) == "d_k = 65"
    assert asked == ["seed=0", "d_k=65&seed=0"]


def test_only_the_newest_name_is_drawn(mount, alone):
    asked = answered(alone)
    page = mount("picture", named(64), PICTURE)
    until_drawn(page, 64)
    page.evaluate(
        """() => {
          const { fetch } = window;
          window.fetch = async (name) => {
            const answer = await fetch(name);
            if (name.includes('d_k=65')) await new Promise((resolve) => { window.late = resolve; });
            return answer;
          };
        }"""
    )
    mount(None, named(65))
    page.wait_for_function("() => window.late")
    mount(None, named(66))
    until_drawn(page, 66)
    page.evaluate("() => { late(); return new Promise((resolve) => setTimeout(resolve)); }")
    assert (page.evaluate(TITLE), asked[1:]) == ("d_k = 66", ["d_k=65&seed=0", "d_k=66&seed=0"])
    assert page.evaluate("() => document.querySelector('[data-picture]').given.values.d_k") == 66


def test_python_is_asked_for_a_picture_that_the_server_does_not_draw(mount, alone):
    asked = answered(alone, is_page=True)
    alone.evaluate("() => { window.lab = { page: { ask: (what) => { window.wanted = what; } } }; }")
    page = mount("picture", named(72), PICTURE)
    page.wait_for_function("() => window.wanted === 'picture'")
    mount(None, picture(72))
    until_drawn(page, 72)
    assert asked == ["d_k=72&seed=0"]


# --- a curve to draw ------------------------------------------------------------------------------------

DRAWING = {"panel": "xy", "at": [1, 2, 3], "reach": [0, 4], "span": [0, 10]}
DRAWING |= {"labels": ["one", "two", "three"], "style": {"colour": "#000", "width": 2, "size": 12}}
POINTS = "() => [...document.querySelectorAll('[data-height]')].map(each => Number(each.dataset.height))"


BUTTON = "<form data-draws><button disabled>Place my bet</button></form>"


def test_one_sweep_draws_all_points_and_enables_the_bet(mount, alone):
    alone.evaluate("html => document.body.insertAdjacentHTML('beforeend', html)", BUTTON)
    page = open_picture(mount, drawing=DRAWING)
    box = page.locator("[data-drawing]").bounding_box()

    def at(place, height):
        return box["x"] + box["width"] * place / 4, box["y"] + box["height"] * (1 - height / 10)

    page.mouse.move(*at(0.5, 2))
    page.mouse.down()
    page.mouse.move(*at(3.5, 8))  # one move past all three points
    assert page.locator("[data-draws] button").is_disabled()
    page.mouse.up()
    assert page.evaluate(POINTS) == page.evaluate("() => lab.drawn") == [3, 5, 7]
    assert page.locator("[data-draws] button").is_enabled()


def test_arrow_and_end_keys_move_a_point(mount):
    page = open_picture(mount, drawing=DRAWING)
    point = page.get_by_role("slider", name="two")
    for key, height in (("ArrowUp", 1), ("ArrowUp", 2), ("ArrowDown", 1), ("End", 10)):
        point.press(key)
        assert page.evaluate(POINTS) == page.evaluate("() => lab.drawn") == [0, height, 0]
