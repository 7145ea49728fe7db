"""Random draws of scores and matrices, and measurements on them."""
