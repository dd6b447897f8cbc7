"""The reasoners by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retrieval.answering.spec import EXTRACTIVE, LLM, LLM_PROGRAM, REASONERS
from retrieval.errors import ConfigError, MethodError
from retrieval.methods import registry

if TYPE_CHECKING:
    from retrieval.answering.settings import AnsweringSettings
    from retrieval.answering.spec import AnswererSpec
    from retrieval.environment import LLMSettings
    from retrieval.reasoning.base import Reasoner


def require_written(spec: AnswererSpec) -> None:
    """Refuse to have a method's programs written that takes none.

    Raises:
        MethodError: it is one; says what does.
    """
    if spec.reasoner == LLM_PROGRAM and not registry.get_method(spec.method).takes_written_programs:
        able = (name for name, known in registry.METHODS.items() if known.takes_written_programs)
        raise MethodError(
            f"{spec.method} takes no program that a language model writes.",
            hint=f"Ask {', '.join(sorted(able))}, or choose another reasoner.",
        )


def make_reasoner(name: str, llm: LLMSettings | None, settings: AnsweringSettings | None = None) -> Reasoner:
    """The reasoner of that name.

    Raises:
        ConfigError: no such reasoner, or a language model is asked for and none is configured.
    """
    if name == EXTRACTIVE:
        from retrieval.reasoning.extractive import ExtractiveReasoner  # noqa: PLC0415

        return ExtractiveReasoner(settings.extractive if settings else None)
    if name not in (LLM, LLM_PROGRAM):
        raise ConfigError(f"No reasoner is called {name!r}.", hint=f"Choose one of {', '.join(REASONERS)}.")
    if llm is None:
        raise ConfigError(
            "No language model is configured.",
            hint="Set LLM_BASE_URL and LLM_MODEL, or use the extractive reasoner.",
        )
    if name == LLM_PROGRAM:
        from retrieval.reasoning.writing import WritingReasoner  # noqa: PLC0415

        return WritingReasoner(llm, settings.extractive if settings else None)
    from retrieval.reasoning.llm import LLMReasoner  # noqa: PLC0415

    return LLMReasoner(llm)
