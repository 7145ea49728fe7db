"""Text that the browser must show letter for letter, though the platform reads all of it as Markdown."""

import re

_BLANKS = re.compile(r"[ \t\r\n\v\f\x1c-\x1f\x85\u2028\u2029]+")  # a line break or an indentation would mean something
_BETWEEN_WORDS = re.compile(r"([\s“”\"(),;|]+|:material(?=/))")
# What becomes a link, an emoji, an icon or an arrow in any text, escaped or not: only code is left alone.
_ALIVE = re.compile(r"://|www\.|@|:[^:]+:|->|<-|--|[<>~]=", re.IGNORECASE)
_MARK = re.compile(r"[\\*_`$\[\]~|]|&(?=[#\w])|<(?=[\w/!?])|:(?=\w)|^/")
_FIRST = re.compile(r"^(?:[>=]|[#+-](?=[#\s]|$)|\d{1,9}(?=[.)](?:\s|$)))")


def plain(text: str) -> str:
    """Text as Markdown that shows it letter for letter, in a paragraph, a table, a label or a message.

    A word that would become a link or a picture whatever is escaped in it is shown as code.
    """
    text = _BLANKS.sub(" ", text).strip(" ")
    marked = "".join(map(_literal, _BETWEEN_WORDS.split(text)))
    return _FIRST.sub(lambda found: found[0] + "\\" if found[0].isdigit() else "\\" + found[0], marked)


def _literal(word):
    if not _ALIVE.search(word):
        return _MARK.sub(lambda mark: "\\" + mark[0], word)
    fence = "`" * (1 + max(map(len, re.findall("`+", word)), default=0))
    gap = " " if "`" in (word[0], word[-1]) else ""
    return f"{fence}{gap}{word}{gap}{fence}"
