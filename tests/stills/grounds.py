"""Merge two SVGs of a picture, on light and on dark background, into one without invisible parts.

Colours that differ become `light-dark(…)`; embedded images that differ are both kept, each with a class.
"""

import base64
import io
import re
from xml.etree import ElementTree

import numpy as np
from PIL import Image

from pages._view.theme import DARK, LIGHT

SVG, LINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}href"
PNG = "data:image/png;base64,"
COLOUR = re.compile(r"rgba?\([^)]*\)|#[0-9a-fA-F]{3,8}\b|\b(?:white|black)\b")
NUMBER = re.compile(r"(?<![\w#.])-?(?:\d+\.?\d*|\.\d+)(?:e-?\d+)?")
PATH_NUMBER = re.compile(r"-?(?:\d+\.?\d*|\.\d+)(?:e-?\d+)?")
REFERENCE = re.compile(r"url\([\"']?#([^)\"']+)[\"']?\)")
PAINTS = ("fill", "stroke", "stop-color", "color", "flood-color")
# Default values of style properties: of those that are not inherited (OWN), and of those that are (INHERITED).
OWN = {"opacity": "1", "vector-effect": "none", "display": "inline", "text-decoration": "none"}
INHERITED = {
    "fill-opacity": "1",
    "stroke-opacity": "1",
    "stroke-dasharray": "none",
    "stroke-width": "1px",
    "stroke": "none",
    "text-anchor": "start",
}
LETTERS = ("font-family", "font-style", "font-variant", "font-weight", "text-transform", "text-shadow", "white-space")
POINTING = ("cursor", "pointer-events", "user-select")
DRAWN = ("path", "rect", "circle", "line", "polygon", "polyline", "image", "use", "text")


def merged(light, dark, name):
    """Return one SVG for both backgrounds; its ids begin with `name`."""
    root = _pair(_parsed(light, name), _parsed(dark, name))
    _tidy(root)
    _drop_unused(root)
    for each in root.iter():
        _simplify(each)
    _inherit(root, dict(INHERITED))
    _flatten(root)
    box = root.get("viewBox")
    root.attrib = {"viewBox": box, "role": "img", **_lettered(root)}
    return written(root) + "\n"


def _parsed(text, name):
    """Parse an SVG; number its ids, so that they do not change between runs, and drop those that nothing refers to."""
    root = ElementTree.fromstring(text)
    used = {found for each in root.iter() for value in each.attrib.values() for found in REFERENCE.findall(value)}
    used |= {value[1:] for each in root.iter() for key, value in each.attrib.items() if key == LINK and value[0] == "#"}
    own = {}
    for each in root.iter():
        if each.get("id") in used:
            own[each.get("id")] = f"{name}-{len(own)}"
    for each in root.iter():
        for key, value in list(each.attrib.items()):
            if key == "id":
                each.attrib.pop(key) if value not in own else each.set(key, own[value])
            elif key == LINK:
                each.attrib.pop(key)
                each.set("href", f"#{own[value[1:]]}" if value[0] == "#" else value)
            else:
                each.set(key, REFERENCE.sub(lambda found: f"url(#{own.get(found[1], '')})", value))
    return root


# --- the two as one --------------------------------------------------------------------------------------


def _pair(light, dark):
    """Merge two elements and their descendants into one."""
    assert (light.tag, len(light)) == (dark.tag, len(dark)), f"{light.tag} with {len(light)}, {dark.tag} {len(dark)}"
    assert (light.text or "").strip() == (dark.text or "").strip(), f"{light.text!r} on light, {dark.text!r} on dark"
    one = ElementTree.Element(light.tag)
    one.text, one.tail = light.text, light.tail
    styles = _declarations(light), _declarations(dark)
    assert styles[0].keys() == styles[1].keys(), f"{styles[0]} on light, {styles[1]} on dark"
    _share_opacity(*styles)
    style = {key: _both(value, styles[1][key], key) for key, value in styles[0].items()}
    if style:
        one.set("style", _style(style))
    for key in sorted({*light.keys(), *dark.keys()} - {"style", *PAINTS}):
        here, there = light.get(key, ""), dark.get(key, "")
        assert here == there or key in ("href", "class"), f"{key}: {here} on light, {there} on dark"
        one.set(key, _small(here) if here.startswith("data:") else here)
    for below, other in zip(light, dark, strict=True):
        one.extend(_images(below, other) if below.tag == f"{SVG}image" else [_pair(below, other)])
    return one


