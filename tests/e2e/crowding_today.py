"""What is crowded today: lesson -> (figure, kind) -> the sizes. Printed by crowding.py."""

TODAY = {
    "small_samples": {
        ("large_experiment", "label on line"): "390 820 1024 1024p",
    },
}
