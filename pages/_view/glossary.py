"""The technical terms of the lessons, each explained in one plain sentence."""

from types import MappingProxyType

TERMS = MappingProxyType(
    {
        "dₖ": "The dimension: how many numbers a query and a key have, and so how many products a score adds up.",
        "query": "A vector of dₖ numbers, its components, that says what one token looks for.",
        "key": "A vector of dₖ numbers that says what one token has to offer; it is compared with queries.",
        "score": "The dot product q·k of a query and a key: the sum of dₖ products, larger where the two agree.",
        "spread": "How far values scatter around their mean: the standard deviation σ, the root of the variance.",
        "variance": "The mean square distance from the mean; its root is the standard deviation σ.",
        "standard deviation": "How far values typically lie from their mean: the square root of the variance.",
        "softmax": "It turns scores into weights that are positive and add up to 1; it sees only their differences.",
        "weight": "How much of a key’s value the query takes: softmax of the scores; all its weights add up to 100 %.",
        "logit": "Another word for a score that goes into softmax.",
        "temperature": "What scores are divided by before softmax: a large one evens the weights out.",
        "effective keys": "How many equally sharing keys the weights amount to: e to the power of their entropy.",
        "entropy": "How spread out the weights are, in nats: 0 for one key, ln n for n equal keys.",
        "Jacobian": "The table of all slopes of softmax: how much each weight moves when one score moves.",
        "gradient": "The slope of the loss in each number of the model; training steps against it.",
    }
)
