"""How many evidence chains the reorganisation makes of ever more retrieved triples (ReG Fig. 2b)."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from retrieval.config import TripleOptions
from retrieval.evidence.expand import expand
from retrieval.evidence.reorganise import reorganise
from retrieval.kg import readers, snapshot
from retrieval.kg.questions import read_questions, with_splits
from retrieval.kg.snapshot import Snapshot
from retrieval.retrievers import registry
from retrieval.retrievers.triple_ranking import GrownPath, Retrieved
from retrieval.supervision.grounding import Grounded, ground
from retrieval.text import encoder as encoders
from retrieval.training import train
from retrieval.types import Question, Triple
from tests.benchmarks.data import found
from tests.benchmarks.report import Section

SIZES = (50, 100, 200, 350, 500)
ASKED = 100
TRAINED_ON = 3000


def measure() -> list[Section]:
    """Chains before and after merging, on MetaQA and on the Freebase piece."""
    section = Section(
        "Evidence chains of ever more retrieved triples",
        "python -m tests.benchmarks chains",
        f"ReG Fig. 2b. `reg-triple`, trained here on at most {TRAINED_ON:,} questions, retrieves the top K triples of "
        f"test questions that have {SIZES[-1]} candidates or more (at most {ASKED}); means over questions. Chains are "
        "those of Algorithm 1 with turning allowed; merged ones have one relation path from one topic, or meet. The "
        "exponent b is that of chains ~ K^b by least squares on the logarithms; growth is sub-linear when b < 1.",
    )
    metaqa, freebase = found("metaqa"), found("freebase-piece")
    if metaqa is not None:
        files = [metaqa / f"{hop}-hop" / "qa_dev.txt.gz" for hop in (1, 2, 3)]
        questions = [q for file in files for q in read_questions(file, problems=lambda _: None)]
        _measure(section, "MetaQA", metaqa / "kb.txt.gz", questions, lengths=(3, None))
    if freebase is not None:
        questions = read_questions(freebase / "webqsp_half.jsonl.gz", problems=lambda _: None)
        _measure(section, "Freebase piece", freebase / "triples.tsv.gz", questions, lengths=(2, None))
    return [section] if section.rows else []


def _measure(
    section: Section,
    name: str,
    source: Path,
    questions: Sequence[Question],
    lengths: tuple[int | None, ...],
) -> None:
    split = with_splits(questions, 0)
    learned = [q for q in split if q.split != "test"]
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        graph = snapshot.build(readers.read_graph([source], problems=lambda _: None), home / "graph")
        encoder = encoders.load()
        checkpoint = train(
            "reg-triple", graph, learned[:: max(1, len(learned) // TRAINED_ON)],
            out=home / "checkpoint", encoder=encoder, cache=home / "cache",
        ).checkpoint  # fmt: skip
        retriever = registry.load("reg-triple", checkpoint, graph, encoder, cache=home / "cache").configured(
            TripleOptions(top_k=SIZES[-1])
        )
        asked, _ = ground(graph, [q for q in split if q.split == "test"])
        pools: list[tuple[tuple[int, ...], list[Retrieved]]] = []
        for question in asked:
            pool = _retrieved(retriever, question)
            if sum(len(part.facts) for part in pool) >= SIZES[-1] and len(pools) < ASKED:
                pools.append((question.topics, pool))
        for length in lengths:
            counts = np.array(
                [[_chains(graph, topics, pool, size, length) for topics, pool in pools] for size in SIZES]
            ).mean(axis=1)
            for size, (plain, merged) in zip(SIZES, counts, strict=True):
                limit = "no limit" if length is None else f"L = {length}"
                section.add(f"{name}, {limit}, K = {size}", f"{plain:.0f} chains, {merged:.1f} merged")
            before, after = (_exponent(counts[:, column]) for column in (0, 1))
            section.add(
                f"{name}, {limit}, exponent b", f"{before:.2f} chains, {after:.2f} merged", "< 1 merged"
            )
        section.add(f"{name}, questions", f"{len(pools)}")


def _retrieved(retriever: registry.Retriever, question: Grounded) -> list[Retrieved]:
    paths = retriever.relation_paths(
        question.question.question, question.topics, limit=1, mentions=question.names
    )
    return [path.retrieved for path in paths if isinstance(path, GrownPath)]


def _chains(
    graph: Snapshot, topics: tuple[int, ...], pool: Sequence[Retrieved], size: int, length: int | None
) -> tuple[int, int]:
    """Chains of the best ``size`` triples before and after merging."""
    facts = np.concatenate([part.facts for part in pool])
    scores = np.concatenate([part.scores for part in pool])
    best = np.argsort(-scores, kind="stable")[:size]
    kept = {int(facts[i]): float(1 / (1 + np.exp(-scores[i]))) for i in best}
    triples = [Triple(int(graph.heads[f]), int(graph.relations[f]), int(graph.tails[f])) for f in kept]
    plain = len(expand(triples, topics, length, mixed=True))
    return plain, len(reorganise(graph, kept, topics, max_length=length))


def _exponent(counts: np.ndarray) -> float:
    return float(np.polyfit(np.log(SIZES), np.log(counts), 1)[0])
