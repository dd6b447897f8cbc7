"""How many evidence chains the reorganisation makes of ever more retrieved triples (ReG Fig. 2b)."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from retrieval.evidence.expand import expand
from retrieval.evidence.reorganise import reorganise
from retrieval.kg import readers, search
from retrieval.kg.build import build_snapshot
from retrieval.kg.snapshot import Snapshot
from retrieval.methods._shared.triples.candidates.fan_out import FanOut
from retrieval.methods._shared.triples.subgraphs import cut
from retrieval.questions.files import read_questions
from retrieval.supervision.grounding import Grounded, ground
from retrieval.text import encoder as encoders
from retrieval.text.features import TextEncoder
from retrieval.text.questions import seen_from
from retrieval.text.relation_index import relation_texts
from retrieval.types import Question, Triple
from tests.benchmarks.data import found
from tests.benchmarks.report import Section

SIZES = (50, 100, 200, 350, 500)
ASKED = 60
HOPS = 3
#: What a hop away from the topic costs a triple, in cosines.
HOP_COST = 0.3


def measure() -> list[Section]:
    """Chains before and after merging, on MetaQA and on the Freebase piece."""
    section = Section(
        "Evidence chains of ever more retrieved triples",
        "python -m tests.benchmarks chains",
        f"ReG Fig. 2b, without a trained retriever: the K candidate triples whose relation is most like the question, "
        f"{HOP_COST} of cosine less for each hop from the topic, of {ASKED} questions with at least {SIZES[-1]} "
        "candidates; means over questions. Chains are those of Algorithm 1 with turning allowed; merged ones have one "
        "relation path from one topic. The exponent b is that of chains ~ K^b by least squares on the logarithms; "
        "growth is sub-linear when b < 1.",
    )
    metaqa, freebase, encoder = found("metaqa"), found("freebase-piece"), encoders.load()
    if metaqa is not None:
        files = [metaqa / f"{hop}-hop" / "qa_dev.txt.gz" for hop in (1, 2, 3)]
        questions = [q for file in files for q in read_questions(file, problems=lambda _: None)]
        _measure(section, "MetaQA", metaqa / "kb.txt.gz", questions, encoder, (3, None))
    if freebase is not None:
        questions = read_questions(freebase / "webqsp_half.jsonl.gz", problems=lambda _: None)
        _measure(section, "Freebase piece", freebase / "triples.tsv.gz", questions, encoder, (2, None))
    return [section] if section.rows else []


def _measure(  # noqa: PLR0917
    section: Section,
    name: str,
    source: Path,
    questions: Sequence[Question],
    encoder: TextEncoder,
    lengths: Sequence[int | None],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        graph = build_snapshot(readers.read_graph([source], problems=lambda _: None), Path(folder) / "graph")
        vectors = encoder.encode(relation_texts(graph)[: graph.num_relations])
        asked, _ = ground(graph, questions[:: max(1, len(questions) // (5 * ASKED))])
        ranked = [(q.topics[:1], _ranked(graph, q, encoder, vectors)) for q in asked]
        enough = [(topics, facts) for topics, facts in ranked if len(facts) == SIZES[-1]][:ASKED]
        section.add(f"{name}, questions", f"{len(enough)}")
        for length in lengths:
            counts = np.array(
                [[_chains(graph, topics, facts[:size], length) for topics, facts in enough] for size in SIZES]
            ).mean(axis=1)
            limit = "no limit" if length is None else f"L = {length}"
            for size, (plain, merged) in zip(SIZES, counts, strict=True):
                section.add(f"{name}, {limit}, K = {size}", f"{plain:.0f} chains, {merged:.1f} merged")
            before, after = (_exponent(counts[:, column]) for column in (0, 1))
            section.add(
                f"{name}, {limit}, exponent b", f"{before:.2f} chains, {after:.2f} merged", "< 1 merged"
            )


def _ranked(graph: Snapshot, question: Grounded, encoder: TextEncoder, relations: np.ndarray) -> np.ndarray:
    """The best candidate facts of the question's first topic, at most ``SIZES[-1]``."""
    topic = question.topics[0]
    candidates = cut(graph, [topic], FanOut(HOPS))
    asked = encoder.encode([seen_from(question.question.question, 0, question.names)])[0]
    away = search.distances(graph, [topic], HOPS)
    facts = candidates.facts
    hops = np.minimum(away[graph.heads[facts]], away[graph.tails[facts]])
    scores = relations[candidates.relations] @ asked - HOP_COST * hops
    best: np.ndarray = facts[np.argsort(-scores, kind="stable")[: SIZES[-1]]]
    return best


def _chains(
    graph: Snapshot, topics: tuple[int, ...], facts: np.ndarray, length: int | None
) -> tuple[int, int]:
    """Chains of retrieved facts, best first, before and after merging."""
    kept = {int(fact): 1 / (1 + place) for place, fact in enumerate(facts)}
    triples = [Triple(int(graph.heads[f]), int(graph.relations[f]), int(graph.tails[f])) for f in kept]
    plain = len(expand(triples, topics, length, mixed=True))
    return plain, len(reorganise(graph, kept, topics, max_length=length))


def _exponent(counts: np.ndarray) -> float:
    return float(np.polyfit(np.log(SIZES), np.log(counts), 1)[0])
