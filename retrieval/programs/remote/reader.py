"""Reads questions over a graph in an endpoint: the words on a sample of it, the answers from the endpoint itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from retrieval.errors import ProgramError
from retrieval.kg.snapshot.relation_names import local_name
from retrieval.kg.sparql.subgraph_cache import term as term_of
from retrieval.pretrained import PROGRAMS
from retrieval.programs.algebra import Entities, Program, from_json, to_json, walk
from retrieval.programs.anchors.similarity import Similarity
from retrieval.programs.calibration import confidence
from retrieval.programs.candidates import Candidate
from retrieval.programs.columns import Columns
from retrieval.programs.execution import Keyed
from retrieval.programs.parser import Parser
from retrieval.programs.parts import Part
from retrieval.programs.reader import Understanding, named_in
from retrieval.programs.remote.conversation import DenotedThere
from retrieval.programs.remote.evidence import Evidence
from retrieval.programs.remote.executor import KnownExecutor, Told
from retrieval.programs.remote.queries import Asked, Found, Queries
from retrieval.programs.remote.vocabulary import Plain, literal_text
from retrieval.programs.rendering.names import mapped, resolved
from retrieval.programs.schema import Schema
from retrieval.programs.weights import Weights
from retrieval.programs.writing.words import Words
from retrieval.programs.writing.writer import ProgramWriter
from retrieval.types import Denoted

if TYPE_CHECKING:
    from pathlib import Path

    from retrieval.environment import LLMSettings
    from retrieval.kg.snapshot import Snapshot
    from retrieval.kg.sparql.graph import SparqlGraph
    from retrieval.kg.sparql.subgraph_cache import Subgraph
    from retrieval.programs.anchors.similarity import Encode
    from retrieval.types import Usage

_TOLD_APART = re.compile(r"(?P<label>.+) \((?P<own>[^()]+)\)")
#: Programs that the endpoint is asked about, and how likely one must be beside the best.
_TRIED, _LIKELY = 3, 0.1
#: What says that a sample holds nothing of a set: the endpoint may.
_EMPTY = ("filter.empty", "value.empty", "text.empty", "count.empty", "root.empty", "root.size.0")


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


class RemoteReader:
    """Reads questions over one endpoint.

    Args:
        remote: the endpoint, open.
        encode: texts to unit vectors.
        weights: file of the ranker's weights.
    """

    def __init__(self, remote: SparqlGraph, encode: Encode | None, weights: Path = PROGRAMS) -> None:
        self._remote = remote
        self._encode = encode
        self._weights = weights

    def read(
        self,
        question: str,
        topics: Sequence[str] = (),
        cancelled: Callable[[], bool] = lambda: False,
        *,
        given: bool = False,
        least: float = 0.0,
        denoted: Sequence[DenotedThere] = (),
    ) -> RemoteUnderstanding | None:
        """What a question asks and the endpoint answers, or None where it was not understood.

        Args:
            question: as asked.
            topics: IRIs of entities that it names.
            cancelled: asked between pieces of work.
            given: somebody picked the topics; the program must be about them.
            least: how likely the program must be what was asked.
            denoted: words of the question that are known to stand for entities.

        Raises:
            EmptySourceError: the endpoint holds nothing, or said nothing of the whole of its graph in time.
            EndpointError: see :meth:`retrieval.kg.sparql.endpoint.Endpoint.select`.
            Cancelled: ``cancelled`` said so.
        """
        sample = self._remote.sampled(topics)
        parser = Parser(sample.snapshot, self._encode, _of_samples(Weights.load(self._weights)))
        picked = sample.topics if given else ()
        if given and len(picked) < len(set(topics)):
            return None  # the endpoint knows nothing of one
        here = {sample.snapshot.entity_iri(node): node for node in sample.topics}
        known = [
            Denoted(own.start, own.end, tuple(sorted(here[iri] for iri in own.iris if iri in here)))
            for own in denoted
        ]
        reading = parser.read(
            question, picked, cancelled=cancelled, denoted=[own for own in known if own.ids]
        )
        asking = _Asking(self._remote, sample, topics, parser.columns)
        chosen = asking.first_that_holds(_likely(reading.candidates))
        if chosen is None:
            return None
        rest = [one for one in reading.candidates if one is not chosen]
        reading.candidates = [chosen, *rest]
        sure = confidence(parser.weights, reading)
        named = tuple(named_in(reading, chosen.part))
        if sure < least or not set(picked) <= {node for node, _, _ in named}:
            return None  # who picked an entity asks about it
        return asking.understood(chosen, sure, rest[:3], named, cancelled)

    def write(
        self,
        question: str,
        topics: Sequence[str],
        settings: LLMSettings,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> tuple[RemoteUnderstanding, Usage]:
        """The program that a language model writes for a question, computed by the endpoint, and what it cost.

        Args:
            question: as asked.
            topics: IRIs of entities that it names.
            settings: of the language model.
            cancelled: asked while waiting.

        Raises:
            LLMError: it gives no usable program, see :class:`retrieval.programs.writing.writer.ProgramWriter`.
            EmptySourceError, EndpointError, ProgramError, Cancelled: as :meth:`read` and :meth:`execute`.
        """
        sample = self._remote.sampled(topics)
        asking = _Asking(self._remote, sample, topics, Columns(sample.snapshot))
        schema = Schema(sample.snapshot, asking.columns)
        words = Words(schema, Similarity(self._encode))
        writer = ProgramWriter(
            words, asking.columns, settings, lambda program: not asking.queries.result(program).is_nothing
        )
        written = writer.write(question, sample.topics, cancelled)
        return self._known(asking, written.program, cancelled).written_for(question), written.usage

    def execute(
        self, data: dict[str, Any], cancelled: Callable[[], bool] = lambda: False
    ) -> RemoteUnderstanding:
        """What a program gives that a person wrote or edited, by names of the graph.

        Args:
            data: as :func:`retrieval.programs.rendering.names.named` writes it.
            cancelled: asked between pieces of work.

        Raises:
            ProgramError: it is none, names what the endpoint lacks, or cannot be asked there.
            EndpointError, Cancelled: as :meth:`read`.
        """
        topics = self._named_in(data)
        iris = list(dict.fromkeys(topics.values()))
        sample = self._remote.sampled(iris)
        asking = _Asking(self._remote, sample, iris, Columns(sample.snapshot))
        labels = {
            sample.snapshot.entity_iri(node): sample.snapshot.entity_label(node) for node in sample.topics
        }
        program = resolved(
            sample.snapshot,
            mapped(data, lambda name: labels.get(topics.get(name, ""), name), lambda same: same),
        )
        return replace(self._known(asking, program, cancelled), by="person")

    def _known(self, asking: _Asking, program: Program, cancelled: Callable[[], bool]) -> RemoteUnderstanding:
        """A program that nobody had to read from words."""
        best = Candidate(program, False, 0.0, 1.0, {}, Part("S", 0, 0, program, None, 0.0, ()))
        return asking.understood(best, 1.0, [], (), cancelled)

    def _named_in(self, data: dict[str, Any]) -> dict[str, str]:
        """The IRIs of the entities that a program names, by its names: a label, or one with a local name behind it."""
        names: dict[str, None] = {}
        mapped(data, lambda name: names.setdefault(str(name)), lambda same: same)
        found = self._remote.find(names)
        for name in names.keys() - found.keys():
            if parts := _TOLD_APART.fullmatch(name):
                alike = self._remote.candidates([parts["label"]]).get(parts["label"], [])
                own = (one.iri for one in alike if parts["own"] in (one.iri, local_name(one.iri)))
                if iri := next(own, None):
                    found[name] = iri
        return found


class _Asking:
    """One question asked of an endpoint."""

    def __init__(
        self, remote: SparqlGraph, sample: Subgraph, topics: Sequence[str], columns: Columns
    ) -> None:
        self._remote, self._sample, self._topics = remote, sample, topics
        self.columns = columns
        self._before = remote.queries - sample.queries
        vocabulary = Plain(sample.snapshot, columns, remote.options.languages)
        self.queries = Queries(remote.select, sample.snapshot, columns, vocabulary)

    def first_that_holds(self, candidates: Sequence[Candidate]) -> Candidate | None:
        """The first candidate that the endpoint finds anything by, else the first that it can be asked."""
        possible: Candidate | None = None
        for candidate in candidates:
            try:
                found = self.queries.result(candidate.program)
            except ProgramError:
                continue
            if not found.is_nothing:
                return candidate
            possible = possible or candidate
        return possible

    def understood(
        self,
        best: Candidate,
        sure: float,
        others: Iterable[Candidate],
        named: tuple[tuple[int, int, int], ...],
        cancelled: Callable[[], bool],
    ) -> RemoteUnderstanding:
        """The candidate with all its parts asked, over a snapshot of the facts that show how it came about."""
        remote, asked = self._remote, self.queries.known
        self.queries.parts(best.program)
        sample, snapshot = self._sample.snapshot, self._with_evidence(best.program)
        move = _Move(sample, snapshot)
        columns = Columns(snapshot)
        program = move.program(best.program)
        told = Told(
            {move.program(part): move.result(asked.parts[part]) for part in _inner(best.program, asked)},
            {move.program(part): found.size for part, found in asked.parts.items() if found.value is None},
            {move.program(top): move.keyed(keys) for top, keys in asked.keys.items()},
        )
        executor = KnownExecutor(snapshot, columns, told, cancelled)
        moved = replace(best, program=program, result=executor.run(program))
        return RemoteUnderstanding(
            moved,
            sure,
            tuple(replace(other, program=move.program(other.program)) for other in others),
            executor,
            Schema(snapshot, columns),
            tuple((move.node(node), start, end) for node, start, end in named),
            vocabulary=Plain(snapshot, columns, remote.options.languages),
            at=self._sample.at,
            truncated=self._sample.truncated,
            queries=remote.queries - self._before,
            warnings=tuple(_uncounted(asked)),
        )

    def _with_evidence(self, program: Program) -> Snapshot:
        remote, asked = self._remote, self.queries.known
        import pyoxigraph  # noqa: PLC0415 - loaded on use

        more = Evidence(remote.select, self._sample.snapshot, pyoxigraph).of(program, asked)
        alone = [
            term.value
            for part in _inner(program, asked)
            for term in asked.parts[part].terms
            if isinstance(term, pyoxigraph.NamedNode)
        ]
        return remote.built(remote.named(remote.sample(self._topics), more, alone)).snapshot


class _Move:
    """From the ids of one snapshot of an endpoint to those of a later one, which holds all that the first does."""

    def __init__(self, before: Snapshot, after: Snapshot) -> None:
        self._before, self._after = before, after
        self._nodes = {_term(after, node): node for node in range(after.num_entities)}

    def node(self, node: int) -> int:
        """An entity or value."""
        return self._nodes[_term(self._before, node)]

    def program(self, program: Program) -> Program:
        """A program, or part of one."""

        def relation(item: int) -> int:
            inverse, forward = divmod(item, self._before.num_relations)
            found = self._after.find_relation(self._before.relation_name(forward))
            assert found is not None
            return found + inverse * self._after.num_relations

        return from_json(mapped(to_json(program), self.node, relation))

    def result(self, found: Found) -> np.ndarray | float | bool:
        """What a part of a program gave."""
        if found.value is not None:
            return found.value
        return np.unique(
            np.array([node for node in map(self._of, found.terms) if node is not None], np.int64)
        )

    def keyed(self, keys: Iterable[tuple[Any, float]]) -> Keyed:
        """Nodes with their keys."""
        known = {node: key for each, key in keys if (node := self._of(each)) is not None}
        owners = sorted(known)
        return Keyed(np.array(owners, np.int64), np.array([known[node] for node in owners], float))

    def _of(self, found: Any) -> int | None:
        kinds: Mapping[str, str] = {"NamedNode": "<", "Literal": '"'}
        begin = kinds.get(type(found).__name__)
        return None if begin is None else self._nodes.get(begin + " ".join(found.value.split()))


def _term(snapshot: Snapshot, node: int) -> str:
    found = term_of(snapshot, node)
    return '"' + literal_text(found[1:]) if found[0] == '"' else found


def _likely(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The best and those that are not much less likely."""
    return [one for one in candidates if one.probability >= _LIKELY * candidates[0].probability][:_TRIED]


def _of_samples(weights: Weights) -> Weights:
    """The weights without what they make of empty sets."""
    return replace(weights, values={k: v for k, v in weights.values.items() if k not in _EMPTY})


def _inner(program: Program, asked: Asked) -> list[Program]:
    """The parts of a program that were asked, outermost first."""
    return [
        part
        for part in dict.fromkeys(walk(program))
        if part in asked.parts and not isinstance(part, Entities)
    ]


def _uncounted(asked: Asked) -> Iterator[str]:
    if any(found.uncounted for found in asked.parts.values()):
        yield "The endpoint did not count one of the steps in time: it has at least as many as are said."
