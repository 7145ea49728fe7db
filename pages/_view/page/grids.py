"""Matrices as grids with editable cells. The text of a matrix's field is the only source of its numbers."""

from collections.abc import Mapping, Sequence

import streamlit as st

from pages._view.page import controls, show
from sattn_core.files.typed import join_cells, split_cells


def link_remarks(linked: bool) -> list[str]:
    """Return a remark if the matrices are too large for a link."""
    return [] if linked else ["These matrices are too large for a link: it carries the other settings only."]


def draw_matrices(names: Sequence[str], written: Mapping[str, str]) -> tuple[dict[str, str], bool]:
    """Draw fields for matrices with a grid for each; return what `controls.draw_matrices` returns.

    The grid of an empty field shows the matrix that is used instead.
    """
    texts, linked = controls.draw_matrices(names, written)
    grids = [name for name in names if name != "mask"]
    box = st.expander("Edit as a grid", key=f"grid_of_{grids[0]}", on_change="rerun", icon=":material/grid_on:")
    if box.open:
        with box:
            for column, name in zip(st.columns(len(grids)), grids, strict=True):
                with column:
                    st.markdown(f"**{name}**")
                    _draw_grid(name, texts[name] if texts[name].strip() else written.get(name, ""))
    return texts, linked


def _draw_grid(name, text):
    """Draw the grid of a matrix; it keeps its edits, so it is replaced only when the text has changed elsewhere."""
    import pandas as pd  # noqa: PLC0415  pandas takes 60 MB, needed only once somebody opens a table or a grid

    version, seen, rows, problem = st.session_state.get(f"{name}_grid", (0, None, None, []))
    if text != seen or f"{name}_grid_{version}" not in st.session_state:
        try:
            version, rows, problem = version + 1, split_cells(name, text), []
        except ValueError:
            st.markdown("This text is not a rectangle of entries yet: correct it in its field.")
            return
    st.session_state[f"{name}_grid"] = version, text, rows, problem
    numbered = [str(column) for column in range(1, len(rows[0]) + 1)]
    st.data_editor(
        pd.DataFrame(rows, index=pd.RangeIndex(1, len(rows) + 1, name="row"), columns=numbered),
        key=f"{name}_grid_{version}",
        on_change=_write,
        args=(name, version),
        alt=f"{name}, one number per cell",
    )
    show.problems(problem)


def _write(name, version):
    """Write the edited cells into the text; a cell with several numbers stays in the grid, with a message."""
    current, text, rows, _ = st.session_state[f"{name}_grid"]
    if current != version:
        return
    cells, problem = [list(row) for row in rows], []
    for row, edits in st.session_state[f"{name}_grid_{version}"]["edited_rows"].items():
        for column, cell in edits.items():
            cells[int(row)][int(column) - 1] = cell or ""
    try:
        text = join_cells(name, cells)
        controls.fill({name: text})
    except ValueError as error:
        problem = [str(error)]
    st.session_state[f"{name}_grid"] = version, text, rows, problem
