"""Constructions that are read from a whole question, such as durations and differences."""
