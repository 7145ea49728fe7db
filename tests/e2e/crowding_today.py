"""What is crowded today: lesson -> (figure, kind) -> the sizes. Printed by crowding.py."""

TODAY = {
    "gradient_flow": {
        ("gradient_histograms", "label and tick collide"): "1024p 1920p",
    },
    "small_samples": {
        ("large_experiment", "label on line"): "390 820 1024 1024p",
    },
}
