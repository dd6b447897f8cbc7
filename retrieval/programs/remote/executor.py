"""An executor that knows from an endpoint what programs denote; only the way there it walks in facts that came."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from retrieval.programs.algebra.execution import Executor
from retrieval.programs.algebra.keys import Keyed
from retrieval.programs.algebra.numbers import Result
from retrieval.programs.algebra.operations import And, Except, Filter, Program, TextFilter, Top

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot
    from retrieval.programs.algebra.columns import Columns


@dataclass(frozen=True, slots=True)
class EndpointResults:
    """What an endpoint said of programs, in the ids of a snapshot.

    Attributes:
        results: what they denote; of large sets some nodes. Outermost parts first.
        sizes: how many nodes each of these sets has in the endpoint.
        keys: of rankings, the nodes with the best keys.
    """

    results: Mapping[Program, Result]
    sizes: Mapping[Program, int]
    keys: Mapping[Program, Keyed]


class KnownExecutor(Executor):
    """Executes over facts of an endpoint, whose results it was told.

    Args:
        results: what is known.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        columns: Columns,
        results: EndpointResults,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> None:
        super().__init__(snapshot, columns, cancelled)
        self._results = _merge_nested_results(results.results)
        self._sizes = results.sizes
        self._keys = results.keys

    def count_nodes(self, program: Program) -> int:
        """See :meth:`Executor.count_nodes`."""
        known = self._sizes.get(program)
        return super().count_nodes(program) if known is None else known

    def compute_ranking(self, program: Top) -> Keyed:
        """See :meth:`Executor.compute_ranking`."""
        known = self._keys.get(program)
        return super().compute_ranking(program) if known is None else known

    def _run(self, program: Program) -> Result:
        known = self._results.get(program)
        return super()._run(program) if known is None else known


def _merge_nested_results(results: Mapping[Program, Result]) -> dict[Program, Result]:
    """Each set with what is in those that were kept of it: of a large one only some nodes came."""
    merged = dict(results)
    for program in results:  # outermost first
        for source in _get_sources(program):
            here, inside = merged.get(source), merged[program]
            if isinstance(here, np.ndarray) and isinstance(inside, np.ndarray):
                merged[source] = np.union1d(here, inside)
    return merged


def _get_sources(program: Program) -> tuple[Program, ...]:
    """The sets that hold all of a set."""
    match program:
        case And(left, right):
            return left, right
        case Except(source) | Filter(source) | TextFilter(source) | Top(source):
            return (source,)
    return ()
