"""What a class does together, and where it is kept."""
