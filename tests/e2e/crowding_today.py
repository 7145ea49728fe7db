"""What is crowded today: lesson -> (figure, kind) -> the sizes. Printed by crowding.py."""

TODAY = {}
