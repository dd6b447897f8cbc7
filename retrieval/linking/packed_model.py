"""A model whose linear layers hold their weights in the order in which the processor multiplies them.

Of a question of twenty words the weights are read once and hardly used: putting them in order anew for each, which
``torch.nn.Linear`` has its library do, takes as long as multiplying them. What comes out is the same up to rounding.
"""

from __future__ import annotations

import copy
from typing import TypeVar

import torch
from torch import Tensor, nn

M = TypeVar("M", bound=nn.Module)

#: Rows that the order is chosen for; other numbers of rows are multiplied in it as well.
_ROWS = 16


class PackedLinear(nn.Module):
    """What a linear layer computes, for asking only.

    Args:
        linear: on the processor.
    """

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        self.bias = linear.bias
        self.weight = torch.ops.mkldnn._reorder_linear_weight(linear.weight.detach(), _ROWS)

    def forward(self, x: Tensor) -> Tensor:
        """[..., in] -> [..., out]."""
        out: Tensor = torch.ops.mkldnn._linear_pointwise(x, self.weight, self.bias, "none", [], "")
        return out


def pack_layers(model: M) -> M:
    """A copy of a model for asking, its linear layers packed; the model itself where this machine cannot.

    Args:
        model: in evaluation mode, on the processor.
    """
    fast = copy.deepcopy(model)
    try:
        with torch.inference_mode():
            for module in list(fast.modules()):
                for name, part in list(module.named_children()):
                    if type(part) is nn.Linear:
                        setattr(module, name, _pack_linear(part))
    except (AttributeError, RuntimeError):  # another library, or a type that it does not multiply
        return model
    return fast


def _pack_linear(linear: nn.Linear) -> PackedLinear:
    """The layer packed.

    Raises:
        RuntimeError: it computes something else, or cannot.
    """
    kind = linear.weight.dtype
    near = 1e-3 if kind == torch.float32 else 2e-2
    layer, x = PackedLinear(linear), torch.linspace(-1, 1, 2 * linear.in_features, dtype=kind).view(2, -1)
    if not torch.allclose(layer(x), linear(x), rtol=near, atol=near):
        raise RuntimeError("Packed weights give something else.")
    return layer
