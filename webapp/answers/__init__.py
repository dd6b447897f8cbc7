"""Runs: one question answered by one method, and the events it emitted."""
