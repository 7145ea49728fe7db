"""HTML from the templates in this folder. Each value is escaped, except `Markup`, which is HTML that we wrote."""

import re
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from jinja2.ext import Extension
from markupsafe import Markup

from pages._view.routes import NAME

_FOLDER = Path(__file__).parent
_BETWEEN_TAGS = re.compile(r"(<script.*?</script>)|(?<=[>}])\n\s*(?=[<{])", re.DOTALL)  # but not in scripts


class _LineBreaks(Extension):
    """Removes the line breaks between tags: `room.js` compares the old and the new page node by node."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        return _BETWEEN_TAGS.sub(lambda found: found[1] or "{#\n#}", source)  # a comment: an error names its line


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
    """Compile every template now; otherwise the first page that needs one would."""
    for name in _ENVIRONMENT.list_templates():
        _ENVIRONMENT.get_template(name)


def render(template: str, **values: Any) -> str:
    """Return a template's HTML with these values."""
    return _ENVIRONMENT.get_template(template).render(values)
