"""What single lessons draw that no other does."""
