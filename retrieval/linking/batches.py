"""Texts put together into batches of about as many tokens."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch


def split_batches(
    features: dict[str, Any], most: int, tokens: int | None
) -> Iterator[tuple[np.ndarray, dict[str, Any]]]:
    """Texts of similar numbers of tokens together, the longest first, without the padding that others need.

    Args:
        features: the model's input of some texts.
        most: texts of a batch.
        tokens: of a batch, padding counted; None for no limit.

    Yields:
        Rows of ``features``, and what the model reads of them.
    """
    mask = features["attention_mask"]
    lengths = mask.sum(1).cpu().numpy()
    if not bool(mask[:, 0].all()):  # padded at the beginning: nothing can be cut off at the end
        lengths[:] = mask.shape[1]
    order = np.argsort(-lengths, kind="stable")
    start = 0
    while start < len(order):
        longest = max(1, int(lengths[order[start]]))
        rows = order[start : start + (most if tokens is None else min(most, max(1, tokens // longest)))]
        start += len(rows)
        cut = torch.as_tensor(rows, device=mask.device)
        yield (
            rows,
            {
                name: value[cut, :longest] if hasattr(value, "shape") and value.shape[:2] == mask.shape else value
                for name, value in features.items()
            },
        )
