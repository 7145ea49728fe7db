"""Parts of an attention layer: scores, softmax, products, initial weights and rules for scaling."""
