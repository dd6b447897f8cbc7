"""Rationalizers by the name of their strategy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

from retrieval.environment import LLMSettings
from retrieval.errors import ConfigError
from retrieval.llm.replies import Asker, ReplyStore
from retrieval.supervision import pools, prompting
from retrieval.supervision.answer_set import AnswerSetRationalizer
from retrieval.supervision.labels import Rationalizer
from retrieval.supervision.llm import LLMRationalizer
from retrieval.supervision.shortest_path import ShortestPathRationalizer


@dataclass(frozen=True, slots=True)
class LLMWork:
    """What the strategy ``llm`` needs.

    Attributes:
        settings: the endpoint; None when none is configured.
        replies: directory where replies are kept.
        prompt: ``reg``, ``rapl`` or ``rel-rag``.
        candidates: name of a pool; None for the prompt's own.
        concurrency: requests under way at a time.
    """

    settings: LLMSettings | None
    replies: Path
    prompt: str = "reg"
    candidates: str | None = None
    concurrency: int = 4


def _make_llm_rationalizer(work: LLMWork | None) -> LLMRationalizer:
    if work is None or work.settings is None:
        raise ConfigError(
            "The strategy llm asks a language model, and none is configured.",
            hint="Set LLM_BASE_URL and LLM_MODEL (and LLM_API_KEY, if it wants one), or use answer-set.",
        )
    prompting.require(work.prompt)
    if work.candidates is not None:
        pools.get(work.candidates)
    if work.concurrency < 1:
        raise ConfigError(f"concurrency is {work.concurrency}.", hint="At least 1.")
    asker = Asker(work.settings, ReplyStore(work.replies), concurrency=work.concurrency)
    return LLMRationalizer(asker, work.prompt, work.candidates)


_Known = AnswerSetRationalizer | ShortestPathRationalizer | LLMRationalizer

MAX_HOPS = 8
"""Longest paths that labels may have."""

RATIONALIZERS: Mapping[str, Callable[[LLMWork | None], _Known]] = MappingProxyType(
    {
        "answer-set": lambda _: AnswerSetRationalizer(),
        "shortest-path": lambda _: ShortestPathRationalizer(),
        "all-shortest": lambda _: ShortestPathRationalizer(every=True),
        "llm": _make_llm_rationalizer,
    }
)


def get(strategy: str, llm: LLMWork | None = None, *, max_hops: int | None = None) -> Rationalizer:
    """The rationalizer of a strategy, with its default settings.

    Args:
        llm: what the strategy ``llm`` needs.
        max_hops: longest path, 4 for questions as CWQ's; None for 3, of a language model 4.

    Raises:
        ConfigError: there is none of that name, it needs a language model and none is configured, or no path is that
            short.
    """
    if strategy not in RATIONALIZERS:
        known = ", ".join(sorted(RATIONALIZERS))
        raise ConfigError(f"No labelling strategy is called {strategy!r}.", hint=f"There are: {known}.")
    if max_hops is not None and not 1 <= max_hops <= MAX_HOPS:
        raise ConfigError(f"max_hops is {max_hops}.", hint=f"It must be from 1 to {MAX_HOPS}.")
    rationalizer = RATIONALIZERS[strategy](llm)
    return rationalizer if max_hops is None else replace(rationalizer, max_hops=max_hops)
