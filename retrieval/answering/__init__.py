"""Answering a question: the pipeline, one module per answerer, and the fusion of their candidates."""
