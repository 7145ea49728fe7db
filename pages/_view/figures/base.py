"""What every Plotly figure shares: fonts, grid and colours of the profile it is drawn for."""

import plotly.graph_objects as go
from plotly.subplots import make_subplots


def canvas(profile, *, rows=1, cols=1, height=1.0, **options):
    """An empty figure in the profile's sizes and colours; options go to `make_subplots`."""
    fig = make_subplots(rows=rows, cols=cols, **options)
    fig.update_layout(
        template=go.layout.Template(),
        height=round(profile.height * height),
        paper_bgcolor=profile.ground,
        plot_bgcolor=profile.ground,
        font=dict(color=profile.text, size=profile.tick_size, family="Source Sans, Source Sans Pro, sans-serif"),
        margin=dict(l=10, r=10, t=profile.title_size * 2, b=10),
        showlegend=False,
        hovermode="closest",
        hoverlabel=dict(font_size=profile.tick_size),
        bargap=0,
        dragmode=False,
        transition_duration=0,
    )
    axis = dict(
        color=profile.text,
        gridcolor=profile.grid,
        linecolor=profile.text,
        zeroline=False,
        showline=True,
        ticks="outside",
        tickfont_size=profile.tick_size,
        title_font_size=profile.axis_size,
        automargin=True,
        fixedrange=True,
    )
    fig.update_xaxes(showgrid=False, **axis)
    fig.update_yaxes(showgrid=True, **axis)
    fig.update_annotations(font=dict(size=profile.axis_size, color=profile.text))
    return fig


def solid(profile, colour, width=1.0):
    """Line style of a measured or computed quantity."""
    return dict(color=colour, width=profile.line_width * width)


def dashed(profile, width=1.0):
    """Line style of a theory: dashed, in the text colour."""
    return dict(color=profile.text, width=profile.line_width * width, dash="dash")


def thin(profile, colour):
    """Line style of a guide that must not compete with the data."""
    return dict(color=colour, width=profile.line_width / 2)


def title(text, profile):
    """A figure's title, left over the plot."""
    return dict(text=text, font_size=profile.title_size, x=0, xref="paper", y=0.98, yanchor="top")


def label(fig, text, profile, **place):
    """A word beside a line or in a corner: read at a glance, where a legend has to be looked up."""
    fig.add_annotation(
        text=text, showarrow=False, font=dict(size=profile.tick_size, color=profile.text), bgcolor=profile.ground, **place
    )


CORNER = dict(xref="x domain", yref="y domain", x=1, y=1, xanchor="right", yanchor="top")
