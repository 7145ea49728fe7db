"""Text that the browser must show letter for letter, though Streamlit reads all text as Markdown.

The core names things as code does (d_k, n_keys); people read dₖ and words. Only this module converts these names:
`written` for text without markup, `plain` for Markdown.
"""

import re
from functools import lru_cache

_BLANKS = re.compile(r"[ \t\r\n\v\f\x1c-\x1f\x85\u2028\u2029]+")  # blanks, after which Markdown may begin
_BETWEEN_WORDS = re.compile(r"([\s“”\"(),;|]+|:material(?=/))")
# These become a link, an emoji, an icon or an arrow even when escaped, except in code.
_ALIVE = re.compile(r"://|www\.|@|:[^:]+:|->|<-|--|[<>~]=", re.IGNORECASE)
_MARK = re.compile(r"[\\*_`$\[\]~|]|&(?=[#\w])|<(?=[\w/!?])|:(?=\w)|^/")
_FIRST = re.compile(r"^(?:[>=]|[#+-](?=[#\s]|$)|\d{1,9}(?=[.)](?:\s|$)))")

_SUBSCRIPTS = {
    "d_k": "dₖ",
    "d_v": "dᵥ",
    "q_i": "qᵢ",
    "k_i": "kᵢ",
    "k_j": "kⱼ",
    "S_max": "Sₘₐₓ",
}
_WORDS = {
    "d_model": "model width",
    "n_keys": "number of keys",
    "n_queries": "number of queries",
    "n_heads": "number of heads",
    "n_samples": "number of samples",
    "n_draws": "number of draws",
    "raw_scores": "raw scores",
}
_NAME = re.compile(rf"(√?)(?<![\w.\-])({'|'.join(_SUBSCRIPTS | _WORDS)})(?:\^([\d.]+))?(?!\w|[.\-]\w)")
_POWER = re.compile(r"(?<!\w)m\^([\d.]+)(?!\w)")
_MATRIX = re.compile(r"(?<!\w)(d?W_[QKVO])(?![A-Za-z0-9_]|[.\-]\w)")  # Unicode has no letter for these subscripts
_IDENTIFIER = re.compile(r"((?:[\w-]+/)?[A-Za-z]+(?:_[A-Za-z\d]+)+(?:\.py)?)(\.?)")
_QUOTES = ("“", '"')  # text after a quotation mark was typed by a visitor


def written(text: str) -> str:
    """Return text of the core with d_k as dₖ and n_keys as words, for use without markup: figures, options, tables."""
    return _article(text) + _in_words(text)


def drawn(text: str) -> str:
    """Return text of the core for Plotly, with the matrices' subscripts in its <sub> markup."""
    return _MATRIX.sub(lambda found: found[0].replace("_", "<sub>") + "</sub>", written(text))


def _in_words(text):
    return _POWER.sub(r"m to the power \1", _NAME.sub(_as_read, text))


def _as_read(found):
    root, name, power = found.groups()
    word = _SUBSCRIPTS.get(name) or _WORDS[name]
    word = f"({word})" if root and name in _WORDS else word
    return f"{root}{word} to the power {power}" if power else f"{root}{word}"


def as_code(text: str) -> str:
    """Return text with dₖ as d_k, for screen readers."""
    for code, subscript in _SUBSCRIPTS.items():
        text = text.replace(subscript, code)
    return text


@lru_cache(maxsize=2048)  # a page's next run has mostly the same texts
def plain(text: str, *, names: bool = False) -> str:
    """Return Markdown that shows a text as it is written, in a paragraph, a table, a label or a message.

    A word that Markdown turns into a link or an icon even if escaped is shown as code; with names=True, so are
    identifiers of addresses and code. A visitor's text comes after a quotation mark and stays letter for letter.
    """
    text, parts = _parts(text)
    pairs = zip(["", *parts], parts, strict=False)
    return _begun(_article(text) * (not names) + "".join(_marked(before, word, names) for before, word in pairs))


def verbatim(text: str) -> str:
    """Return text that a visitor typed, or the name of a file, as Markdown that shows it letter for letter, d_k too."""
    return _begun("".join(map(_literal, _parts(text)[1])))


def _parts(text):
    """Return the text in one line, and a list in which its words and separators alternate."""
    text = _BLANKS.sub(" ", text).strip(" ")
    return text, _BETWEEN_WORDS.split(text)


def _begun(marked):
    """Return Markdown whose first character starts no list, quotation or heading."""
    return _FIRST.sub(lambda found: found[0] + "\\" if found[0].isdigit() else "\\" + found[0], marked)


def _article(text):
    """Return "The " if the first word of the text is a name that becomes words, else ""."""
    first = _NAME.match(text)
    return "The " if first and first[2] in _WORDS and not first[1] else ""


def _marked(before, word, names):
    if before.endswith(_QUOTES):
        return _literal(word)
    if names and (named := _IDENTIFIER.fullmatch(word)):
        return f"`{named[1]}`{named[2]}"
    parts = _MATRIX.split(_in_words(word))
    return "".join(f"${part}$" if i % 2 else _literal(part) for i, part in enumerate(parts))


def _literal(word):
    if not _ALIVE.search(word):
        return _MARK.sub(lambda mark: "\\" + mark[0], word)
    fence = "`" * (1 + max(map(len, re.findall("`+", word)), default=0))
    gap = " " if "`" in (word[0], word[-1]) else ""
    return f"{fence}{gap}{word}{gap}{fence}"
