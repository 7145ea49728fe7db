"""Downloads for the chosen head: a file of its queries and keys, and a link to its whole report."""

from functools import partial

import streamlit as st

from pages._view.lesson_view import Values
from pages._view.lessons import LESSONS
from pages._view.lessons.trained_heads import work
from pages._view.page import frame, show

REPORT = LESSONS["your_scores"]  # a lesson whose samples are the layers of the record


def report_query(values: Values) -> dict[str, str]:
    """Return the query of the lesson that shows the report of the chosen head."""
    sample = REPORT.controls["sample"].write(f"trained_{values['layer']}")
    return {"sample": sample, "head": str(values["head_of_layer"])}


def draw(values: Values) -> None:
    """Draw a link to the report, and a button for the file."""
    with st.container(horizontal=True, vertical_alignment="center", key="taking"):
        label = "Its report, on the paragraph"
        st.page_link(
            frame.file_of(REPORT), label=label, icon=":material/fact_check:", query_params=report_query(values)
        )
        name = f"layer_{values['layer']}_head_{values['head_of_layer']}.npz"
        make = partial(work.head_file, dict(values))
        show.download("Download its q and k (.npz)", make, name, "application/octet-stream", key="head_npz")
