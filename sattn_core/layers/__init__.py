"""What a layer of attention computes: scores, softmax and products, how weights start, what scores are divided by."""
