"""MetaQA's questions in other words than the set's own, of a checkpoint that learned from those, and of none."""

from __future__ import annotations

import gzip
import json
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from retrieval.answering.loading import load_answerer, load_encoder, load_parts
from retrieval.answering.spec import AnswererSpec
from retrieval.evaluation.evaluator import evaluate_answerer
from retrieval.evaluation.report import build_metrics, score
from retrieval.kg import snapshot as snapshots
from retrieval.questions.files import read_questions
from retrieval.questions.splits import assign_splits
from retrieval.types import QuestionRecord
from tests.benchmarks.data import found
from tests.benchmarks.report import Section
from tests.benchmarks.sets import CACHE, clew, prepared

#: Four of each type of question, by an author who saw one example of each and knew nothing of Clew.
WRITTEN = Path(__file__).with_suffix(".jsonl")
METHOD, HOPS = "reg-path", (1, 2, 3)
#: Test questions of the type that each is put into, and the seed of that.
_EACH, _SEED = 3, 0


def measure() -> list[Section]:
    """Ask the test split's entities in both wordings; the checkpoint is trained once."""
    of = prepared("MetaQA")
    if of is None:
        return []
    checkpoint = CACHE / "paraphrases" / "checkpoint"
    if not checkpoint.is_dir():
        clew(
            "train",
            METHOD,
            "--graph",
            str(of.graph),
            "--questions",
            str(of.questions),
            "--out",
            str(checkpoint),
        )
    pairs = list(_pairs(of.questions))
    section = Section(
        "MetaQA paraphrased",
        "python -m tests.benchmarks paraphrases",
        f"{len(pairs)} test questions as the set words them and in words of an author who saw one example of each of "
        f"its 49 types; linked by Clew, extractive reasoner, exact sets. Trained: `{METHOD}` on its training split.",
        head=("by", "wording", *(f"{hops} hops" for hops in HOPS), "all"),
    )
    parts = load_parts(snapshots.open(of.graph), load_encoder())
    for by, where in (("trained", checkpoint), ("zero-shot", None)):
        answerer = load_answerer(AnswererSpec(of.graph, where, METHOD), parts)
        for wording, asked in (
            ("the set's", [own for own, _ in pairs]),
            ("others", [other for _, other in pairs]),
        ):
            scores = [
                score(own) for own in evaluate_answerer(answerer, asked, budget=50, seed=0, topics="linked").outcomes
            ]
            groups = [[s for s, q in zip(scores, asked, strict=True) if q.hops == hops] for hops in HOPS]
            section.add(by, wording, *(f"{build_metrics(own)['exact_set']:.3f}" for own in (*groups, scores)))
    return [section]


def _pairs(file: Path) -> Iterator[tuple[QuestionRecord, QuestionRecord]]:
    """Questions as they are and paraphrased."""
    types = _types()
    by_type: dict[tuple[int, str], list[QuestionRecord]] = defaultdict(list)
    for one in assign_splits(list(read_questions(file, problems=lambda _: None))):
        known = types.get(_bare(one.question))
        if one.split == "test" and known is not None:
            by_type[known].append(one)
    rng = random.Random(_SEED)
    for row in map(json.loads, WRITTEN.read_text(encoding="utf-8").splitlines()):
        own: Sequence[QuestionRecord] = by_type[row["hops"], row["type"]]
        for text in row["paraphrases"]:
            for one in rng.sample(own, min(_EACH, len(own))):
                yield one, replace(one, question=text.replace("[X]", one.topic_entities[0]))


def _types() -> dict[str, tuple[int, str]]:
    """Of each question of the set the number of hops and the type."""
    types: dict[str, tuple[int, str]] = {}
    for hops in HOPS:
        files = [found("metaqa", f"{hops}-hop", f"qa_dev{kind}.txt.gz") for kind in ("", "_qtype")]
        rows = [gzip.decompress(path.read_bytes()).decode().splitlines() for path in files if path is not None]
        for question, kind in zip(*rows, strict=True):
            types[_bare(question.partition("\t")[0])] = hops, kind.strip()
    return types


def _bare(question: str) -> str:
    return question.replace("[", "").replace("]", "")
