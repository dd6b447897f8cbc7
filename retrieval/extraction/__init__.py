"""A knowledge graph from text: facts read by a language model, each with the sentence it was read in."""
