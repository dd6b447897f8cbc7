"""Layers and modules. Shapes are in the docstrings; nothing here knows files, questions or training."""
