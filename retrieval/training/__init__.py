"""Training: sampled batches, losses, the loop, and checkpoints. ``retrieval.train`` trains a method with them."""
