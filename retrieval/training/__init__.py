"""Training: examples from labels, sampled batches, losses, the loop, and checkpoints."""

from retrieval.training.run import TrainResult, train

__all__ = ["TrainResult", "train"]
