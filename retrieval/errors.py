"""One error tree for the engine. Every message says what happened and what to do next."""

from __future__ import annotations

from collections.abc import Callable


class ClewError(Exception):
    """Base of every error that Clew raises on purpose.

    Attributes:
        code: stable machine-readable name; the HTTP API and the event stream repeat it.
        message: what happened, in one sentence, for a person.
        hint: what to do next.
    """

    code = "error"

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message if not hint else f"{message} {hint}")
        self.message = message
        self.hint = hint


class ConfigError(ClewError):
    """A setting is unknown or has a wrong value."""

    code = "bad_config"


class SourceError(ClewError):
    """A graph or question file cannot be read at all."""

    code = "bad_source"


class EmptySourceError(SourceError):
    """A file was readable, and not one row of it was good."""

    code = "empty_source"


class EndpointError(SourceError):
    """A SPARQL endpoint is down, slow, or answers what cannot be used."""

    code = "endpoint_unavailable"


class EditError(ClewError):
    """An edit of a graph cannot be applied to the version that it is for."""

    code = "bad_edit"


class SnapshotError(ClewError):
    """A snapshot directory is missing, damaged or of another format version."""

    code = "bad_snapshot"


class DamagedError(SnapshotError):
    """Files that a graph is read from are not what was written: a disk that failed, or somebody changed them."""

    code = "damaged"

    def __init__(self, message: str = "", *, hint: str = "") -> None:
        super().__init__(
            message or "The graph's files are damaged.",
            hint=hint or "Go back to another version of the graph, restore its files, or import it again.",
        )


class StorageFullError(ClewError):
    """The disk has no room."""

    code = "storage_full"


class NotIndexedError(SnapshotError):
    """What a method finds texts by has not been built yet."""

    code = "not_indexed"

    def __init__(self, message: str = "", *, hint: str = "") -> None:
        super().__init__(
            message or "The names and texts of this graph are not indexed yet.",
            hint=hint or "Ask again when its index is done; its page shows how far it is.",
        )


class IndexingError(ClewError):
    """A graph's names or texts could not be indexed to the end."""

    code = "indexing_failed"


class QuestionError(ClewError):
    """The question itself cannot be asked: empty or over-long."""

    code = "bad_question"


class ProgramError(ClewError):
    """A program does not fit the graph: a relation or entity that it lacks, or a number where a set is needed."""

    code = "bad_program"


class QueryError(ProgramError):
    """A SPARQL query is malformed, not allowed, or takes more time, memory or room than it may."""

    code = "bad_query"


class UnknownEntityError(ClewError):
    """An entity named by the caller is not in the graph."""

    code = "unknown_entity"


class CheckpointError(ClewError):
    """A checkpoint is missing, damaged, or belongs to another method or encoder."""

    code = "bad_checkpoint"


class TrainingDataError(ClewError):
    """A question set gives nothing to learn from (no labels, empty split, wrong graph)."""

    code = "bad_training_data"


class EvaluationError(ClewError):
    """A question set cannot be evaluated on this graph, or reports cannot be compared."""

    code = "bad_evaluation"


class MethodError(ClewError):
    """No retriever of that name exists."""

    code = "unknown_method"


class LLMError(ClewError):
    """The language model endpoint is down, slow, or answered nonsense.

    Attributes:
        detail: the endpoint's own words, which administrators alone may read; empty where it said nothing.
    """

    code = "llm_unavailable"

    def __init__(self, message: str, *, hint: str = "", detail: str = "") -> None:
        super().__init__(message, hint=hint)
        self.detail = detail


class LLMTimeoutError(LLMError):
    """The language model did not answer in time."""

    code = "llm_timeout"


class LLMReplyError(LLMError):
    """The language model answered something that cannot be used."""

    code = "llm_bad_reply"


class LLMKeyError(LLMError):
    """The language model refuses the key; asking again does not help."""

    code = "llm_bad_key"


class LLMPromptError(LLMError):
    """The prompt is longer than the language model can read."""

    code = "llm_prompt_too_long"


class OverBudgetError(LLMError):
    """What may be spent on the language model is spent."""

    code = "over_budget"


class Cancelled(ClewError):
    """Somebody pressed Stop: raised at its next check point by whatever takes ``cancelled``, which is asked often."""

    code = "cancelled"


def check(cancelled: Callable[[], bool]) -> None:
    """Raise ``Cancelled`` when somebody pressed Stop."""
    if cancelled():
        raise Cancelled("Stopped.", hint="What was found until then is kept.")
