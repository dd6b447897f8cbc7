"""Edits of a graph: operations that a person makes by hand, and what each of them changes. Light: numpy only."""
