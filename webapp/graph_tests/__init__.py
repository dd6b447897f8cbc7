"""Tests of a graph: questions with their expected answers, asked before a version or a checkpoint becomes current."""