def _images(light, dark):
    """Return one image if both have the same data, else one image for each background."""
    if light.get("href") == dark.get("href"):
        return [_pair(light, dark)]
    both = _pair(light, light), _pair(dark, dark)
    for image, ground in zip(both, ("light", "dark"), strict=True):
        image.set("class", f"on-{ground}")
    return both


def pixels(address):
    """Decode the image in a data URL."""
    assert address.startswith(PNG), address[:40]
    return Image.open(io.BytesIO(base64.b64decode(address.removeprefix(PNG))))


def _small(address):
    """Return a data URL with a palette if the image has at most 256 colours, else the URL itself."""
    image = np.asarray(pixels(address).convert("RGBA"))
    colours, places = np.unique(image.reshape(-1, 4), axis=0, return_inverse=True)
    if len(colours) > 256:
        return address
    table = Image.fromarray(places.reshape(image.shape[:2]).astype(np.uint8)).convert("P")
    table.putpalette(colours.tobytes(), "RGBA")
    file = io.BytesIO()
    table.save(file, "PNG", optimize=True)
    assert (np.asarray(Image.open(file).convert("RGBA")) == image).all()
    return f"{PNG}{base64.b64encode(file.getvalue()).decode()}"


def _declarations(element):
    """Return an element's style with the colours from its attributes: `light-dark` works only in styles."""
    said = {key: element.get(key) for key in PAINTS if key in element.attrib}
    pairs = [each.split(":", 1) for each in (element.get("style") or "").split(";") if ":" in each]
    return said | {key.strip(): value.strip() for key, value in pairs}


def _share_opacity(light, dark):
    """Move an opacity into the colour if it differs between light and dark."""
    for paint in ("fill", "stroke"):
        key = f"{paint}-opacity"
        if light.get(key) != dark.get(key):
            for style in (light, dark):
                style[paint] = f"rgba({', '.join(re.findall(r'[0-9]+', style[paint])[:3])}, {style[key]})"
                style[key] = "1"


def _both(light, dark, key):
    if light == dark:
        return light
    rest = COLOUR.split(light)
    assert rest == COLOUR.split(dark), f"{key}: {light} on light, {dark} on dark"
    colours = zip(COLOUR.findall(light), COLOUR.findall(dark), strict=True)
    one = [here if here == there else f"light-dark({here}, {there})" for here, there in colours]
    return "".join(text for pair in zip(rest, [*one, ""], strict=True) for text in pair)


# --- parts to leave out --------------------------------------------------------------------------------------


def _tidy(root):
    """Remove the background, and attributes that only scripts read."""
    ground = f"light-dark({_rgb(LIGHT.ground)}, {_rgb(DARK.ground)})"
    for each in list(root):
        if each.tag == f"{SVG}rect" and _declarations(each).get("fill") == ground:
            root.remove(each)
    for each in root.iter():
        classes = each.get("class", "").split()
        if "crisp" in classes:  # as in Plotly's style sheet
            each.set("shape-rendering", "crispEdges")
        grounds = [name for name in classes if name in ("on-light", "on-dark")]
        unread = [key for key in each.keys() if key == "class" or key.startswith("data-") or key in POINTING]
        for key in unread:
            each.attrib.pop(key)
        if grounds:
            each.set("class", grounds[0])


def _rgb(colour):
    return f"rgb({', '.join(str(int(colour[i : i + 2], 16)) for i in (1, 3, 5))})"


def _drop_unused(root):
    """Remove unused definitions and elements that draw nothing, from the leaves up."""
    while True:
        used = {found for each in root.iter() for value in each.attrib.values() for found in REFERENCE.findall(value)}
        used |= {each.get("href", "")[1:] for each in root.iter()}
        gone = [(over, each) for over in root.iter() for each in over if _shows_nothing(each, used)]
        for over, each in gone:
            over.remove(each)
        if not gone:
            return


