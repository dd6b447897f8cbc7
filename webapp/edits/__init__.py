"""Edits of graphs by hand: their log, what they change in which version, and undo."""
