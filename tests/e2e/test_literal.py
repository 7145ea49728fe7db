"""Texts from links, fields and file names are shown literally, never as Markdown, HTML or links."""

import pytest
from dashboard import ALERTS, open_everything
from harness import open_page, wait_until_idle

pytestmark = [pytest.mark.e2e, pytest.mark.walk]

# Each text is short enough to be quoted in full, and contains no separator of typed numbers.
NASTY = (
    "https://example.org",
    "www.example.org/a",
    "someone@example.org",
    "<https://a.example>",
    "![x](//a.example/b)",
    "[x](https://a.ex/b)",
    "<img/src=x>",
    "$x^2$",
    ":red[x]",
    ":material/edit:",
    ":streamlit:",
    ":smile:",
    "**x**",
    "a->b",
)


def check_messages(page, texts):
    """Check that the page's messages quote each text and have only paragraphs and inline code."""
    bodies = page.locator(f"{ALERTS} [data-testid=stMarkdownContainer]")
    bodies.first.wait_for()
    said = " ".join(bodies.all_inner_texts())
    assert [text for text in texts if text not in said] == []
    tags = bodies.evaluate_all("all => all.flatMap(each => [...each.querySelectorAll('*')].map(one => one.tagName))")
    assert set(tags) <= {"P", "CODE"}, said


def test_names_and_values_of_a_link_are_quoted_literally(page, server):
    open_page(page, server, "derivation", **{name: "1" for name in NASTY}, d_k=NASTY[0], seed=NASTY[1])
    check_messages(page, [*NASTY, f"the link says “{NASTY[0]}”", f"the link says “{NASTY[1]}”"])


@pytest.mark.parametrize("texts", [NASTY[:4], NASTY[7:9] + NASTY[10:12]])
def test_typed_lists_are_quoted_literally(page, server, texts):
    typed = {f"list_{i}": text for i, text in enumerate(texts, 1)}
    open_page(page, server, "softmax_saturation", **typed)
    check_messages(page, [f'"{text}" (item 1)' for text in texts])


def test_typed_matrices_are_quoted_literally(page, server):
    open_page(page, server, "attention_steps", Q=NASTY[0])
    open_everything(page)
    check_messages(page, [f'Q has "{NASTY[0]}" in row 1'])
    open_page(page, server, "backprop", A=NASTY[6], step="products")
    open_everything(page)
    check_messages(page, [f'A has "{NASTY[6]}" in row 1'])


def test_names_of_files_are_shown_literally(page, server):
    open_page(page, server, "your_scores")
    open_everything(page)
    name = "www.e.org a@e.org *a* _b_ [x](y) :red[x] $x$ :smile:.npy"
    file = {"name": name, "mimeType": "application/octet-stream", "buffer": b"nothing"}
    page.locator(".st-key-q_file input[type=file]").set_input_files(file)
    page.get_by_text("does not begin as a .npy file does").first.wait_for()  # sentence, message and table
    wait_until_idle(page)
    check_messages(page, [name])
    assert page.locator(".st-key-your_histogram_data td").first.inner_text() == name
