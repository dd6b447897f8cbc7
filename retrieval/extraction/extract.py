"""Passages in, a graph out. Replies are kept as they come: stopped work goes on where it was and pays for the rest."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from retrieval.environment import LLMSettings
from retrieval.errors import Cancelled, EmptySourceError, LLMReplyError
from retrieval.extraction.forms import FORMS, ExtractionForm
from retrieval.extraction.merging import THRESHOLD, Merged, merge
from retrieval.extraction.reading import Extracted, UnreadableError, build_retry_request
from retrieval.kg.table import TripleTable
from retrieval.llm import prompts
from retrieval.llm.replies import Asker, Request
from retrieval.types import Passage, Progress

SENTENCE = "sentence"
"""The attribute of a fact that holds the sentence it was read in."""

REPLY_TOKENS = 4_096
"""Longest reply: a passage may state many facts."""

MERGES_SHOWN = 200
"""Merges by meaning that a report lists, the least sure first."""


@dataclass(frozen=True, slots=True)
class Extraction:
    """What came of it.

    Attributes:
        table: facts with their sentence (attribute ``sentence``) and their passage, ready for ``snapshot.build``.
        merged: which names became one.
        unread: names of passages whose reply could not be read, nor the one to a second, corrected request.
        failed: names of passages that got no reply; asked again next time.
        bad: entries of replies that were no triple with a sentence.
        report: all of that with tokens and cost, as plain JSON.
    """

    table: TripleTable
    merged: Merged
    unread: tuple[str, ...]
    failed: tuple[str, ...]
    bad: int
    report: dict[str, Any] = field(default_factory=dict)


def allow_long_replies(settings: LLMSettings) -> LLMSettings:
    """Settings that let a model write down all facts of a passage."""
    return replace(settings, max_tokens=max(settings.max_tokens, REPLY_TOKENS))


def extract(
    passages: Sequence[Passage],
    asker: Asker,
    encode: Callable[[list[str]], np.ndarray] | None,
    *,
    form: str = "own",
    threshold: float = THRESHOLD,
    progress: Callable[[Progress], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Extraction:
    """Read the facts of passages.

    Args:
        passages: by position; their ``id`` is their position.
        asker: the language model (:func:`allow_long_replies`), through its store of replies. A limit of tokens or cost
            is a meter around the call.
        encode: names to unit vectors, for merging; None merges equal names only.
        form: one of ``FORMS``, whose questions and replies.
        threshold: cosine from which two names are one.
        progress: told after every reply, with tokens and cost so far.

    Raises:
        EmptySourceError: there are no passages with text.
        LLMKeyError, OverBudgetError, LLMError: the language model cannot be asked any more; what came is kept.
        LLMReplyError: not one reply can be read.
    """
    if not any(passage.text.strip() for passage in passages):
        raise EmptySourceError("There is no text to read.", hint="Give documents with text in them.")
    how = FORMS[form]
    work = _Work(passages, asker, how, progress, cancelled)
    requests = {index: how.request(passage) for index, passage in enumerate(passages) if passage.text.strip()}
    unread = work.read("naming entities", requests, work.take_entities) if how.then is not None else {}
    unread |= work.read("reading", requests if how.then is None else work.second, work.take_facts)
    facts_by_passage, failed, bad = work.found, work.failed, work.bad
    if not facts_by_passage:
        raise LLMReplyError(
            f"None of the {len(requests):,} replies can be read.",
            hint="Use a model that follows instructions.",
        )
    facts = [fact for index in sorted(facts_by_passage) for fact in facts_by_passage[index]]
    progress(Progress("merging names", 0, 0, metrics=_measure_usage(asker)))
    names = [name for fact in facts for name in (fact.subject, fact.object)]
    merged = merge(names, encode, threshold=threshold, check=_make_check(cancelled))
    table = _build_table(passages, facts, merged)
    return Extraction(
        table,
        merged,
        tuple(passages[index].name for index in sorted(unread)),
        tuple(passages[index].name for index in sorted(failed)),
        bad,
        _build_report(asker, passages, facts, merged, threshold)
        | {"form": form, "prompts": prompts.describe_prompts(*how.prompts)}
        | {"unread": len(unread), "failed": len(failed), "bad": bad},
    )


@dataclass(slots=True)
class _Work:
    """What was read so far, by position of the passage."""

    passages: Sequence[Passage]
    asker: Asker
    form: ExtractionForm
    progress: Callable[[Progress], None]
    cancelled: Callable[[], bool]
    found: dict[int, list[Extracted]] = field(default_factory=dict)
    second: dict[int, Request] = field(default_factory=dict)
    failed: list[int] = field(default_factory=list)
    bad: int = 0

    def read(self, stage: str, requests: Mapping[int, Request], take: Callable[[int, str], None]) -> dict[int, Request]:
        """Ask, take the replies, and ask once more where one could not be read. What then still could not be."""
        mended = self._ask(stage, requests, take)
        return self._ask("asking again", mended, take) if mended else {}

    def take_entities(self, index: int, reply: str) -> None:
        """The second question, from a reply to the first."""
        assert self.form.then is not None, "only a form of two questions has entities to name"
        self.second[index] = self.form.then(self.passages[index], reply)

    def take_facts(self, index: int, reply: str) -> None:
        """The facts of a reply."""
        self.found[index], wrong = self.form.read(self.passages[index], reply)
        self.bad += wrong

    def _ask(self, stage: str, requests: Mapping[int, Request], take: Callable[[int, str], None]) -> dict[int, Request]:
        places, unread = list(requests), {}
        replies = self.asker.ask(list(requests.values()), cancelled=self.cancelled)
        for done, (position, reply) in enumerate(replies, start=1):
            index = places[position]
            if reply is None:
                self.failed.append(index)
            else:
                try:
                    take(index, reply.text)
                except UnreadableError as error:
                    problem = "it is longer than allowed and was cut off" if reply.usage.cut else str(error)
                    unread[index] = build_retry_request(requests[index], reply.text, problem)
            self.progress(Progress(stage, done, len(requests), "passages", metrics=_measure_usage(self.asker)))
        return unread


def _build_table(passages: Sequence[Passage], facts: Sequence[Extracted], merged: Merged) -> TripleTable:
    rows = [(merged.names[fact.subject], fact.relation, merged.names[fact.object]) for fact in facts]
    sentences = [
        (row, SENTENCE, passages[fact.sentence.passage].text[fact.sentence.start : fact.sentence.end])
        for row, fact in enumerate(facts)
    ]
    return TripleTable.from_facts(
        rows,
        passages=passages,
        fact_passages=[(row, fact.sentence.passage) for row, fact in enumerate(facts)],
        fact_attributes=sentences,
    )


def _build_report(
    asker: Asker, passages: Sequence[Passage], facts: Sequence[Extracted], merged: Merged, threshold: float
) -> dict[str, Any]:
    usage = {name: value for name, value in asdict(asker.usage).items() if name != "triples"}
    return {
        "model": asker.settings.model,
        "passages": len(passages),
        "facts": len(facts),
        "names": len(merged.names),
        "entities": len(set(merged.names.values())),
        "merged_by_spelling": merged.by_spelling,
        "merged_by_meaning": len(merged.by_meaning),
        "threshold": threshold,
        "merges": [list(row) for row in merged.by_meaning[:MERGES_SHOWN]],
        "usage": usage,
        "kept": asker.kept,
    }


def _measure_usage(asker: Asker) -> dict[str, float]:
    usage = asker.usage
    spent = {
        "tokens": float(usage.prompt_tokens + usage.completion_tokens),
        "kept replies": float(asker.kept),
    }
    return spent if usage.cost is None else {**spent, "cost": usage.cost}


def _make_check(cancelled: Callable[[], bool]) -> Callable[[], None]:
    def check() -> None:
        if cancelled():
            raise Cancelled("The extraction was stopped.")

    return check
