"""Candidate subgraphs: the part of a graph around the topic entities."""
