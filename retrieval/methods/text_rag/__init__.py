"""Answering from passages."""
