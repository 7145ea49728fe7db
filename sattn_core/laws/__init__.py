"""Laws of random components and the draws from them; what they say of scores and of softmax."""
