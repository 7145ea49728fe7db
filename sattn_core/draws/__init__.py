"""Random draws of scores and of matrices, and measurements on them."""
