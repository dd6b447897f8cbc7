"""The engine's command line, one file for each group of commands. Start with ``python -m retrieval``."""
