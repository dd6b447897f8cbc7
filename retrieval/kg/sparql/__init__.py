"""Graphs that stay in a SPARQL endpoint: names are looked up there, and subgraphs pulled on demand."""
