"""What is crowded today: lesson -> (figure, kind) -> the sizes. Printed by crowding.py."""

TODAY = {
    "": {},
    "score_variance": {},
    "softmax_saturation": {},
    "gradient_flow": {
        ("gradient_curves", "label cut off"): "1024p",
        ("gradient_curves", "label on area"): "390 1024 1024p",
        ("gradient_curves", "label on error bar"): "390 1024 1024p",
        ("gradient_curves", "label on line"): "390 1024 1024p",
        ("gradient_curves", "label on point"): "390 1024 1024p 1920p",
        ("gradient_histograms", "label cut off"): "1024 1024p",
    },
    "derivation": {},
    "attention_steps": {},
    "backprop": {},
    "small_samples": {
        ("large_experiment", "label on line"): "390 820 1024 1024p",
        ("sample_band", "label and tick collide"): "1024 1024p",
        ("sample_band", "label on axis"): "1024 1024p",
    },
    "unit_variance": {
        ("schemes", "label on line"): "390 1024 1024p",
        ("schemes", "label on point"): "390 1024 1024p",
        ("unit_variance", "label on line"): "1024p",
    },
    "training_race": {
        ("race_learning", "label and label collide"): "1024 1024p",
        ("race_learning", "label on line"): "1024p 1920p",
        ("race_state", "label and label collide"): "1024p 1920p",
    },
    "scaling_rules": {
        ("exponent_mean", "axis title and tick collide"): "1024",
        ("exponent_mean", "label cut off"): "1024 1024p",
        ("exponent_variance", "axis title and tick collide"): "1024",
        ("exponent_variance", "label cut off"): "1024 1024p",
        ("rule_comparison", "axis title cut off"): "390 1024 1024p",
        ("rule_entropy_d_k", "label cut off"): "1024 1024p",
        ("rule_entropy_d_k", "label on line"): "390 820 1024 1440 1920 1024p 1920p",
        ("rule_entropy_n_keys", "label and label collide"): "1024p 1920p",
        ("rule_entropy_n_keys", "label cut off"): "1024 1024p",
        ("rule_entropy_n_keys", "label on line"): "390 820 1024 1440 1920 1024p 1920p",
    },
    "your_scores": {
        ("your_growth", "label on line"): "390 820 1024 1440 1024p",
        ("your_growth", "label on point"): "390 820 1024 1024p",
        ("your_growth", "title cut off"): "820",
    },
}
