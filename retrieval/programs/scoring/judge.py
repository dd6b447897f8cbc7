"""Ranks the best programs of a question anew: a network of one small layer over what tells them apart."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from safetensors import safe_open
from safetensors.numpy import save_file

from retrieval.programs.scoring.features import compute_shares
from retrieval.programs.scoring.question_traits import Signs

if TYPE_CHECKING:
    from retrieval.programs.algebra.operations import Program
    from retrieval.programs.scoring.candidates import Candidate
    from retrieval.programs.weights import Weights

#: So many of the best programs are looked at.
LOOKED_AT = 10
#: Places behind the first that are told apart.
_PLACES = 5


@dataclass(frozen=True, slots=True)
class Judge:
    """The network. What it gives is added to the ranker's scores.

    Attributes:
        names: of the signs, in the order of the arrays.
        mean, deviation: of each, float32 [n].
        linear: weights, float32 [n].
        hidden, bias, out: of the layer, float32 [n, h], [h] and [h].
    """

    names: tuple[str, ...]
    mean: np.ndarray
    deviation: np.ndarray
    linear: np.ndarray
    hidden: np.ndarray
    bias: np.ndarray
    out: np.ndarray

    def compute_adjustments(self, signs: Sequence[Mapping[str, float]]) -> np.ndarray:
        """What is added to the score of each program, of which these are the signs; float64 [programs]."""
        rows = np.array([[program_signs.get(name, 0.0) for name in self.names] for program_signs in signs], np.float64)
        scaled = (rows - self.mean) / self.deviation
        adjustments: np.ndarray = scaled @ self.linear + np.tanh(scaled @ self.hidden + self.bias) @ self.out
        return adjustments

    def save(self, path: Path) -> None:
        """Write it as safetensors, the names of the signs beside the arrays."""
        arrays = {name: np.asarray(getattr(self, name), np.float32) for name in self.__slots__[1:]}
        save_file(arrays, path, metadata={"names": json.dumps(self.names)})

    @classmethod
    def load(cls, path: Path) -> Judge:
        """Read what :meth:`save` wrote."""
        with safe_open(path, framework="numpy") as file:
            arrays: dict[str, Any] = {name: file.get_tensor(name) for name in cls.__slots__[1:]}
            return cls(tuple(json.loads(file.metadata()["names"])), **arrays)


def build_judge_signs(
    candidates: Sequence[Candidate],
    signs_by_program: Mapping[Program, Signs],
    agreed: Sequence[Signs],
    weights: Weights,
) -> list[Signs]:
    """What the judge looks at: the signs of programs, with what the ranker says of each and of it beside the first."""
    first = candidates[0].score if candidates else 0.0
    return [
        signs_by_program[candidate.program]
        | compute_shares(candidate.features, weights.values)
        | same
        | {"b.diff": candidate.score - first, "b.first": float(not n), "b.rank": float(min(n, _PLACES))}
        for n, (candidate, same) in enumerate(zip(candidates, agreed, strict=False))
    ]
