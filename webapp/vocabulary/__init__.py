"""Descriptions and synonyms of the relations and kinds of a graph."""
