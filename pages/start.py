"""Start: drag d_k. Raw scores spread like √d_k and softmax collapses; scaled scores and weights stay put."""

from pages._view import compute, controls, frame, show
from pages._view.lessons.start import figures, work
from pages._view.lessons.start.declaration import LESSON, STEPS
from pages._view.live import draw_hero
from sattn_core.lessons.start import StartParams, measure_start

d_k, law = controls.value_of("d_k"), controls.value_of("law")
params = StartParams(
    dims=controls.stops_of("d_k"),
    n_samples=work.SAMPLES[law],
    n_keys=controls.value_of("n_keys"),
    law=law,
    seed=controls.value_of("seed"),
)
result = compute.result(measure_start, params)
picture = figures.hero(result, d_k, frame.profile())
draw_hero(picture.figure, key="hero", on_commit=lambda value: controls.place("d_k", value))
show.tries(LESSON)
show.data(picture)
show.steps(*STEPS)
show.folds(LESSON)
