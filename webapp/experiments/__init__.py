"""Training and its checkpoints."""
