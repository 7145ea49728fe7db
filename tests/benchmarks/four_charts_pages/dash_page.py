"""The four charts and their slider as a Dash page, served on the port given as the argument."""

import sys

import work
from dash import Dash, Input, Output, dcc, html

app = Dash(__name__)
graphs = [dcc.Graph(id=f"chart_{i}") for i in range(4)]
app.layout = html.Div(
    [
        dcc.Slider(work.FIRST, work.LAST, 1, value=work.START, id="d_k", marks=None),
        html.Div(graphs, style={"display": "grid", "gridTemplateColumns": "1fr 1fr"}),
    ]
)


@app.callback(*[Output(each.id, "figure") for each in graphs], Input("d_k", "value"))
def follow(d_k):
    return work.figures(int(d_k))


app.run(host="127.0.0.1", port=int(sys.argv[1]))
