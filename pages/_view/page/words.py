"""Words that open their definition in place, by mouse, touch or keyboard."""

import re
from collections.abc import Sequence
from functools import partial
from html import escape

import streamlit as st

from pages._view.glossary import TERMS


def worded(text: str, terms: Sequence[str]) -> None:
    """Write a line of Markdown in which the first occurrence of each term opens its definition."""
    st.markdown(with_terms(text, terms), unsafe_allow_html=True)


def with_terms(text: str, terms: Sequence[str]) -> str:
    """Return the line with a term's definition after its first occurrence."""
    left = sorted(terms, key=len, reverse=True)  # longest first: "effective keys" before "keys"
    words = re.compile(rf"\b(?:{'|'.join(left)})(?:e?s)?\b", re.IGNORECASE)
    return words.sub(partial(_explained, left), text) if left else text


def _explained(left, found):
    term = next((each for each in left if found[0].lower().startswith(each.lower())), None)
    if term is None:
        return found[0]
    left.remove(term)
    # The common name makes the browser close one definition when another opens.
    return (
        f'<details class="term" name="term"><summary>{found[0]}</summary><span>{escape(TERMS[term])}</span></details>'
    )
