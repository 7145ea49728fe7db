"""A pasted link: its card in a chat, its page without scripts, and the page for a wrong address."""

import json
import re
from html import unescape
from io import BytesIO
from xml.etree import ElementTree

import pytest
from PIL import Image
from starlette.applications import Starlette
from starlette.responses import HTMLResponse
from starlette.routing import Mount

from pages._view import _streamlit
from pages._view.bundle import BUNDLE
from pages._view.lessons import LESSONS, ORDER, VIEWS
from pages._view.server import first, links, shell
from pages._view.server.first import in_letters
from pages._view.version import VERSION
from tests.pages.asgi import ask
from tests.pages.opening import DRAWN, OPENED, SCREENS, at_step, charts, open_page

PLATFORM = "<html><head><title>Streamlit</title></head><body></body></html>"
APP = shell.Shell(Starlette(routes=[*links.routes(), Mount("/", app=HTMLResponse(PLATFORM))]))
HOST = {"host": "lab.example", "accept": "text/html"}
SETTINGS = {"d_k": "256", "seed": "3"}
WITH_BET = [stem for stem, lesson in LESSONS.items() if lesson.bet]


def place(stem):
    return "" if stem == ORDER[0] else stem


def page_at(address):
    status, _, body = ask(APP, f"/{address}", **HOST)
    return status, body.decode()


def head_of(page):
    """Return the title, the canonical address, and the content of each meta tag by name."""
    tags = re.findall(r'<meta (?:name|property)="([^"]+)" content="([^"]*)">', page)
    (canonical,) = re.findall(r'<link rel="canonical" href="([^"]*)">', page)
    (title,) = re.findall("<title>(.*?)</title>", page)
    said = {name: unescape(text) for name, text in tags}
    return said | {"title": unescape(title), "canonical": unescape(canonical)}


def words_of(page):
    """Return the text that the page shows without scripts."""
    (first,) = re.findall('<div id="lab-first"(.*?)<template id="lab-platform">', page, re.DOTALL)
    whole = re.sub("</?(span|b)( [^>]*)?>", "", first)  # these tags do not end a line
    return unescape(re.sub("<(style|template).*?</\\1>|<[^>]+>", "\n", whole, flags=re.DOTALL))


def asked(stem, step):
    """Return the link parameter that opens a step."""
    return f"&step={step}" if step else ""


@pytest.mark.parametrize(("stem", "step"), [*SCREENS, ("corrections", "")])
def test_step_has_a_title_and_a_card_with_question_and_sentence(stem, step):
    lesson, main = LESSONS[stem], VIEWS[stem].of(LESSONS[stem].step(step))
    if (stem, step) in DRAWN and main.params:
        open_page(stem, **SETTINGS, **at_step(step))  # computes and caches cheap results
    status, page = page_at(f"{place(stem)}?d_k=256&seed=3{asked(stem, step)}")
    said = head_of(page)
    assert status == 200
    assert said["title"] == f"{lesson.question} · Why attention divides by √dₖ"
    assert said["og:title"] == lesson.question
    assert said["description"] == said["og:description"]
    here = f"http://lab.example/{place(stem)}?d_k=256&seed=3{asked(stem, step)}"
    assert said["og:url"] == said["canonical"] == here
    assert said["og:image"] == f"http://lab.example/cards/{f'{stem}/{step}' if step else stem}.png"
    assert (said["og:image:width"], said["og:image:height"], said["twitter:card"]) == (
        "1200",
        "630",
        "summary_large_image",
    )
    (structured,) = re.findall('<script type="application/ld\\+json">(.*?)</script>', page)
    assert json.loads(structured)["description"] == said["description"]
    assert (said["description"] == in_letters(lesson.answer)) is (stem != "start" and (stem, step) not in DRAWN)


@pytest.mark.parametrize(("stem", "step"), DRAWN)
def test_card_has_the_sentence_that_the_page_shows(stem, step):
    (main,) = [each for each in charts(open_page(stem, **SETTINGS, **at_step(step))).values() if each.address]
    assert head_of(page_at(f"{stem}?d_k=256&seed=3{asked(stem, step)}")[1])["description"] == main.sentence


