"""Answering questions over a graph in an endpoint by programs, which the endpoint itself computes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from retrieval.answering.program_answers import list_named_entities
from retrieval.answering.programs import explain_unwritten, get_required_confidence, stream_program_answer
from retrieval.answering.run import AskRequest, PipelineRun
from retrieval.answering.settings import AnsweringSettings
from retrieval.errors import EmptySourceError, EndpointError, LLMError, ProgramError
from retrieval.events import Event, QuestionLinked, SubgraphExtracted
from retrieval.language.question import Question
from retrieval.programs.remote.asking import RemoteUnderstanding
from retrieval.programs.remote.conversation import DenotedThere
from retrieval.programs.remote.reader import RemoteReader
from retrieval.types import Pulled, Usage

if TYPE_CHECKING:
    from retrieval.environment import LLMSettings
    from retrieval.kg.snapshot import Snapshot
    from retrieval.kg.sparql.graph import SparqlGraph
    from retrieval.linking.encoder import Encoder

STRATEGY = "read on a sample, computed by the endpoint"
PARTLY = (
    "The endpoint did not say in time what it holds. The question was read by what lies near the names in it; "
    "words for anything else may not have been understood."
)
_FALLEN_BACK = (
    "The endpoint could not compute what was asked: {problem} The answer was looked for among the facts near the "
    "names in the question."
)


@dataclass(slots=True)
class EndpointPrograms:
    """Programs of one question over an endpoint.

    Attributes:
        warnings: what to know of an answer that is found otherwise.
        usage: what a language model cost that wrote the program.
    """

    remote: SparqlGraph
    encoder: Encoder
    cancelled: Callable[[], bool]
    warnings: tuple[str, ...] = ()
    usage: Usage | None = None

    def read(
        self, question: Question, topics: Sequence[str], *, topics_given: bool, denoted: Sequence[DenotedThere] = ()
    ) -> RemoteUnderstanding | None:
        """The program of a question with what the endpoint gives, where one is likely enough to be what was asked."""
        reader = RemoteReader(self.remote, self.encoder.encode)
        try:
            least = get_required_confidence(question, not topics)
            understanding = reader.read(
                question, topics, self.cancelled, require_topics=topics_given, least=least, denoted=denoted
            )
        except EmptySourceError:
            understanding = None
        except (EndpointError, ProgramError) as error:
            self.warnings = (*self.warnings, _FALLEN_BACK.format(problem=error.message))
            return None
        if not self.remote.is_overseen:
            self.warnings = (*self.warnings, PARTLY)
        return understanding

    def write_program(
        self, question: Question, topics: Sequence[str], settings: LLMSettings
    ) -> RemoteUnderstanding | None:
        """The program that a language model writes, computed by the endpoint; None where it writes none."""
        reader = RemoteReader(self.remote, self.encoder.encode)
        try:
            understanding, self.usage = reader.write(question, topics, settings, self.cancelled)
        except LLMError as error:
            self.warnings = (explain_unwritten(error),)
        except EmptySourceError:
            self.warnings = (PARTLY,)
        except (EndpointError, ProgramError) as error:
            self.warnings = (_FALLEN_BACK.format(problem=error.message),)
        else:
            return understanding
        return None

    def run_program(self, program: dict[str, Any]) -> RemoteUnderstanding:
        """A program that somebody wrote or edited.

        Raises:
            ProgramError: it names what the endpoint lacks, or cannot be asked there.
            EndpointError: the endpoint does not answer.
        """
        return RemoteReader(self.remote, self.encoder.encode).execute(program, self.cancelled)

    def answer(self, request: AskRequest, understanding: RemoteUnderstanding, began: float) -> Iterator[Event]:
        """The events of a program, with the entities' ids of its own snapshot.

        Args:
            began: when the run did.
        """
        run = PipelineRun(request, self.cancelled, began=began)
        yield QuestionLinked(list_named_entities(understanding, request.question), (), run.measure_ms())
        yield _build_subgraph_event(understanding, self.remote.options.hops, run.measure_ms())
        warnings = (*self.warnings, *understanding.warnings)
        yield from stream_program_answer(
            run, understanding, AnsweringSettings().extractive.trusted, warnings, self.usage
        )


def _build_subgraph_event(understanding: RemoteUnderstanding, hops: int, took_ms: float) -> SubgraphExtracted:
    snapshot: Snapshot = understanding.executor.snapshot
    topics = dict.fromkeys(node for node, _, _ in understanding.named)
    return SubgraphExtracted(
        topics=tuple(map(snapshot.get_node, topics)),
        entities=snapshot.num_entities,
        triples=snapshot.num_triples,
        max_hops=hops,
        strategy=STRATEGY,
        took_ms=took_ms,
        pulled=Pulled(understanding.at, snapshot.hash, understanding.queries, understanding.truncated),
    )
