"""The addresses under ``/review/``."""