def test_card_of_the_start_page_follows_d_k():
    here, there = (head_of(page_at(f"?d_k={d_k}")[1])["description"] for d_k in (4, 256))
    assert here != there
    assert "dₖ = 256" in there


@pytest.mark.parametrize("stem", WITH_BET)
def test_card_and_text_do_not_reveal_an_open_bet(stem):
    lesson = LESSONS[stem]
    step = lesson.bet.when[1]
    closed, opened = page_at(f"{stem}?step={step}")[1], page_at(f"{stem}?step={step}&bet=1")[1]
    sentence = head_of(closed)["description"]
    assert sentence in words_of(closed)
    for hidden in (sentence, in_letters(lesson.answer)):
        assert hidden not in unescape(opened)
    asked = head_of(opened)["description"]
    assert asked.endswith("?")
    assert asked in re.sub(r"\s+", " ", words_of(opened))


def test_canonical_address_omits_parameters_of_one_visitor():
    page = page_at("score_variance?mode=projector&rest=shown&bet=1&guess=1-2-3-4-5&tally=1-2&d_k=64&axis=own")[1]
    assert head_of(page)["canonical"] == "http://lab.example/score_variance?step=draw&axis=own"


@pytest.mark.parametrize(("said", "scheme"), [("https", "https"), ("https, http", "https"), ("javascript", "http")])
def test_canonical_address_has_the_scheme_that_the_visitor_used(said, scheme):
    _, _, body = ask(APP, "/recap", x_forwarded_proto=said, **HOST)
    assert head_of(body.decode())["canonical"] == f"{scheme}://lab.example/recap"


@pytest.mark.parametrize("bad", ['"><script>alert(1)</script>', "<", "</noscript>", "\\u003c", "9" * 3000])
def test_text_of_an_address_cannot_break_out_of_its_tag(bad):
    status, page = page_at(f"your_scores?d_k={bad}&q_text={bad}&seed={bad}")
    assert status == 200
    assert "<script>alert" not in page
    assert page.count("</noscript>") == 1


def test_text_cannot_break_out_of_a_json_script(monkeypatch):
    bad = "</script><script>alert(1)</script>"
    monkeypatch.setattr(first, "_UNSET", bad)
    monkeypatch.setattr(first, "in_letters", lambda _: bad)
    page = page_at("recap")[1]
    told, structured = (re.findall(f'{name}">(.*?)</script>', page)[0] for name in ("lab-told", "ld\\+json"))
    assert (json.loads(told)["missing"], json.loads(structured)["description"]) == (bad, bad)
    assert "<script>alert" not in page


@pytest.mark.parametrize("stem", LESSONS)
def test_page_without_scripts_has_its_question_answer_and_links(stem):
    page = page_at(place(stem))[1]
    words = words_of(page)
    assert LESSONS[stem].question in words
    lesson = LESSONS[stem]
    said = lesson.step(lesson.opens).line if lesson.steps else in_letters(lesson.answer)
    assert said in re.sub(r"\s+", " ", words)
    assert head_of(page)["description"] in words
    assert "your browser blocks it" in words
    assert [f"/{place(each)}" for each in LESSONS] == re.findall('<li><a href="(/[^"]*)"', page)


@pytest.mark.parametrize("stem", LESSONS)
def test_answers_as_plain_text_contain_no_markup(stem):
    said = in_letters(LESSONS[stem].answer)
    assert not set("$\\{}*^") & set(said)
    assert not re.search(r"[a-zA-Z]_(?!model)", said)


def test_missing_page_is_a_404_that_offers_the_lessons():
    for address in ("nope", "score_variance/more", "static/js/none.js", "pages/start.py"):
        status, page = page_at(address)
        assert status == 404
        assert "This page does not exist" in page
        assert LESSONS["score_variance"].question in unescape(page)


def test_path_of_the_start_page_redirects_to_the_root():
    status, got, _ = ask(APP, "/start?d_k=4", **HOST)
    assert (status, got["location"]) == (307, "/?d_k=4")


