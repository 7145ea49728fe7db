// What no line of text breaks: a number and its sign, a symbol and its number. Python reads it from here (unbroken.py).
const UNBROKEN = /(÷ (?:√?dₖ|\d(?:[\d,.]*\d)?)|(?:√?dₖ|σ) = \d(?:[\d,.]*\d)?|\d(?:[\d,.]*\d)? ± \d(?:[\d,.]*\d)?(?: %)?|\d(?:[\d,.]*\d)? %|± \d(?:[\d,.]*\d)?(?: %)?)/;
