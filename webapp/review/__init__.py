"""Analysts' review of rational paths."""
