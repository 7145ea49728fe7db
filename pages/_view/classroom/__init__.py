"""Classes on their phones: the question of the moment, and the store of rooms and answers."""
