"""Reads questions over a graph in an endpoint: the words on a sample of it, the answers from the endpoint itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from retrieval.kg.snapshot.relation_names import get_local_name
from retrieval.language.question import Question
from retrieval.pretrained import PROGRAMS
from retrieval.programs.algebra.columns import Columns
from retrieval.programs.algebra.execution import Executor
from retrieval.programs.algebra.operations import Program
from retrieval.programs.calibration import compute_confidence, list_unread_words
from retrieval.programs.grammar.constituents import Part
from retrieval.programs.grounding.anchors.similarity import Similarity
from retrieval.programs.grounding.schema import Schema
from retrieval.programs.parser import Parser
from retrieval.programs.reader import iter_named_entities, read_item_tables
from retrieval.programs.remote.asking import Asking, RemoteUnderstanding
from retrieval.programs.rendering.names import from_named_json, map_names
from retrieval.programs.scoring.candidates import Candidate
from retrieval.programs.weights import Weights
from retrieval.programs.writing.words import Words
from retrieval.programs.writing.writer import ProgramWriter
from retrieval.types import Denoted

if TYPE_CHECKING:
    from pathlib import Path

    from retrieval.environment import LLMSettings
    from retrieval.kg.sparql.graph import SparqlGraph
    from retrieval.programs.grounding.anchors.similarity import Encode
    from retrieval.programs.remote.conversation import DenotedThere
    from retrieval.types import Usage

_TOLD_APART = re.compile(r"(?P<label>.+) \((?P<own>[^()]+)\)")
#: Programs that the endpoint is asked about, and how likely one must be beside the best.
_TRIED, _LIKELY = 3, 0.1
#: What says that a sample holds nothing of a set: the endpoint may.
_EMPTY = ("filter.empty", "value.empty", "text.empty", "count.empty", "root.empty", "root.size.0")


class RemoteReader:
    """Reads questions over one endpoint.

    Args:
        encode: texts to unit vectors.
        weights: file of the ranker's weights.
    """

    def __init__(self, remote: SparqlGraph, encode: Encode | None, weights: Path = PROGRAMS) -> None:
        self._remote = remote
        self._encode = encode
        self._weights = weights

    def read(
        self,
        question: Question,
        topics: Sequence[str] = (),
        cancelled: Callable[[], bool] = lambda: False,
        *,
        require_topics: bool = False,
        least: float = 0.0,
        denoted: Sequence[DenotedThere] = (),
    ) -> RemoteUnderstanding | None:
        """What a question asks and the endpoint answers, or None where it was not understood.

        Args:
            topics: IRIs of entities that it names.
            require_topics: somebody picked the topics; the program must be about them.
            least: how likely the program must be what was asked.
            denoted: words of the question that are known to stand for entities.

        Raises:
            EmptySourceError: the endpoint holds nothing, or said nothing of the whole of its graph in time.
            EndpointError: see :meth:`retrieval.kg.sparql.endpoint.Endpoint.select`.
        """
        sample = self._remote.fetch_sample(topics)
        parser = Parser(sample.snapshot, self._encode, _drop_empty_weights(Weights.load(self._weights)))
        picked = sample.topics if require_topics else ()
        if require_topics and len(picked) < len(set(topics)):
            return None  # the endpoint knows nothing of one
        here = {sample.snapshot.get_entity_iri(node): node for node in sample.topics}
        known = [
            Denoted(reference.start, reference.end, tuple(sorted(here[iri] for iri in reference.iris if iri in here)))
            for reference in denoted
        ]
        here_denoted = [reference for reference in known if reference.ids]
        reading = parser.read(question, picked, cancelled=cancelled, denoted=here_denoted)
        asking = Asking(self._remote, sample, topics, parser.columns)
        executor = Executor(sample.snapshot, parser.columns, cancelled)
        table = next(iter(read_item_tables(parser, reading, executor, picked, here_denoted)), None)
        if table is not None:
            chosen, reading = table.read, table.reading
        else:
            likely = asking.select_first_nonempty(_select_likely(reading.candidates))
            if likely is None:
                return None
            chosen = likely
            reading.candidates = [chosen, *(candidate for candidate in reading.candidates if candidate is not chosen)]
        sure = compute_confidence(parser.weights, reading)
        mentions = tuple(iter_named_entities(reading, chosen.part))
        if sure < least or not set(picked) <= {node for node, _, _ in mentions}:
            return None  # who picked an entity asks about it
        unread = tuple((word.start, word.end) for word in list_unread_words(reading, chosen))
        rest = reading.candidates[1:4]
        if table is not None:
            chosen, rest = replace(chosen, program=table.table), []
            mentions, unread = table.map_mentions(mentions), table.map_spans(unread)
        return replace(asking.build_understanding(chosen, sure, rest, mentions, cancelled), unread=unread)

    def write(
        self,
        question: Question,
        topics: Sequence[str],
        settings: LLMSettings,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> tuple[RemoteUnderstanding, Usage]:
        """The program that a language model writes for a question, computed by the endpoint, and what it cost.

        Args:
            topics: IRIs of entities that it names.

        Raises:
            LLMError: it gives no usable program, see :class:`retrieval.programs.writing.writer.ProgramWriter`.
            EmptySourceError, EndpointError, ProgramError, Cancelled: as :meth:`read` and :meth:`execute`.
        """
        sample = self._remote.fetch_sample(topics)
        asking = Asking(self._remote, sample, topics, Columns(sample.snapshot))
        schema = Schema(sample.snapshot, asking.columns)
        words = Words(schema, Similarity(self._encode))
        writer = ProgramWriter(
            words, asking.columns, settings, lambda program: not asking.queries.get_result(program).is_nothing
        )
        written = writer.write(question, sample.topics, cancelled)
        return self._execute_program(asking, written.program, cancelled).mark_as_written(question), written.usage

    def execute(self, data: dict[str, Any], cancelled: Callable[[], bool] = lambda: False) -> RemoteUnderstanding:
        """What a program gives that a person wrote or edited, by names of the graph.

        Args:
            data: as :func:`retrieval.programs.rendering.names.to_named_json` writes it.

        Raises:
            ProgramError: it is none, names what the endpoint lacks, or cannot be asked there.
            EndpointError, Cancelled: as :meth:`read`.
        """
        topics = self._find_iris(data)
        iris = list(dict.fromkeys(topics.values()))
        sample = self._remote.fetch_sample(iris)
        asking = Asking(self._remote, sample, iris, Columns(sample.snapshot))
        labels = {
            sample.snapshot.get_entity_iri(node): sample.snapshot.get_entity_label(node) for node in sample.topics
        }
        program = from_named_json(
            sample.snapshot, map_names(data, lambda name: labels.get(topics.get(name, ""), name), lambda same: same)
        )
        return replace(self._execute_program(asking, program, cancelled), by="person")

    def _execute_program(self, asking: Asking, program: Program, cancelled: Callable[[], bool]) -> RemoteUnderstanding:
        """A program that nobody had to read from words."""
        best = Candidate(program, False, 0.0, 1.0, {}, Part("S", 0, 0, program, None, 0.0, ()))
        return asking.build_understanding(best, 1.0, [], (), cancelled)

    def _find_iris(self, data: dict[str, Any]) -> dict[str, str]:
        """The IRIs of the entities that a program names, by its names: a label, or one with a local name behind it."""
        names: dict[str, None] = {}
        map_names(data, lambda name: names.setdefault(str(name)), lambda same: same)
        iris = self._remote.find(names)
        for name in names.keys() - iris.keys():
            if parts := _TOLD_APART.fullmatch(name):
                alike = self._remote.find_candidates([parts["label"]]).get(parts["label"], [])
                matches = (
                    candidate.iri
                    for candidate in alike
                    if parts["own"] in (candidate.iri, get_local_name(candidate.iri))
                )
                if iri := next(matches, None):
                    iris[name] = iri
        return iris


def _select_likely(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The best and those that are not much less likely."""
    return [candidate for candidate in candidates if candidate.probability >= _LIKELY * candidates[0].probability][
        :_TRIED
    ]


def _drop_empty_weights(weights: Weights) -> Weights:
    """The weights without what they make of empty sets."""
    return replace(weights, values={k: v for k, v in weights.values.items() if k not in _EMPTY})
