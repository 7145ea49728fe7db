"""Random draws of scores and of matrices, and what is measured on them."""
