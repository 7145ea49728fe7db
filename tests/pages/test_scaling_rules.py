"""The scaling_rules page: its pictures."""

from tests.pages.opening import charts, open_page

SAID = {
    **dict.fromkeys(("exponent_variance", "exponent_mean"), "the variance goes from"),
    **dict.fromkeys(("rule_comparison", "rule_scores"), "Means over 32 queries"),
    **dict.fromkeys(("rule_entropy_d_k", "rule_entropy_n_keys"), "Dotted: equal weights"),
    "bug_weights": "the output is off by",
}  # what each picture's sentence speaks of


def test_each_picture_says_what_it_is_of():
    shown = charts(open_page("scaling_rules"))
    assert list(shown) == list(SAID)
    assert all(words in shown[key].alt for key, words in SAID.items())
