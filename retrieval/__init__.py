"""Clew's engine: knowledge graphs, text, retrievers and reasoners. No Django, no Celery."""

__version__ = "0.1.0"
