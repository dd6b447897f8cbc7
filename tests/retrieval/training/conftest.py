"""Training of tiny models."""

import torch

# Matrices of this size are slower on several threads, and much slower on a busy machine.
torch.set_num_threads(1)
