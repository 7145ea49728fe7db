"""The lessons attention_steps and backprop in a browser: keyboard, clickable cells, matrices in the address."""

import pytest
from dashboard import (
    ALERTS,
    CHARTS,
    SENTENCES,
    asking_for,
    how_sure,
    open_own,
    press,
    sentences,
    slider,
    turn_to,
    type_into,
)
from harness import check_accessibility, open_page, query_parameters, runs_asked, step_said, wait_until_idle
from reading import LIT, check_lit_step

pytestmark = [pytest.mark.e2e, pytest.mark.walk]


STEPS = ("scores", "scale", "mask", "softmax", "output")
ON, BACK = "[data-way] a.on", "[data-way] a[rel=prev]"


def lit(page):
    """Return the step that the diagram in the fold highlights, even if the fold is closed."""
    return page.locator(LIT).text_content().split()[0]


def alts(page):
    return page.locator(CHARTS).evaluate_all(
        "charts => charts.map(each => (each.matches('[aria-label]') ? each : each.querySelector('[aria-label]'))"
        "?.getAttribute('aria-label') ?? '')"
    )


@pytest.mark.parametrize(
    ("path", "step", "link", "wanted"),
    [
        (
            "attention_steps",
            "softmax",
            {"preset": "notes", "Q": "1, 2\n3, 4", "mask": "110", "query": "2"},
            "At dₖ = 2 the framed query gives its favourite key",
        ),
        (
            "backprop",
            "products",
            {"A": "1, 2", "B": "3, 4", "gradient": "Q", "exponent": "1", "weight": "the input X"},
            "⟨A, B⟩ = 11",
        ),
    ],
)
def test_a_link_with_matrices_shows_them_also_after_a_reload(server, page, path, step, link, wanted):
    open_page(page, server, path, **asking_for(step), **link)
    assert (query_parameters(page), step_said(page)) == (link, step)
    (said,) = sentences(page)
    assert wanted in said
    assert page.locator(SENTENCES).count() == 1
    open_own(page)
    assert page.locator(ALERTS).count() == (path == "attention_steps")  # a note: the matrices fix dₖ
    page.reload()
    wait_until_idle(page)
    assert sentences(page) == [said]
    if path == "backprop":
        turn_to(page, "gradient")
        assert sentences(page)[0].startswith("At dₖ = 64 dQ has length ")
        assert query_parameters(page) == link


def test_step_links_change_the_step_and_arrow_keys_change_controls(page, server):
    open_page(page, server, "attention_steps")
    open_own(page)
    walked = [lit(page)]
    for link, step in ((ON, "scale"), (ON, "mask"), (ON, "softmax"), (BACK, "mask")):
        press(page.locator(link), "Enter")
        page.wait_for_function("step => location.search.includes(`step=${step}`)", arg=step)
        wait_until_idle(page)
        walked.append(lit(page))
    assert walked == ["MatMul", "Scale", "Mask", "Softmax", "Mask"]
    assert (query_parameters(page), step_said(page)) == ({}, "mask")
    press(slider(page, "d_k"), "ArrowRight")
    page.locator(".st-key-query input").press("ArrowRight")
    wait_until_idle(page)
    assert lit(page) == "Mask"
    assert (query_parameters(page), step_said(page)) == ({"d_k": "72"}, "mask")


def test_cell_is_chosen_and_matrix_edited_by_keyboard(page, server):
    open_page(page, server, "attention_steps", preset="notes")
    open_own(page)
    press(page.locator(".st-key-query input"), "ArrowUp", "ArrowUp")
    press(page.locator(".st-key-key input"), "ArrowUp")
    assert "Query 3 with key 2 scores 94" in careful(page)
    type_into(page, "Q", "1, 2\n1, 4\n1, -1")
    assert "Query 3 with key 2 scores −1" in careful(page)
    assert query_parameters(page) == {"preset": "notes", "query": "3", "key": "2", "Q": "1, 2\n1, 4\n1, -1"}


def careful(page):
    """Return the text below "How sure?" in the first step."""
    return how_sure(page, "matrix_scores").inner_text()


PLACES = {"Q": "xy", "K": "x2y2", "raw": "x3y3", "V": "x2y2", "output": "x3y3"}  # axes of each matrix in its picture


def click_cell(page, chart, row, column, *, shape, tap=False):
    """Click or tap a cell; row and column count from 1."""
    area = page.locator(f".st-key-picture .nsewdrag[data-subplot={PLACES[chart]}]")
    area.evaluate("area => area.scrollIntoView({block: 'center'})")
    box = area.bounding_box()
    x = box["x"] + box["width"] * (column - 0.5) / shape[1]
    y = box["y"] + box["height"] * (row - 0.5) / shape[0]
    (page.touchscreen.tap if tap else page.mouse.click)(x, y)
    wait_until_idle(page)


def test_a_click_on_a_cell_chooses_its_query_and_key(page, server):
    open_page(page, server, "attention_steps", preset="notes")
    open_own(page)
    # A repeated click must not undo the choice.
    for row, column, score in ((2, 3, 18), (2, 3, 18), (3, 2, 94), (2, 3, 18)):
        click_cell(page, "raw", row, column, shape=(3, 3))
        assert query_parameters(page) == {"preset": "notes", "query": str(row), "key": str(column)}
        assert f"Query {row} with key {column} scores {score}" in careful(page)
    press(page.locator(".st-key-key input"), "ArrowDown")
    assert "Query 2 with key 2 scores 29" in careful(page)
    click_cell(page, "Q", 3, 1, shape=(3, 2))
    assert query_parameters(page) == {"preset": "notes", "query": "3", "key": "2"}
    assert page.locator(".st-key-query input").input_value() == "3"


