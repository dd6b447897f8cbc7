"""Which nodes of a graph are numbers, dates or times of day, and how much. Numpy only.

They are read from the labels once, when a graph is built, and kept in its snapshot.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import get_args

import numpy as np

from retrieval.kg.values import Kind, has_days_first, parse, parse_counted

#: Codes of ``TypedValues.kinds`` are positions here.
VALUE_KINDS: tuple[Kind, ...] = get_args(Kind)
#: A word behind a number is a unit where so many numbers have it.
_SAME_UNIT = 3
#: What a text is like that may be a value; many texts are searched for it faster than they are read.
CANDIDATE = r"""(?is)^(?:[0-9]|[+\-−.$€£"jfmasond].*\d)"""


@dataclass(frozen=True, slots=True)
class TypedValues:
    """The nodes that are values.

    Attributes:
        nodes: int32 [V], ascending.
        values: float64 [V], in the base unit of their dimension, see :mod:`retrieval.kg.values`.
        kinds: uint8 [V], positions in ``VALUE_KINDS``.
    """

    nodes: np.ndarray
    values: np.ndarray
    kinds: np.ndarray

    @classmethod
    def from_labels(cls, labels: Mapping[int, str]) -> TypedValues:
        """Read labels of a graph by node, those that match ``CANDIDATE``, in the order of the nodes.

        A word behind a number that is no known unit ("320 pages") is one where at least three numbers have it. Whether
        ``04/06/2024`` is in April or in June is told by the graph's other dates that can be read in one way only.
        """
        slashed: list[tuple[int, str]] = []
        by_node: dict[int, tuple[float, int]] = {}
        of_units: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for node, label in labels.items():
            value = parse(label)
            if value is not None and value.kind == "date" and "/" in label:
                slashed.append((node, label))
            if value is not None and not math.isnan(value.value):
                by_node[node] = value.value, VALUE_KINDS.index(value.kind)
            elif value is None and (made := parse_counted(label)):
                of_units[made[1].removesuffix("s")].append((node, made[0]))
        for node, label in slashed if has_days_first(label for _, label in slashed) else ():
            value = parse(label, day_first=True)
            if value is not None:
                by_node[node] = value.value, VALUE_KINDS.index(value.kind)
        for counts in of_units.values():
            if len(counts) >= _SAME_UNIT:
                by_node |= {node: (number, VALUE_KINDS.index("number")) for node, number in counts}
        nodes = sorted(by_node)
        return cls(
            np.array(nodes, np.int32),
            np.array([by_node[node][0] for node in nodes], np.float64),
            np.array([by_node[node][1] for node in nodes], np.uint8),
        )
