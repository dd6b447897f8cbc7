"""A language model as rationalizer: it selects the rational paths of a merged pool.

ReG's refinement (4.1), RAPL's rational path selection with relation targeting (4.1, eq. 8) and REL-RAG's
filtering of shortest paths (App. B) are one flow with another pool and another prompt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from retrieval.errors import check
from retrieval.kg.snapshot import Snapshot
from retrieval.linking.relation_index import list_relation_texts
from retrieval.linking.text_features import TextEncoder
from retrieval.llm.replies import Asker, KeptReply, Request
from retrieval.supervision import pools, prompting
from retrieval.supervision.candidate_paths import compute_f1, execute_path
from retrieval.supervision.grounding import Grounded
from retrieval.supervision.labels import (
    Compression,
    Label,
    Labelling,
    Rejections,
    select_usable,
    to_named_path,
)
from retrieval.supervision.pools import PathCandidate, Pool
from retrieval.supervision.provided_labels import should_use_simple_walks
from retrieval.supervision.selection import NoSelectionError, Selection, read_selection
from retrieval.types import Progress


@dataclass(frozen=True, slots=True)
class LLMRationalizer:
    """See the module.

    Attributes:
        prompt: ``reg``, ``rapl`` or ``rel-rag``.
        candidates: name of the pool; None for the prompt's own.
        max_hops: longest path.
        most: candidates a prompt may list; where there are more, paths come before facts, and those that
            sound like the question before others.
        targets: also ask for the relations that a path may begin with; None for RAPL and REL-RAG only.
    """

    asker: Asker
    prompt: str = "reg"
    candidates: str | None = None
    max_hops: int = 4
    most: int = 150
    targets: bool | None = None

    def label(
        self,
        snapshot: Snapshot,
        questions: Sequence[Grounded],
        *,
        encoder: TextEncoder,
        rejected: Rejections = frozenset(),
        progress: Callable[[Progress], None] | None = None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> Labelling:
        """Label by asking. See :class:`labels.Rationalizer`.

        A question whose reply selects nothing, or cannot be read, gets no label; the notes count both.

        Raises:
            Cancelled: ``cancelled()`` said so; replies that came are kept.
            LLMError: the endpoint keeps failing; replies that came are kept.
            ConfigError: the prompt or the pool does not exist.
        """
        prompting.require(self.prompt)
        work = _Work(self, snapshot, encoder, progress, cancelled)
        candidates, compression = work.build_pools(questions, rejected)
        labels = work.select(questions, candidates)
        if self.targets if self.targets is not None else self.prompt != "reg":
            labels += work.select_first_relations(questions, labels)
        paths = select_usable(labels)
        best: dict[str, float] = {}
        for label in paths:
            best[label.question] = max(label.score, best.get(label.question, 0.0))
        return Labelling(
            tuple(labels),
            should_use_simple_walks(snapshot, questions, paths),
            float(np.mean(list(best.values()))) if best else 0.0,
            len(questions) - len(best),
            compression,
            self.asker.usage,
            self.asker.kept,
            tuple(f"{count:,} {what}." for what, count in work.counts.items() if count),
        )


@dataclass(slots=True)
class _Work:
    """One labelling: what is asked, and what is made of the replies."""

    how: LLMRationalizer
    snapshot: Snapshot
    encoder: TextEncoder
    progress: Callable[[Progress], None] | None
    cancelled: Callable[[], bool]
    counts: dict[str, int] = field(default_factory=dict)

    def build_pools(
        self, questions: Sequence[Grounded], rejected: Rejections
    ) -> tuple[list[list[PathCandidate]], Compression]:
        """The candidates of each question, and how far they were merged."""
        make = pools.get(self.how.candidates or prompting.CANDIDATES_OF[self.how.prompt])
        relations = self.encoder.encode(list_relation_texts(self.snapshot))
        shown: list[list[PathCandidate]] = []
        raw: list[int] = []
        merged: list[int] = []
        for done, question in enumerate(questions):
            check(self.cancelled)
            pool = make(self.snapshot, question, self.how.max_hops)
            raw.append(pool.raw)
            merged.append(len(pool.candidates))
            self._count("candidate pools were too large to count; the ratio is an upper bound", pool.truncated)
            shown.append(self._select_candidates(question, pool, relations, rejected))
            self._emit_progress("collecting candidate paths", done, len(questions), every=20)
        compression = Compression(len(questions), sum(raw), sum(merged), max(raw, default=0), max(merged, default=0))
        return shown, compression

    def select(self, questions: Sequence[Grounded], shown: Sequence[Sequence[PathCandidate]]) -> list[Label]:
        """Ask for the rational candidates of every question that has a path to an answer."""
        brackets = self.how.prompt == "reg"
        prompted: list[tuple[Grounded, Sequence[PathCandidate], list[str]]] = []
        requests: list[Request] = []
        for question, candidates in zip(questions, shown, strict=True):
            if not any(candidate.role == "path" for candidate in candidates):
                self._count("questions have no candidate path")
                continue
            texts = [prompting.format_path(self.snapshot, c.arcs, brackets=brackets) for c in candidates]
            answers = [self.snapshot.get_entity_label(answer) for answer in question.answers]
            prompted.append((question, candidates, texts))
            requests.append(prompting.build_path_request(self.how.prompt, question.question.question, answers, texts))
        labels: dict[int, list[Label]] = {}
        for index, reply in self._ask("asking for rational paths", requests):
            question, candidates, texts = prompted[index]
            selection = self._read(reply, texts)
            if selection is not None:
                self._count("questions for which no candidate was found rational", not selection.chosen)
                labels[index] = [
                    self._label(question, candidates[position], selection) for position in selection.chosen
                ]
        return [label for index in sorted(labels) for label in labels[index]]

    def select_first_relations(self, questions: Sequence[Grounded], labels: Sequence[Label]) -> list[Label]:
        """R_* (RAPL eq. 8): ask which of a topic's relations the question may mean, where it has a path."""
        wanted = {(label.question, label.topic) for label in select_usable(labels)}
        relations = self.encoder.encode(list_relation_texts(self.snapshot))
        prompted: list[tuple[str, str, list[PathCandidate]]] = []
        requests: list[Request] = []
        texts: list[list[str]] = []
        for question in questions:
            for topic in question.topics:
                name = self.snapshot.get_entity_label(topic)
                if (question.question.id, name) not in wanted:
                    continue
                facts = self._keep_likeliest(
                    question, pools.list_fact_candidates(self.snapshot, "topic-fact", topic), relations
                )
                names = [to_named_path(self.snapshot, fact.relations)[0] for fact in facts]
                listed = [prompting.format_relation(text, inverse=inverse) for text, inverse in names]
                prompted.append((question.question.id, name, facts))
                texts.append(listed)
                requests.append(prompting.build_relation_request(question.question.question, name, listed))
        labels_by_request: dict[int, list[Label]] = {}
        for index, reply in self._ask("asking for first relations", requests):
            question_id, name, facts = prompted[index]
            selection = self._read(reply, texts[index])
            labels_by_request[index] = [
                Label(
                    question_id,
                    name,
                    to_named_path(self.snapshot, facts[position].relations),
                    "llm",
                    role="first-relation",
                )
                for position in (selection.chosen if selection is not None else ())
            ]
        return [label for index in sorted(labels_by_request) for label in labels_by_request[index]]

    def _ask(self, stage: str, requests: Sequence[Request]) -> Iterator[tuple[int, KeptReply | None]]:
        """Replies, with progress told."""
        asker = self.how.asker
        for done, (index, reply) in enumerate(asker.ask(requests, cancelled=self.cancelled), start=1):
            yield index, reply
            spent = asker.usage.prompt_tokens + asker.usage.completion_tokens
            self._emit_progress(stage, done, len(requests), {"tokens": float(spent), "kept replies": float(asker.kept)})

    def _read(self, reply: KeptReply | None, texts: Sequence[str]) -> Selection | None:
        """What a reply selects; None, counted, when there is none that can be read."""
        if reply is None:
            self._count("requests failed; run again to ask them again")
            return None
        try:
            return read_selection(reply.text, texts)
        except NoSelectionError:
            self._count("replies could not be read")
            return None

    def _label(self, question: Grounded, candidate: PathCandidate, selection: Selection) -> Label:
        """A selected candidate as a label; the score of a path is the F1 of what it reaches."""
        score = 1.0
        if candidate.role == "path":
            ends = execute_path(self.snapshot, candidate.start, candidate.relations, simple=question.avoids_topics)
            score = compute_f1(ends, np.array(question.answers, np.int64))
        topic = "" if candidate.role == "answer-fact" else self.snapshot.get_entity_label(candidate.start)
        path = to_named_path(self.snapshot, candidate.relations)
        return Label(question.question.id, topic, path, "llm", score, candidate.role, explanation=selection.explanation)

    def _select_candidates(
        self, question: Grounded, pool: Pool, relations: np.ndarray, rejected: Rejections
    ) -> list[PathCandidate]:
        """The candidates that the prompt lists: none that was rejected, not too many."""
        key = question.question.id
        kept = [
            c for c in pool.candidates
            if not rejected
            or (key, self.snapshot.get_entity_label(c.start), to_named_path(self.snapshot, c.relations)) not in rejected
        ]  # fmt: skip
        return self._keep_likeliest(question, kept, relations)

    def _keep_likeliest(
        self, question: Grounded, candidates: list[PathCandidate], relations: np.ndarray
    ) -> list[PathCandidate]:
        """At most ``most``, in their own order: paths before facts, then what sounds like the question."""
        if len(candidates) <= self.how.most:
            return candidates
        self._count("prompts left out candidates that sound least like the question")
        vector = self.encoder.encode([question.question.question])[0]
        similar = [float(relations[list(c.relations)].mean(0) @ vector) for c in candidates]
        order = sorted(range(len(candidates)), key=lambda i: (candidates[i].role != "path", -round(similar[i], 4), i))
        return [candidates[i] for i in sorted(order[: self.how.most])]

    def _count(self, what: str, add: bool = True) -> None:
        self.counts[what] = self.counts.get(what, 0) + add

    def _emit_progress(
        self, stage: str, done: int, total: int, metrics: dict[str, float] | None = None, *, every: int = 1
    ) -> None:
        if self.progress is not None and done % every == 0:
            self.progress(Progress(stage, done, total, "questions", metrics=metrics or {}))
