"""The reasoners by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retrieval.errors import ConfigError
from retrieval.methods._shared.engine_spec import EXTRACTIVE, LLM, REASONERS

if TYPE_CHECKING:
    from retrieval.environment import LLMSettings
    from retrieval.methods._shared.engine_settings import EngineSettings
    from retrieval.reasoning.base import Reasoner


def make_reasoner(name: str, llm: LLMSettings | None, settings: EngineSettings | None = None) -> Reasoner:
    """The reasoner of that name.

    Raises:
        ConfigError: no such reasoner, or a language model is asked for and none is configured.
    """
    if name == EXTRACTIVE:
        from retrieval.reasoning.extractive import ExtractiveReasoner  # noqa: PLC0415

        return ExtractiveReasoner(settings.extractive if settings else None)
    if name != LLM:
        raise ConfigError(f"No reasoner is called {name!r}.", hint=f"Choose one of {', '.join(REASONERS)}.")
    if llm is None:
        raise ConfigError(
            "No language model is configured.",
            hint="Set LLM_BASE_URL and LLM_MODEL, or use the extractive reasoner.",
        )
    from retrieval.reasoning.llm import LLMReasoner  # noqa: PLC0415

    return LLMReasoner(llm)
