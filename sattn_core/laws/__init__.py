"""Laws of random components and draws from them, and exact results for scores and softmax."""
