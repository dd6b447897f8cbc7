"""Training: examples from labels, sampled batches, losses, the loop, and checkpoints."""

from retrieval.training.result import TrainResult
from retrieval.training.run import train

__all__ = ["TrainResult", "train"]
