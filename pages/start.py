"""Start: drag d_k. Raw scores spread like √d_k and softmax collapses; scaled scores and weights stay put."""

from pages._view import compute, controls, frame, show
from pages._view.lessons.start import figures, work
from pages._view.lessons.start.declaration import LESSON
from pages._view.live import draw_hero
from pages._view.picture import Picture
from sattn_core.lessons.start import StartParams, measure_start

show.heading(LESSON)

d_k, law = controls.value_of("d_k"), controls.value_of("law")
params = StartParams(
    dims=controls.stops_of("d_k"),
    n_samples=work.SAMPLES[law],
    n_keys=controls.value_of("n_keys"),
    law=law,
    seed=controls.value_of("seed"),
)
result = compute.result(measure_start, params)
here = params.dims.index(d_k)
draw_hero(
    figures.hero_payload(result, d_k, frame.profile()),
    key="hero",
    on_commit=lambda value: controls.place("d_k", value),
)
show.tries(LESSON)
show.data(
    Picture(
        "start",
        {},
        "",
        figures.table(result, here),
        figures.code(params, d_k),
        note=figures.table_note(d_k),
        bins=figures.bins(result, here),
        how_to_save="The picture: *Save SVG* above it.",
    )
)
show.steps(
    (
        "1. Spread",
        "A score adds up d_k products. Each has variance 1, so the sum has variance d_k.",
        "score_variance",
    ),
    (
        "2. Collapse",
        "Softmax looks at differences. When they grow like √d_k, one key takes all and the others vanish.",
        "softmax_saturation",
    ),
    (
        "3. Fix",
        "Var(cX) = c² Var(X): with c = 1/√d_k it is 1 at every d_k.",
        "score_variance",
    ),
)
show.prose(LESSON)
show.sources(LESSON)