def test_robots_txt_and_sitemap_lead_to_all_pages():
    status, _, robots = ask(APP, "/robots.txt", host="lab.example")
    assert (status, "Sitemap: http://lab.example/sitemap.xml" in robots.decode()) == (200, True)
    _, got, body = ask(APP, "/sitemap.xml", host="lab.example")
    assert got["content-type"].startswith("application/xml")
    listed = [each.text for each in ElementTree.fromstring(body).iter() if each.tag.endswith("loc")]
    assert listed == [f"http://lab.example/{place(stem)}" for stem in LESSONS]


@pytest.mark.parametrize("card", [*LESSONS, *(f"{stem}/{step}" for stem, step in SCREENS if step)])
def test_every_card_has_a_picture_of_the_right_size(card):
    status, got, body = ask(APP, f"/cards/{card}.png")
    assert (status, got["content-type"]) == (200, "image/png")
    assert Image.open(BytesIO(body)).size == (1200, 630)


def test_unknown_cards_are_not_found():
    for name in ("score_variance/nope", "nope/draw", "recap/draw", "nope", "..%2F..%2Fapp", "_view"):
        assert ask(APP, f"/cards/{name}.png")[0] == 404


def test_every_route_works_below_a_base_path(monkeypatch):
    monkeypatch.setattr(_streamlit.st, "get_option", {"server.baseUrlPath": "/lab/"}.get)
    assert links.lesson_at("/lab") == links.lesson_at("/lab/") == ORDER[0]
    assert links.lesson_at("/lab/recap") == "recap"
    assert links.lesson_at("/recap") is None
    page = page_at("lab/recap")[1]
    assert head_of(page)["canonical"] == "http://lab.example/lab/recap"
    assert '<a href="/lab/recap" aria-current="page">' in page


@pytest.mark.parametrize("stem", LESSONS)
def test_chart_script_is_preloaded_only_for_pages_with_a_picture(stem):
    wanted = VIEWS[stem].is_drawn
    assert (f'rel="preload" as="script" href="{BUNDLE}"' in page_at(place(stem))[1]) == wanted


@pytest.mark.parametrize(("stem", "step"), OPENED)
def test_page_shows_its_still_only_at_the_defaults(stem, step):
    open_page(stem, **at_step(step))  # computes and caches cheap results

    def stills_at(query):
        return re.findall('<div data-still="(.*?)"', page_at(f"{stem}{query or '?'}{asked(stem, step)}")[1])

    assert stills_at("") == ["wide", "narrow"]
    for query in ("?seed=3", "?d_k=256", "?mode=projector", "?bet=1" if LESSONS[stem].step(step).bet else "?seed=4"):
        assert stills_at(query) == [], query


def test_scripts_of_streamlit_wait_in_a_template():
    platform = (
        '<script type="module" crossorigin src="./static/js/a.js"></script><link rel="modulepreload" href="./b.js">'
    )
    app = shell.Shell(
        Starlette(routes=[Mount("/", app=HTMLResponse(PLATFORM.replace("</head>", f"{platform}</head>")))])
    )
    _, _, body = ask(app, "/recap", **HOST)
    before, _, after = body.decode().partition('<template id="lab-platform">')
    assert after.startswith(platform)
    further = after.partition("</template>")[0].removeprefix(platform)
    for each in _streamlit.scripts_of_parts():
        assert f'<link rel="modulepreload" crossorigin href="{each}" data-further>' in further
    assert "static/js" not in before


def test_stage_data_have_the_values_of_the_address():
    (told,) = re.findall('id="lab-told">(.*?)</script>', page_at("score_variance?d_k=16&seed=3")[1])
    read = json.loads(told)
    assert (read["slider"]["value"], read["slider"]["usual"]) == (16, 64)
    assert (read["picture"]["values"], read["picture"]["usual"]) == ({"d_k": 16}, {"d_k": 64})
    assert read["picture"]["address"] == f"moving/score_variance?seed=3&v={VERSION}"
    assert json.loads(re.findall('id="lab-told">(.*?)</script>', page_at("recap")[1])[0])["slider"] is None
