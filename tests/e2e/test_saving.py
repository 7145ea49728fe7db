"""A picture saved as SVG or PNG, with its sentence and its address."""

from io import BytesIO
from itertools import product
from xml.etree import ElementTree

import pytest
from dashboard import step_of
from harness import open_page, page_url, wait_until_idle
from PIL import Image
from sampling import sampled

pytestmark = [pytest.mark.e2e, pytest.mark.walk]

SVG = "{http://www.w3.org/2000/svg}"
SIZE = (1920, 1080)
# A figure with one panel, one with three, and the hero: lesson, step, picture.
PICTURES = [("score_variance", "draw", "score_histograms"), ("backprop", "products", "products"), ("", "drag", "start")]


def saved(page, picture, label):
    """Save a picture by keyboard; return the file's name and bytes."""
    button = page.locator(f".st-key-{picture}_data").get_by_role("button", name=label)
    with page.expect_download() as download:
        button.focus()
        page.keyboard.press("Enter")
    return download.value.suggested_filename, download.value.path().read_bytes()


@pytest.mark.parametrize(("which", "scheme"), sampled([*product(PICTURES, ("light", "dark"))], 3))
def test_a_picture_is_saved_with_its_sentence_and_its_address(new_page, server, which, scheme):
    lesson, step, picture = which
    page = new_page(1440, 900, color_scheme=scheme)
    open_page(page, server, lesson, step=step, d_k="256", rest="shown")  # `rest` is not saved
    page.locator(f".st-key-{picture}_data summary").click()
    wait_until_idle(page)
    name, drawn = saved(page, picture, "Save picture (SVG)")
    sheet = ElementTree.fromstring(drawn)
    slider = step_of(lesson, step).slider
    stem = f"{picture}_{slider}_256" if slider else picture
    assert name == f"{stem}.svg"
    assert (int(sheet.get("width")), int(sheet.get("height"))) == SIZE
    assert len(sheet.findall(f"{SVG}svg")) == 1
    *sentence, address = [each.text for each in sheet.findall(f"{SVG}text")]
    assert " ".join(sentence) == sheet.find(f"{SVG}title").text
    assert len(" ".join(sentence)) > 20
    assert address == page_url(server, lesson, step=step, d_k=256)
    name, dots = saved(page, picture, "Save picture (PNG, 1920 × 1080)")
    image = Image.open(BytesIO(dots)).convert("RGB")
    assert (name, image.size) == (f"{stem}.png", SIZE)
    assert image.getpixel((5, 5)) == ((18, 22, 28) if scheme == "dark" else (255, 255, 255))
    assert len(image.getcolors(SIZE[0] * SIZE[1])) > 20  # the image is not empty
