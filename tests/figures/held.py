"""Evidence for every sentence that claims all or nothing: the name of a test, or the reason why the claim is true.

A fragment covers every text of its lesson that contains it, with # for each number. tests/pages/test_tries.py tests
what tries promise.
"""

import re
from collections.abc import Mapping

SWEEPING = re.compile(r"\b(all|every|any|stays?|never|no|none|only|always|nothing)\b", re.IGNORECASE)
NAMES = re.compile(r"Attention Is All You Need|all-MiniLM-L6-v2|[Nn]o scale\b")  # names, not claims
QUESTION = "it is a question"
DENIED = "it is what one may hear, and the text beside it denies it"
PLAN = "it says what to do, or what is done"

HELD: Mapping[str, Mapping[str, str]] = {
    "start": {
        "one key takes nearly all": "test_sentence_is_short_and_true_and_the_raw_share_grows_with_d_k",
        "Only the length of a query": "the variance of a score is dₖ, in which no other size occurs",
        "Watch one key take nearly all": "test_sentence_is_short_and_true_and_the_raw_share_grows_with_d_k",
        "dividing by √dₖ changes nothing": "√1 is 1",
    },
    "one_query": {
        "Nothing keeps it there": "a sum of products of real numbers has no bound",
        "the order of the words stays": "a positive factor keeps the order of numbers",
        "The order stays": "a positive factor keeps the order of numbers",
        "Only the shares change": "a positive factor keeps the order of numbers",
        "no better choice": "a positive factor keeps the order of numbers",
        "all products are invented": "test_sentence_of_every_step_is_short_and_true",
        "only numbers after the fourth are random": "test_a_small_dimension_has_its_first_invented_numbers_only",
        "the scores stay as they are": "test_sentence_of_every_step_is_short_and_true",
        "practically all": "test_sentence_of_every_step_is_short_and_true",
    },
    "score_variance": {
        "is no division needed": QUESTION,
        "no division is needed": "test_no_division_is_called_needed_if_raw_scores_spread_by_1",
        "if all components are independent": "it is the condition of the claim",
        "Any distribution with mean #": "test_draws_have_the_moments_of_their_law",
        "Only ÷ √dₖ stays flat": "test_labels_of_the_three_lines_say_how_spreads_grow",
        "squeezes them to nearly nothing": "test_labels_of_the_three_lines_say_how_spreads_grow",
        "all raw scores are #": "test_sentence_says_that_constant_scores_spread_at_no_d_k",
        "all are #": "test_sentence_says_that_constant_scores_spread_at_no_d_k",
        "nothing spreads at any dₖ": "of ± 1 with correlation −1 every product of two components is the same",
        "only tames the spread": "test_sentence_gives_the_mean_if_it_exceeds_the_standard_deviation",
    },
    "derivation": {
        "all three lines hold": "test_sentence_is_short_and_true_with_any_broken_assumption",
        "changes nothing": "√1 is 1",
        "All keys share it": "a mean of q that is not 0 shifts every score of a row by about the same",
        "No variance exists": "Student's t with ν ≤ 2 has no second moment",
    },
    "softmax_saturation": {
        "It sees only": "softmax(s + c) = softmax(s)",
        "over the sum of all eˢ": "the definition of softmax",
        "nly differences": "softmax(s + c) = softmax(s)",
        "even weights, one output for all": "equal weights give each token the mean of the values",
        "Nothing is added": "test_sentence_gives_the_weight_moved_by_an_added_number",
        "which passes on hardly any gradient": "test_sentence_gives_the_weight_moved_by_an_added_number",
        "alike at every dₖ": "test_sentence_names_the_row_that_differs",
        "with any scale": "test_softmax_of_the_largest_floats_does_not_overflow",
        "helps only products": "a sum in float16 is lost before softmax, whatever is subtracted there",
        "no exponent changes anything": "1 to any power is 1",
        "in all three": "test_sentence_gives_the_share_left_to_a_token",
    },
    "wrong_choice": {
        "which curve stays": QUESTION,
        "puts nearly all right from": "test_answer_of_the_lesson_holds_from_d_k_8_to_1024_with_16_keys",
        "under Adam it stays": "test_one_rate_fits_sqrt_d_k_with_descent_and_d_k_with_adam",
        "Every loss stalls": DENIED,
        "the gradient stays large": "with −ln p it is p − 1 at the right key, near −1 while its weight is small",
        "no weight has a target": "only outputs enter a model's loss",
        "one rate for every size": "test_smallest_rate_is_constant_for_sqrt_d_k_and_grows_for_d_k",
        "At this rate plain gradient descent puts": "test_sentence_gives_the_counts_of_rows_put_right",
        "Of a hundred wrong choices": "test_sentence_gives_the_counts_of_rows_put_right",
        "nothing is divided": "1 to any power is 1",
        "come right in all three": "test_sentence_gives_the_counts_of_rows_put_right",
        "every right key has less than half": "test_sentence_is_true_before_the_first_step_and_at_d_k_1",
        "At the best rate plain gradient descent puts": "test_sentence_of_the_rates_gives_the_best_count_of_each_rule",
    },
    "training_race": {
        "always freezes": DENIED,
        "learns nearly all pairs": "test_outcome_names_both_steps_if_raw_learns_later",
        "÷ √dₖ all": "test_heading_of_each_map_counts_its_right_rows",
        "all but raw learn": "test_sentence_is_true_of_the_record_at_each_rate",
        "raw at none": "test_sentence_of_the_rates_counts_the_rates_that_learn",
        "not nothing": QUESTION,
        "Only it keeps σ": "σ is √dₖ over what divides",
        "needs no repair?": QUESTION,
    },
    "recap": {
        "right at each of these sizes": "test_with_sqrt_d_k_one_rate_fits_all_sizes_for_descent_but_not_adam",
        "puts none right at": "test_sentence_names_the_size_with_the_fewest_rows_put_right",
        "not nothing": QUESTION,
        "Only it keeps σ": "σ is √dₖ over what divides",
        "nothing to cancel": "test_sentence_at_d_k_1_says_that_nothing_can_cancel",
    },
    "gradient_flow": {
        "Not all": "test_share_of_frozen_rows_grows_with_d_k",
        "With the scale almost none freezes": "test_hardly_any_row_is_frozen_with_the_scale",
        "All gradients vanish": DENIED,
        "Every row gets less": DENIED,
        "less only once": "test_sentence_on_the_means_is_true_for_every_seed",
        "pass on next to nothing?": QUESTION,
        "they pass on next to nothing": "test_sentence_counts_the_frozen_rows_with_and_without_the_scale",
        "With it, none is": "test_sentence_counts_the_frozen_rows_with_and_without_the_scale",
        "practically nothing": "test_sentence_on_the_jacobians_is_right",
        "none of the hundred rows": "test_sentence_counts_the_frozen_rows_with_and_without_the_scale",
        "every row gets the same gradient": "1/√1 is 1",
    },
    "attention_steps": {
        "Only $Q$ and $K$ do": "a score is a product of a row of Q and a row of K",
        "Divide every score": PLAN,
        "Nothing is masked": "without a mask no score is replaced",
        "every query may attend": "without a mask no score is replaced",
        "changes nothing, for": "√1 is 1",
        "gives these keys no weight": "e to the power −∞ is 0",
        "practically all": "test_a_key_gets_all_of_the_weight_only_if_no_other_is_left",
        "key all of its weight": "test_a_key_gets_all_of_the_weight_only_if_no_other_is_left",
        "The mask forbids every key": "e to the power −∞ is 0",
    },
    "backprop": {
        "through every product": "test_gradients_have_the_names_and_the_order_of_the_core",
        "grow, shrink or stay?": QUESTION,
        "only through the weights P": "test_sentence_names_the_effect_of_the_scale_on_a_gradient",
        "Only rounding is left": "test_no_slope_is_named_if_rounding_hides_it",
    },
    "small_samples": {
        "are no sample": "who picks numbers does not draw them",
        "any spread comes out": "products grow with the square of what is typed",
        "only four dependent numbers": "test_one_draw_in_forty_lies_above_the_band_of_small_products",
        "every draw comes": "test_sentence_gives_the_share_of_draws_near_d_k",
    },
    "unit_variance": {
        "every feature mean #": DENIED,
        "may have any mean": "what is normalised is another average, over the features of a token",
        "practically nothing": "test_sentence_gives_the_expected_deviation_of_scaled_scores",
        "all that softmax sees": "softmax(s + c) = softmax(s)",
        "practically all of its weight": "test_sentence_of_shared_inputs_gives_the_weight_of_a_token_on_itself",
    },
    "scaling_rules": {
        "Among powers of $d_k$": "test_words_describe_the_effect_of_the_exponent_on_the_moments",
        "the variance the same at every dₖ?": QUESTION,
        "only ÷ dₖ keeps the mean": "test_mean_stays_constant_only_if_divided_by_d_k",
        "keeps it flat": "test_words_describe_the_effect_of_the_exponent_on_the_moments",
        "it stays near": "test_words_describe_the_effect_of_the_exponent_on_the_moments",
        "the mean stays near": "test_mean_stays_constant_only_if_divided_by_d_k",
        "nothing to divide by yet": "1 to any power is 1",
        "the entropy stays near": "test_words_on_the_curves_agree_with_exact_entropies_for_every_seed",
    },
    "your_scores": {
        "none of the heads": "test_sentence_of_aligned_heads_names_the_alignment_not_the_spread",
    },
    "trained_heads": {
        "some at nearly all": "test_sentence_counts_the_heads_with_a_spread_above_1",
        "Drag α in all heads": PLAN,
        "all heads lie above": "test_sentence_counts_the_heads_with_a_spread_above_1",
        "in every head": "test_curves_are_the_cosines_after_each_layer",
    },
    "long_context": {
        "does nothing about their number": "the number of keys is not in 1/√dₖ",
        "fit for any length": DENIED,
        "for a key that only chance put first": "test_a_key_on_top_by_chance_gets_less_than_a_key_of_score_8",
    },
    "few_bits": {
        "sums in # bits, it stays": "test_words_of_the_curves_are_about_the_chosen_format",
        "at every dₖ?": QUESTION,
        "no weight is left": "test_rows_with_an_overflow_count_as_rows_without_weights",
        "every row": "test_rows_with_an_overflow_count_as_rows_without_weights",
    },
    "corrections": {
        "All of them say": "each of the five was read: variance dₖ or d_ρ, or more of it in more dimensions",
        "product of four means": "of two independent products, the components of mean 0",
        "of $QK$ stands for all": DENIED,
        "All of the weight falls": DENIED,
    },
}  # fmt: skip
