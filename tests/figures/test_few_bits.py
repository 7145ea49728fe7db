"""Pictures of the few_bits lesson: their data are the result's, their words are its numbers."""
