"""Answering questions over a graph in an endpoint by programs, which the endpoint itself computes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from retrieval.errors import EmptySourceError, EndpointError, LLMError, ProgramError
from retrieval.events import Event, QuestionLinked, SubgraphExtracted
from retrieval.methods._shared.engine_settings import EngineSettings
from retrieval.methods._shared.program_answers import named_entities
from retrieval.methods._shared.program_engine import answered, trust, unwritten
from retrieval.pipeline import AskRequest, PipelineRun
from retrieval.programs.remote.conversation import DenotedThere
from retrieval.programs.remote.reader import RemoteReader, RemoteUnderstanding
from retrieval.types import Pulled, Usage

if TYPE_CHECKING:
    from retrieval.environment import LLMSettings
    from retrieval.kg.snapshot import Snapshot
    from retrieval.kg.sparql.graph import SparqlGraph
    from retrieval.text.encoder import Encoder

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
        remote: the endpoint.
        encoder: the text encoder.
        cancelled: asked between pieces of work.
        warnings: what to know of an answer that is found otherwise.
        usage: what a language model cost that wrote the program.
    """

    remote: SparqlGraph
    encoder: Encoder
    cancelled: Callable[[], bool]
    warnings: tuple[str, ...] = ()
    usage: Usage | None = None

    def read(
        self, question: str, topics: Sequence[str], *, given: bool, denoted: Sequence[DenotedThere] = ()
    ) -> RemoteUnderstanding | None:
        """The program of a question with what the endpoint gives, where one is likely enough to be what was asked."""
        reader = RemoteReader(self.remote, self.encoder.encode)
        try:
            least = trust(question, not topics)
            found = reader.read(question, topics, self.cancelled, given=given, least=least, denoted=denoted)
        except EmptySourceError:
            found = None
        except (EndpointError, ProgramError) as error:
            self.warnings = (*self.warnings, _FALLEN_BACK.format(problem=error.message))
            return None
        if not self.remote.is_overseen:
            self.warnings = (*self.warnings, PARTLY)
        return found

    def written(
        self, question: str, topics: Sequence[str], settings: LLMSettings
    ) -> RemoteUnderstanding | None:
        """The program that a language model writes, computed by the endpoint; None where it writes none."""
        reader = RemoteReader(self.remote, self.encoder.encode)
        try:
            found, self.usage = reader.write(question, topics, settings, self.cancelled)
        except LLMError as error:
            self.warnings = (unwritten(error),)
        except EmptySourceError:
            self.warnings = (PARTLY,)
        except (EndpointError, ProgramError) as error:
            self.warnings = (_FALLEN_BACK.format(problem=error.message),)
        else:
            return found
        return None

    def edited(self, program: dict[str, Any]) -> RemoteUnderstanding:
        """A program that somebody wrote or edited.

        Raises:
            ProgramError: it names what the endpoint lacks, or cannot be asked there.
            EndpointError: the endpoint does not answer.
        """
        return RemoteReader(self.remote, self.encoder.encode).execute(program, self.cancelled)

    def answer(self, request: AskRequest, found: RemoteUnderstanding, began: float) -> Iterator[Event]:
        """The events of a program, with the entities' ids of its own snapshot.

        Args:
            request: the question.
            found: its program.
            began: when the run did.
        """
        run = PipelineRun(request, self.cancelled, began=began)
        yield QuestionLinked(named_entities(found, request.question), (), run.ms())
        yield _pulled(found, self.remote.options.hops, run.ms())
        warnings = (*self.warnings, *found.warnings)
        yield from answered(run, found, EngineSettings().extractive.trusted, warnings, self.usage)


def _pulled(found: RemoteUnderstanding, hops: int, took_ms: float) -> SubgraphExtracted:
    snapshot: Snapshot = found.executor.snapshot
    topics = dict.fromkeys(node for node, _, _ in found.named)
    return SubgraphExtracted(
        topics=tuple(map(snapshot.node, topics)),
        entities=snapshot.num_entities,
        triples=snapshot.num_triples,
        max_hops=hops,
        strategy=STRATEGY,
        took_ms=took_ms,
        pulled=Pulled(found.at, snapshot.hash, found.queries, found.truncated),
    )