def test_a_tap_chooses_a_cell_and_a_swipe_scrolls_the_page(new_page, server):
    page = new_page(390, 844, has_touch=True)
    open_page(page, server, "attention_steps", step="output", preset="notes")
    click_cell(page, "output", 3, 2, shape=(3, 3), tap=True)
    assert query_parameters(page) == {"preset": "notes", "query": "3", "column": "2"}
    before = page.evaluate(
        """() => {
             const main = document.querySelector('[data-testid=stMain]');
             main.scrollTop = 200;
             return main.scrollTop;
           }"""
    )
    box = page.locator(".st-key-picture .nsewdrag[data-subplot=x2y2]").bounding_box()
    x, y = box["x"] + 100, box["y"] + box["height"] / 2
    finger = page.context.new_cdp_session(page)
    for kind, moved in (("touchStart", 0), *(("touchMove", 20 * i) for i in range(1, 8))):
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y + moved}]})
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.wait_for_function(f"() => document.querySelector('[data-testid=stMain]').scrollTop < {before} - 50")
    wait_until_idle(page)
    assert query_parameters(page) == {"preset": "notes", "query": "3", "column": "2"}


def open_grid(page):
    page.get_by_text("Edit as a grid").click()
    page.locator("[data-testid=stDataFrame] table").first.wait_for(state="attached")
    wait_until_idle(page)


def edit_cell(page, text):
    """Type into the grid's current cell and press Enter, which goes down one row."""
    page.keyboard.type(text[0])
    page.locator("#portal .gdg-input").wait_for()  # keys pressed before the editor has loaded restart it
    page.wait_for_timeout(100)
    page.keyboard.type(text[1:], delay=30)
    page.wait_for_timeout(100)  # nobody presses Enter sooner
    before = runs_asked(page)
    page.keyboard.press("Enter")
    page.wait_for_function("before => window.__runs.asked > before", arg=before)
    wait_until_idle(page)


def test_grid_cells_can_be_edited_and_bad_numbers_are_named(page, server):
    open_page(page, server, "attention_steps", preset="notes", d_k=2)
    open_own(page)
    open_grid(page)
    grid = page.locator("[data-testid=stDataFrame]").first
    grid.click(position={"x": 100, "y": 55})  # row 1, column 1
    alerts = page.locator(ALERTS)
    for text, written, said in (
        ("-3", "-3, 2\n1, 4\n8, 9", None),
        ("x", "-3, 2\nx, 4\n8, 9", 'Q has "x" in row 2, column 1'),
        ("1,5", "-3, 2\nx, 4\n8, 9", 'Q has "1,5" in row 3, column 1'),
    ):
        edit_cell(page, text)
        assert query_parameters(page) == {"preset": "notes", "d_k": "2", "Q": written}
        assert said is None or said in alerts.last.inner_text()
    page.keyboard.press("ArrowUp")
    edit_cell(page, "1")
    edit_cell(page, "8")
    for _ in range(3):  # past the grid's edge
        page.keyboard.press("ArrowRight")
    wait_until_idle(page)
    assert query_parameters(page) == {"preset": "notes", "d_k": "2", "Q": "-3, 2\n1, 4\n8, 9"}
    assert "Step 1 of 5" in alts(page)[0]  # the arrow keys did not change the step
    assert alerts.count() == 0
    assert "Query 1 with key 1 scores 0" in careful(page)
    type_into(page, "Q", "4, 5\n6, 7")
    assert "".join(grid.locator("table").inner_text().split()) == "row12145267"
    check_accessibility(page)


def test_only_a_small_readable_matrix_is_kept_in_the_address(page, server):
    open_page(page, server, "attention_steps", preset="notes", d_k=2)
    open_own(page)
    large = "\n".join([", ".join(["0.12345"] * 64)] * 3)
    for text, kept in (("1, 2", {"Q": "1, 2"}), (large, {}), ("3, 4", {"Q": "3, 4"})):
        type_into(page, "Q", text)
        assert page.locator(".st-key-Q textarea").input_value() == text
        assert query_parameters(page) == {"preset": "notes", "d_k": "2"} | kept
    type_into(page, "Q", "3, x")
    assert 'Q has "x" in row 1, column 2' in page.locator(ALERTS).inner_text()
    assert page.locator(".st-key-Q textarea").input_value() == "3, x"


@pytest.mark.parametrize(("width", "height", "mode"), [(1440, 900, "screen"), (1920, 1080, "projector")])
def test_sentence_of_every_step_is_visible_without_scrolling(new_page, server, width, height, mode):
    page = new_page(width, height)
    open_page(page, server, "attention_steps", step=STEPS[0], mode=mode, preset="random", d_k="64")
    for place, step in enumerate(STEPS, start=1):
        page.wait_for_function("step => location.search.includes(`step=${step}`)", arg=step)
        wait_until_idle(page)
        assert f"Step {place} of 5" in alts(page)[0]
        box = page.locator(SENTENCES).first.bounding_box()
        assert box["y"] + box["height"] <= height
        if mode == "screen" and place == 1:
            open_own(page)  # it stays open, but the next sentence is still above it
        if mode == "screen":
            check_lit_step(page)
        if place == len(STEPS):  # the next press would open the next lesson
            break
        if mode == "projector":
            page.keyboard.press("ArrowRight")
        else:
            page.locator(ON).click()
