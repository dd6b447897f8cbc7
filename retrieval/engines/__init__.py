"""Ways to answer a question: one file for each engine, and a registry that says which method each runs."""
