"""HTML from the templates in this folder. Every value is escaped, except `Markup`, which is our own HTML."""

import re
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from jinja2.ext import Extension
from markupsafe import Markup

from pages._view.routes import NAME

_FOLDER = Path(__file__).parent
_BETWEEN_TAGS = re.compile(r"(<script.*?</script>)|(?<=[>}])\n\s*(?=[<{])", re.DOTALL)  # outside scripts


class _LineBreaks(Extension):
    """Jinja extension that removes line breaks between tags, since `room.js` compares pages node by node."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        return _BETWEEN_TAGS.sub(lambda found: found[1] or "{#\n#}", source)  # a comment keeps line numbers


_ENVIRONMENT = Environment(
    loader=FileSystemLoader(_FOLDER / "templates"),
    extensions=[_LineBreaks],
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    auto_reload=False,
)
_ENVIRONMENT.globals["NAME"] = NAME
for _name in ("first.css", "room.css", "room.js"):
    _ENVIRONMENT.globals[_name.replace(".", "_")] = Markup((_FOLDER / _name).read_text(encoding="utf-8"))


def compile_templates() -> None:
    """Compile every template now, so that no page has to wait for it."""
    for name in _ENVIRONMENT.list_templates():
        _ENVIRONMENT.get_template(name)


def render(template: str, **values: Any) -> str:
    """Return a template's HTML with these values."""
    return _ENVIRONMENT.get_template(template).render(values)