def _shows_nothing(element, used):
    tag, style = element.tag.removeprefix(SVG), _declarations(element)
    if tag in ("clipPath", "linearGradient", "radialGradient", "pattern", "mask", "filter"):
        return element.get("id") not in used
    if style.get("display") == "none" or style.get("opacity") == "0":
        return True
    if tag in ("g", "defs", "a"):
        return len(element) == 0
    if tag == "path":
        return not element.get("d") or element.get("d") == "M0,0Z" or _is_clear(style)
    if tag == "rect" and element.get("width") == "0":
        return True
    if tag == "text":
        return not "".join(element.itertext()).strip()
    return tag in ("rect", "circle") and _is_clear(style)


def _is_clear(style):
    """Return True if neither fill nor stroke is visible. A stroke without a colour counts as none."""
    inside = style.get("fill") in ("none", "transparent") or style.get("fill-opacity") == "0"
    outline = style.get("stroke", "none") in ("none", "transparent") or style.get("stroke-opacity") == "0"
    return inside and (outline or style.get("stroke-width") in ("0", "0px"))


def _simplify(element):
    """Write numbers with two decimals, and remove declarations that change nothing."""
    for key in ("d", "points"):
        if key in element.attrib:
            element.set(key, PATH_NUMBER.sub(_rounded, element.get(key)))
    for key in ("transform", "x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r", "width", "height", "dy", "dx"):
        if key in element.attrib:
            element.set(key, NUMBER.sub(_rounded, element.get(key)))
    if element.get("transform", "").replace(" ", "") in ("translate(0,0)", ""):
        element.attrib.pop("transform", None)
    style = {key: NUMBER.sub(_rounded, value) for key, value in _declarations(element).items() if key not in POINTING}
    if style.get("stroke-opacity") == "0":
        style |= {"stroke": "none", "stroke-opacity": "1"}
    if style.get("stroke-dasharray") in ("0px", "0", ""):
        style["stroke-dasharray"] = "none"
    style = {key: value for key, value in style.items() if value != OWN.get(key) and value}
    element.attrib.pop("style", None)
    if style:
        element.set("style", _style(style))


def _rounded(found):
    text = f"{float(found[0]):.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _inherit(element, said):
    """Remove declarations that an element inherits anyway, from it and its descendants."""
    style = _declarations(element)
    left = {key: value for key, value in style.items() if said.get(key) != value}
    element.attrib.pop("style", None)
    if left:
        element.set("style", _style(left))
    below = said | {key: value for key, value in style.items() if key in (*INHERITED, *LETTERS, "fill")}
    for each in element:
        _inherit(each, below)


def _flatten(root):
    """Replace groups without attributes by their children."""
    for over in list(root.iter()):
        place = 0
        while place < len(over):
            each = over[place]
            if each.tag == f"{SVG}g" and not each.attrib:
                over[place : place + 1] = list(each)
            else:
                place += 1


def _lettered(root):
    """Remove the font properties that all texts share, and return them as the root's style attribute."""
    texts = [each for each in root.iter() if each.tag == f"{SVG}text"]
    styles = [_declarations(each) for each in texts]
    said = {key: {style.get(key, "") for style in styles} for key in LETTERS}
    common = {key: values.pop() for key, values in said.items() if len(values) == 1}
    common = {key: value for key, value in common.items() if value}
    for each, style in zip(texts, styles, strict=True):
        each.set("style", _style({key: value for key, value in style.items() if key not in common}))
    return {"style": _style(common)} if common else {}


def _style(declarations):
    return ";".join(f"{key}:{value}" for key, value in declarations.items())


# --- written -------------------------------------------------------------------------------------------------


def written(root):
    """Return the tree as text, one element per line except inside texts."""
    for each in root.iter():
        if each.tag.removeprefix(SVG) not in ("text", "tspan"):
            each.text = "\n" if len(each) else None
    for over in root.iter():
        if over.tag.removeprefix(SVG) not in ("text", "tspan"):
            for each in over:
                each.tail = "\n"
    root.tail = None
    ElementTree.register_namespace("", SVG[1:-1])
    return ElementTree.tostring(root, encoding="unicode").replace(" />", "/>")
