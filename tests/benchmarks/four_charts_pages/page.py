"""Four Streamlit charts that follow a slider."""

import streamlit as st
import work


@st.fragment
def live():
    d_k = st.slider("d_k", work.FIRST, work.LAST, work.START)
    columns = [*st.columns(2), *st.columns(2)]
    for i, (column, figure) in enumerate(zip(columns, work.figures(d_k), strict=True)):
        with column:
            st.plotly_chart(figure, key=f"chart_{i}")


live()
