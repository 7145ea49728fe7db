"""The grounds of all sentences that claim all or nothing: for each the name of a test, or the reason why it is true.

A fragment covers every text of its lesson that contains it; numbers in a text are written #. The promises of tries have
tests of their own, see tests/pages/test_tries.py.
"""

import re
from collections.abc import Mapping

SWEEPING = re.compile(r"\b(all|every|any|stays?|never|no|none|only|always|nothing)\b", re.IGNORECASE)
NAMES = re.compile(r"Attention Is All You Need|all-MiniLM-L6-v2|[Nn]o scale\b")  # names that claim nothing
QUESTION = "it is a question"
DENIED = "it is what one may hear, and the text beside it denies it"
PLAN = "it says what to do, or what is done"

HELD: Mapping[str, Mapping[str, str]] = {
    "start": {
        "one key takes nearly all": "test_sentence_is_short_and_true_and_raw_share_only_grows",
        "Only the length of a query": "the variance of a score is dₖ, in which no other size occurs",
        "Watch one key take nearly all": "test_sentence_is_short_and_true_and_raw_share_only_grows",
        "dividing by √dₖ changes nothing": "√1 is 1",
    },
    "one_query": {
        "Nothing keeps it there": "a sum of products of real numbers has no bound",
        "the order of the words stays": "a positive factor keeps the order of numbers",
        "The order stays": "a positive factor keeps the order of numbers",
        "Only the shares change": "a positive factor keeps the order of numbers",
        "no better choice": "a positive factor keeps the order of numbers",
        "all products are invented": "test_the_sentence_is_short_and_true",
        "only numbers after the fourth are random": "test_a_small_dimension_has_its_first_invented_numbers_only",
        "the scores stay as they are": "test_the_sentence_is_short_and_true",
        "practically all": "test_the_sentence_is_short_and_true",
    },
    "score_variance": {
        "is no division needed": QUESTION,
        "no division is needed": "test_no_division_is_needed_where_raw_spreads_like_divided",
        "if all components are independent": "it is the condition of the claim",
        "Any distribution with mean #": "test_draws_have_the_moments_of_their_law",
        "Only ÷ √dₖ stays flat": "test_three_rays_are_named_by_what_they_do",
        "squeezes them to nearly nothing": "test_three_rays_are_named_by_what_they_do",
        "all raw scores are #": "test_constant_scores_have_no_spread_to_divide",
        "all are #": "test_constant_scores_have_no_spread_to_divide",
        "nothing spreads at any dₖ": "of ± 1 with correlation −1 every product of two components is the same",
        "only tames the spread": "test_scores_a_standard_deviation_off_are_named_by_their_mean",
    },
    "derivation": {
        "all three lines hold": "test_sentences_are_short_and_true_with_any_broken_assumption",
        "changes nothing": "√1 is 1",
        "All keys share it": "a mean of q that is not 0 shifts every score of a row by about the same",
        "No variance exists": "Student's t with ν ≤ 2 has no second moment",
    },
    "softmax_saturation": {
        "It sees only": "softmax(s + c) = softmax(s)",
        "over the sum of all eˢ": "the definition of softmax",
        "nly differences": "softmax(s + c) = softmax(s)",
        "even weights, one output for all": "equal weights give each token the mean of the values",
        "Nothing is added": "test_the_sentence_of_a_nudge_gives_the_moved_weight",
        "which passes on hardly any gradient": "test_the_sentence_of_a_nudge_gives_the_moved_weight",
        "alike at every dₖ": "test_the_row_that_differs_is_named",
        "with any scale": "test_no_exponential_overflows_though_scores_may",
        "helps only products": "a sum in float16 is lost before softmax, whatever is subtracted there",
        "no exponent changes anything": "1 to any power is 1",
        "in all three": "test_sentence_gives_the_share_left_to_a_token",
    },
    "wrong_choice": {
        "which curve stays": QUESTION,
        "puts nearly all right from": "test_answer_holds_from_8_to_1024_with_16_keys",
        "under Adam it stays": "test_the_optimizers_change_roles_at_the_usual_settings",
        "Every loss stalls": DENIED,
        "the gradient stays large": "with −ln p it is p − 1 at the right key, near −1 while its weight is small",
        "no weight has a target": "only outputs enter a model's loss",
        "one rate for every size": "test_rate_of_the_root_stays_and_that_of_d_k_grows",
        "At this rate plain gradient descent puts": "test_the_sentence_gives_the_counts",
        "Of a hundred wrong choices": "test_the_sentence_gives_the_counts",
        "nothing is divided": "1 to any power is 1",
        "come right in all three": "test_the_sentence_gives_the_counts",
        "every right key has less than half": "test_the_sentence_is_true_at_the_ends",
        "At the best rate plain gradient descent puts": "test_sentence_of_the_rates_gives_the_best_counts",
    },
    "training_race": {
        "always freezes": DENIED,
        "learns nearly all pairs": "test_no_harm_is_never_claimed_where_raw_learns_later",
        "÷ √dₖ all": "test_above_each_map_is_its_own_count_of_right_rows",
        "all but raw learn": "test_the_sentence_is_true_of_the_record_at_each_rate",
        "raw at none": "test_the_map_counts_its_runs_and_jumps_where_it_is_solved",
        "not nothing": QUESTION,
        "Only it keeps σ": "σ is √dₖ over what divides",
        "needs no repair?": QUESTION,
    },
    "recap": {
        "right at each of these sizes": "test_one_rate_serves_all_sizes_only_with_gradient_descent",
        "puts none right at": "test_the_sentence_names_the_size_with_the_fewest",
        "not nothing": QUESTION,
        "Only it keeps σ": "σ is √dₖ over what divides",
        "nothing to cancel": "test_a_single_product_cancels_nothing",
    },
    "gradient_flow": {
        "Not all": "test_the_share_of_frozen_rows_only_grows_with_d_k",
        "With the scale almost none freezes": "test_hardly_any_row_freezes_with_the_scale",
        "All gradients vanish": DENIED,
        "Every row gets less": DENIED,
        "less only once": "test_no_seed_says_anything_false_of_a_mean",
        "pass on next to nothing?": QUESTION,
        "they pass on next to nothing": "test_the_sentence_counts_the_frozen_rows_on_both_sides",
        "With it, none is": "test_the_sentence_counts_the_frozen_rows_on_both_sides",
        "practically nothing": "test_the_sentence_on_the_jacobians_is_right",
        "none of the hundred rows": "test_the_sentence_counts_the_frozen_rows_on_both_sides",
        "every row gets the same gradient": "1/√1 is 1",
    },
    "attention_steps": {
        "Only $Q$ and $K$ do": "a score is a product of a row of Q and a row of K",
        "Divide every score": PLAN,
        "Nothing is masked": "without a mask no score is replaced",
        "every query may attend": "without a mask no score is replaced",
        "changes nothing, for": "√1 is 1",
        "gives these keys no weight": "e to the power −∞ is 0",
        "practically all": "test_no_key_gets_all_while_another_has_a_weight",
        "key all of its weight": "test_no_key_gets_all_while_another_has_a_weight",
        "The mask forbids every key": "e to the power −∞ is 0",
    },
    "backprop": {
        "through every product": "test_the_gradients_are_those_of_the_core_in_their_order",
        "grow, shrink or stay?": QUESTION,
        "only through the weights P": "test_the_sentence_names_the_effect_of_the_scale_on_a_gradient",
        "Only rounding is left": "test_no_slope_is_named_where_rounding_hides_it",
    },
    "small_samples": {
        "are no sample": "who picks numbers does not draw them",
        "any spread comes out": "products grow with the square of what is typed",
        "only four dependent numbers": "test_the_band_of_small_products_is_no_bound_for_their_draws",
        "every draw comes": "test_the_sentence_is_short_and_counts_the_draws_near_d_k",
    },
    "unit_variance": {
        "every feature mean #": DENIED,
        "may have any mean": "what is normalised is another average, over the features of a token",
        "practically nothing": "test_the_sentence_is_short_and_says_what_is_expected",
        "all that softmax sees": "softmax(s + c) = softmax(s)",
        "practically all of its weight": "test_sentence_of_shared_inputs_gives_the_mean_weight",
    },
    "scaling_rules": {
        "Among powers of $d_k$": "test_words_describe_the_effect_of_the_exponent",
        "the variance the same at every dₖ?": QUESTION,
        "only ÷ dₖ keeps the mean": "test_mean_stays_only_divided_by_d_k",
        "keeps it flat": "test_words_describe_the_effect_of_the_exponent",
        "it stays near": "test_words_describe_the_effect_of_the_exponent",
        "the mean stays near": "test_mean_stays_only_divided_by_d_k",
        "nothing to divide by yet": "1 to any power is 1",
        "the entropy stays near": "test_no_seed_contradicts_the_exact_entropy_averages",
    },
    "your_scores": {
        "none of the heads": "test_sentence_of_aligned_heads_gives_no_spread_as_reason",
    },
    "trained_heads": {
        "some at nearly all": "test_the_sentence_counts_the_heads_above_1",
        "Drag α in all heads": PLAN,
        "all heads lie above": "test_the_sentence_counts_the_heads_above_1",
        "in every head": "test_the_curves_are_the_cosines",
    },
    "long_context": {
        "does nothing about their number": "the number of keys is not in 1/√dₖ",
        "fit for any length": DENIED,
        "for a key that only chance put first": "test_a_key_first_by_chance_gets_less_than_one_of_score_8",
    },
    "few_bits": {
        "sums in # bits, it stays": "test_the_claim_of_the_curves_is_about_the_chosen_format",
        "at every dₖ?": QUESTION,
        "no weight is left": "test_every_overflowing_row_is_counted_as_without_weight",
        "every row": "test_every_overflowing_row_is_counted_as_without_weight",
    },
    "corrections": {
        "All of them say": "each of the five was read: variance dₖ or d_ρ, or more of it in more dimensions",
        "product of four means": "of two independent products, the components of mean 0",
        "of $QK$ stands for all": DENIED,
        "All of the weight falls": DENIED,
    },
}  # fmt: skip
