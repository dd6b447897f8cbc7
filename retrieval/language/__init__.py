"""English: what can be said of the words of a question without a graph."""
