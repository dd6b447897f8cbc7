"""Thin Celery tasks: load, call the engine, save, publish."""
