"""One question asked of an endpoint: its programs tried there, and moved to a snapshot of the facts behind them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from retrieval.errors import ProgramError
from retrieval.kg.sparql.subgraph_cache import get_term as term_of
from retrieval.programs.algebra.columns import Columns
from retrieval.programs.algebra.keys import Keyed
from retrieval.programs.algebra.operations import Entities, Program, walk
from retrieval.programs.algebra.program_json import from_json, to_json
from retrieval.programs.grounding.schema import Schema
from retrieval.programs.remote.evidence import EndpointEvidence
from retrieval.programs.remote.executor import EndpointResults, KnownExecutor
from retrieval.programs.remote.queries import PartResult, ProgramResults, Queries
from retrieval.programs.remote.vocabulary import Plain, get_literal_text
from retrieval.programs.rendering.names import map_names
from retrieval.programs.scoring.candidates import Candidate
from retrieval.programs.understanding import Understanding

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot
    from retrieval.kg.sparql.graph import SparqlGraph
    from retrieval.kg.sparql.subgraph_cache import Subgraph


@dataclass(frozen=True, slots=True)
class RemoteUnderstanding(Understanding):
    """What a question over an endpoint was understood to ask.

    Attributes:
        at: when the sample was pulled that its words were looked up in, ISO 8601 in UTC.
        truncated: that sample met a limit.
        queries: were sent for it, those for the sample included, whichever run sent them.
        warnings: what to know of the answer.
    """

    at: str = ""
    truncated: bool = False
    queries: int = 0
    warnings: tuple[str, ...] = ()


class Asking:
    """One question asked of an endpoint."""

    def __init__(self, remote: SparqlGraph, sample: Subgraph, topics: Sequence[str], columns: Columns) -> None:
        self._remote, self._sample, self._topics = remote, sample, topics
        self.columns = columns
        self._before = remote.queries - sample.queries
        vocabulary = Plain(sample.snapshot, columns, remote.options.languages)
        self.queries = Queries(remote.select, sample.snapshot, columns, vocabulary)

    def select_first_nonempty(self, candidates: Sequence[Candidate]) -> Candidate | None:
        """The first candidate that the endpoint finds anything by, else the first that it can be asked."""
        possible: Candidate | None = None
        for candidate in candidates:
            try:
                result = self.queries.get_result(candidate.program)
            except ProgramError:
                continue
            if not result.is_nothing:
                return candidate
            possible = possible or candidate
        return possible

    def build_understanding(
        self,
        best: Candidate,
        sure: float,
        others: Iterable[Candidate],
        mentions: tuple[tuple[int, int, int], ...],
        cancelled: Callable[[], bool],
    ) -> RemoteUnderstanding:
        """The candidate with all its parts asked, over a snapshot of the facts that show how it came about."""
        remote, results = self._remote, self.queries.known
        self.queries.query_parts(best.program)
        sample, snapshot = self._sample.snapshot, self._build_evidence_snapshot(best.program)
        move = _Move(sample, snapshot)
        columns = Columns(snapshot)
        program = move.move_program(best.program)
        endpoint_results = EndpointResults(
            {
                move.move_program(part): move.move_result(results.parts[part])
                for part in _list_parts(best.program, results)
            },
            {move.move_program(part): result.size for part, result in results.parts.items() if result.value is None},
            {move.move_program(top): move.move_keys(keys) for top, keys in results.keys.items()},
        )
        executor = KnownExecutor(snapshot, columns, endpoint_results, cancelled)
        moved = replace(best, program=program, result=executor.run(program))
        return RemoteUnderstanding(
            moved,
            sure,
            tuple(replace(other, program=move.move_program(other.program)) for other in others),
            executor,
            Schema(snapshot, columns),
            tuple((move.move_node(node), start, end) for node, start, end in mentions),
            vocabulary=Plain(snapshot, columns, remote.options.languages),
            at=self._sample.at,
            truncated=self._sample.truncated,
            queries=remote.queries - self._before,
            warnings=tuple(_warn_uncounted(results)),
        )

    def _build_evidence_snapshot(self, program: Program) -> Snapshot:
        remote, results = self._remote, self.queries.known
        import pyoxigraph  # noqa: PLC0415 - loaded on use

        more = EndpointEvidence(remote.select, self._sample.snapshot, pyoxigraph).collect_facts(program, results)
        alone = [
            term.value
            for part in _list_parts(program, results)
            for term in results.parts[part].terms
            if isinstance(term, pyoxigraph.NamedNode)
        ]
        return remote.rename(remote.build_subgraph(remote.add_names(remote.sample(self._topics), more, alone)).snapshot)


class _Move:
    """From the ids of one snapshot of an endpoint to those of a later one, which holds all that the first does."""

    def __init__(self, before: Snapshot, after: Snapshot) -> None:
        self._before, self._after = before, after
        self._nodes = {_get_term(after, node): node for node in range(after.num_entities)}

    def move_node(self, node: int) -> int:
        """An entity or value."""
        return self._nodes[_get_term(self._before, node)]

    def move_program(self, program: Program) -> Program:
        """A program, or part of one."""

        def move_relation(item: int) -> int:
            inverse, forward = divmod(item, self._before.num_relations)
            moved = self._after.find_relation(self._before.get_relation_name(forward))
            assert moved is not None
            return moved + inverse * self._after.num_relations

        return from_json(map_names(to_json(program), self.move_node, move_relation))

    def move_result(self, result: PartResult) -> np.ndarray | float | bool:
        """What a part of a program gave."""
        if result.value is not None:
            return result.value
        return np.unique(np.array([node for node in map(self._find_node, result.terms) if node is not None], np.int64))

    def move_keys(self, keys: Iterable[tuple[Any, float]]) -> Keyed:
        """Nodes with their keys."""
        known = {node: key for each, key in keys if (node := self._find_node(each)) is not None}
        owners = sorted(known)
        return Keyed(np.array(owners, np.int64), np.array([known[node] for node in owners], float))

    def _find_node(self, term: Any) -> int | None:
        kinds: Mapping[str, str] = {"NamedNode": "<", "Literal": '"'}
        begin = kinds.get(type(term).__name__)
        return None if begin is None else self._nodes.get(begin + " ".join(term.value.split()))


def _get_term(snapshot: Snapshot, node: int) -> str:
    term = term_of(snapshot, node)
    return '"' + get_literal_text(term[1:]) if term[0] == '"' else term


def _list_parts(program: Program, results: ProgramResults) -> list[Program]:
    """The parts of a program that were asked, outermost first."""
    return [part for part in dict.fromkeys(walk(program)) if part in results.parts and not isinstance(part, Entities)]


def _warn_uncounted(results: ProgramResults) -> Iterator[str]:
    if any(result.uncounted for result in results.parts.values()):
        yield "The endpoint did not count one of the steps in time: it has at least as many as are said."
