"""Every picture of every lesson, made as its page makes it."""

from importlib import import_module

from pages._view import compute
from pages._view.lessons import VIEWS
from pages._view.lessons.training_race import transformer

result = compute.result
FEWER = {"wrong_choice": {"n_keys": 6}}  # what would take minutes: a step of the rows takes the square of their keys


def _backprop(values, profile, figures, work, core):
    params, weight = work.checked_params(values), values["weight"]
    yield figures.raw_scores(work.sweep(values), values["d_k"], profile)
    yield figures.first_order(result(core.first_order_change, params, weight), params, profile)
    yield figures.difference(result(core.central_difference_error, params, weight), params, profile)
    yield figures.products(result(core.measure_products, work.products_params("1,2;3,4", "5,6;7,8")[0]), profile)


def _derivation(values, profile, figures, work, core):
    found = result(core.measure_derivation, work.params(values, values["d_k"]))
    return figures.lines(found), figures.growth(found, profile)


def _few_bits(values, profile, figures, work, core):
    here = work.params(values)
    yield figures.curves(result(core.few_bits_curves, work.DIMS, work.all_formats(here)), here, profile)
    yield figures.large(result(core.large_sum, here.d_k, work.OVERFLOWS, here.sums), profile)


def _gradient_flow(values, profile, figures, work, core):
    options = {name: values[name] for name in ("n_keys", "seed")}
    yield figures.jacobians(*work.row_jacobian(values), values["d_k"], profile)
    yield figures.curves(result(core.gradient_curve, **work.curve_options(**options)), values["place"], profile)


def _long_context(values, profile, figures, work, core):
    yield figures.rows(work.fading(values), values["context_length"], profile)


def _recap(values, profile, figures, work, core):
    for name in ("score", "spread", "breaks", "power", "alike"):
        yield work.picture(name, "", values, profile)


def _scaling_rules(values, profile, figures, work, core):
    name = values["rule"]
    if values["part"] == "exponents":
        yield figures.means(work.powers(values), profile)
    elif values["part"] == "rules":
        yield figures.one_rule(result(core.compare_rules, work.rules_params(values, values["d_k"])), name, profile)
        yield figures.curves(result(core.rule_curves, work.rules_params(values), **work.CURVES), name, profile)


def _score_variance(values, profile, figures, work, core):
    options = {"n_samples": 1000, **work.draw_options(values)}
    curve = result(core.variance_curve, work.CURVE_DIMS, **options)
    yield figures.variance_against_dimension(curve, options, profile)


def _small_samples(values, profile, figures, work, core):
    options = work.band_options(values)
    yield figures.band(result(core.band_curve, **options), options, profile)
    yield figures.large_experiment(result(core.measure_large_experiment, seed=values["seed"]), profile)


def _softmax_saturation(values, profile, figures, work, core):
    found, params = work.averages(values)
    yield figures.averages(found, params, values["d_k"], profile)
    yield figures.overflow(result(core.overflow_study), profile)


def _start(values, profile, figures, work, core):
    yield figures.hero(work.here(values), values["d_k"], work.mean(values))


def _trained_heads(values, profile, figures, work, core):
    yield figures.attention(work.heads(values), work.place(values), values["exponent"], profile)
    yield figures.downstream(work.heads(values), values["exponent"], profile)


def _training_race(values, profile, figures, work, core):
    run, sweep = result(work.train, work.params(values), True)
    yield figures.attention(run, profile)
    yield figures.learning(run, profile)
    yield figures.state(run, profile)
    yield figures.rates(sweep, profile)
    yield figures.equivalence(result(work.train_equal_pairs, work.equal_d_k(min(values["d_k"], 64))), profile)
    trained = result(core.compare_transformers, work.transformer_params(values))
    for draw in (transformer.rates, transformer.learning, transformer.heads):
        yield draw(trained, profile)


def _unit_variance(values, profile, figures, work, core):
    few = work.params(values, n_tokens=work.SHARED_TOKENS)
    yield figures.shared(result(core.measure_shared_input, few), few, profile)
    found = result(core.measure_unit_variance, work.params(values))
    yield figures.schemes(found, profile)
    yield figures.pipeline(found, profile)


def _wrong_choice(values, profile, figures, work, core):
    curves = work.curves(values)
    yield figures.weights(work.row(values), values["steps"], profile)
    yield figures.rates(*work.here(curves, values), profile)
    yield figures.dimensions(curves, values["steps"], profile)


def _your_scores(values, profile, figures, work, core):
    params = work.sample_params(values["sample"], values["d_k"], values["seed"])
    found = result(work.measure_sample, params, values["head"])
    yield figures.histogram(found, params, figures.source(found, params, values["d_k"], ()), (), profile)
    yield figures.growth(found, params, (), profile)


def pictures(stem, values, profile):
    """The main picture at rest, and the others, in the order of the page; of a race, those when it is finished."""
    way, others = VIEWS[stem].main, globals().get(f"_{stem}")
    values = {**values, **{name: min(values[name], most) for name, most in FEWER.get(stem, {}).items()}}
    found = [(way.at_rest or way.picture)(values, profile)] if way and stem != "training_race" else []
    if others:
        package = f"pages._view.lessons.{stem}"
        named = (f"{package}.figures", f"{package}.work", f"sattn_core.lessons.{stem}")
        found += others(values, profile, *map(import_module, named))
    return found
