"""Four charts that follow a slider. DRAW says how: by our component, or by st.plotly_chart."""

import os

import streamlit as st
import work

from pages._view.live import draw_picture


@st.fragment
def live():
    d_k = st.slider("d_k", work.FIRST, work.LAST, work.START)
    columns = [*st.columns(2), *st.columns(2)]
    for i, (column, figure) in enumerate(zip(columns, work.figures(d_k), strict=True)):
        with column:
            if os.environ["DRAW"] == "component":
                draw_picture(figure, key=f"chart_{i}", sentence="", alt="", config={})
            else:
                st.plotly_chart(figure, key=f"chart_{i}")


live()
