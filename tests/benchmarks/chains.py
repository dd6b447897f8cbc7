"""How many shortest paths ever more question-answer pairs have, and how many evidence chains the reorganisation makes
of ever more retrieved triples (ReG Fig. 2)."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from retrieval.evidence.expand import expand
from retrieval.evidence.reorganise import merge_chains
from retrieval.kg import readers, search
from retrieval.kg.build import build_snapshot
from retrieval.kg.snapshot import Snapshot
from retrieval.linking import encoder as encoders
from retrieval.linking.questions import replace_topic_names
from retrieval.linking.relation_index import list_relation_texts
from retrieval.linking.text_features import TextEncoder
from retrieval.methods.triples.candidates.fan_out import FanOut
from retrieval.methods.triples.subgraphs import build_subgraphs
from retrieval.questions.files import read_questions
from retrieval.supervision import pools
from retrieval.supervision.grounding import Grounded, resolve_questions
from retrieval.types import QuestionRecord, Triple
from tests.benchmarks.data import found
from tests.benchmarks.report import Section

SIZES = (50, 100, 200, 350, 500)
ASKED = 60
HOPS = 3
#: What a hop away from the topic costs a triple, in cosines.
HOP_COST = 0.3
#: Most question-answer pairs of a question in each row.
PAIRS = (1, 2, 4, 8, 16, 32, 64, 128)
#: Questions of a row, at least.
LEAST = 10
#: Of MetaQA's questions, one in so many.
EVERY = 5
#: Of the questions, each half of the next, by a seed.
SHARES = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1)


def measure() -> list[Section]:
    """Both figures, on MetaQA and on the Freebase piece."""
    sections = [_shortest(), _reorganised()]
    return [section for section in sections if section.rows]


def _shortest() -> Section:
    """Shortest paths before and after merging."""
    section = Section(
        "Growth of shortest paths",
        "python -m tests.benchmarks chains",
        "ReG Fig. 2a: the shortest paths between a question's topics and its answers, walked both ways, within "
        f"{HOPS} hops, against the pairs of a topic and an answer that it has; means over the questions of so many "
        f"pairs, rows of {LEAST} questions at least. Merged ones have one relation path from one topic. The exponent b "
        "is that of paths ~ pairs^b by least squares on the logarithms of the rows; growth is super-linear when b > 1. "
        f"Of MetaQA every {EVERY}th question. The last row of a set is of all pairs and paths of 1/16, 1/8 ... of its "
        "questions together, which grow alike but for the few questions that have most of the paths.",
    )
    for name, source, questions in _public():
        with tempfile.TemporaryDirectory() as folder:
            graph = build_snapshot(readers.read_graph([source], problems=lambda _: None), Path(folder) / "graph")
            counts = _counts(graph, resolve_questions(graph, questions[:: EVERY if name == "MetaQA" else 1])[0])
        section.add(f"{name}, questions with a path", f"{len(counts):,}")
        means, low = [], 0
        for most in (*PAIRS, int(counts[:, 0].max())):
            row = counts[(counts[:, 0] > low) & (counts[:, 0] <= most)]
            if len(row) >= LEAST:
                pairs, paths, merged = row.mean(axis=0)
                means.append((pairs, paths, merged))
                of = f"{low + 1} to {most} pairs" if most > low + 1 else f"{most} pair{'s' * (most > 1)}"
                section.add(
                    f"{name}, {of} ({len(row):,} questions, mean {pairs:.1f})",
                    f"{paths:.1f} paths, {merged:.1f} merged",
                )
            low = most
        rows = np.array(means)
        before, after = (_exponent(rows[:, column], rows[:, 0]) for column in (1, 2))
        section.add(f"{name}, exponent b", f"{before:.2f} paths, {after:.2f} merged", "> 1 paths")
        order = np.random.default_rng(0).permutation(len(counts))
        totals = np.array([counts[order[: round(share * len(counts))]].sum(axis=0) for share in SHARES])
        section.add(f"{name}, exponent b of samples", f"{_exponent(totals[:, 1], totals[:, 0]):.2f} paths")
    return section


def _public() -> Iterator[tuple[str, Path, list[QuestionRecord]]]:
    """The public sets that are there: name, graph, questions."""
    metaqa, freebase = found("metaqa"), found("freebase-piece")
    if metaqa is not None:
        files = [metaqa / f"{hop}-hop" / "qa_dev.txt.gz" for hop in (1, 2, 3)]
        questions = [q for file in files for q in read_questions(file, problems=lambda _: None)]
        yield "MetaQA", metaqa / "kb.txt.gz", questions
    if freebase is not None:
        questions = read_questions(freebase / "webqsp_half.jsonl.gz", problems=lambda _: None)
        yield "Freebase piece", freebase / "triples.tsv.gz", questions


def _counts(graph: Snapshot, questions: Sequence[Grounded]) -> np.ndarray:
    """Pairs, shortest paths and merged ones of each question that has a path."""
    rows = []
    for question in questions:
        pool = pools.build_shortest_pool(graph, question, HOPS)
        rows.append((len(question.topics) * len(question.answers), pool.raw, len(pool.candidates)))
    counts = np.array(rows)
    return counts[counts[:, 1] > 0]


def _reorganised() -> Section:
    """Chains before and after merging."""
    section = Section(
        "Growth of evidence chains",
        "python -m tests.benchmarks chains",
        f"ReG Fig. 2b, without a trained retriever: the K candidate triples whose relation is most like the question, "
        f"{HOP_COST} of cosine less for each hop from the topic, of {ASKED} questions with at least {SIZES[-1]} "
        "candidates; means over questions. Chains are those of Algorithm 1 with turning allowed; merged ones have one "
        "relation path from one topic. The exponent b is that of chains ~ K^b by least squares on the logarithms; "
        "growth is sub-linear when b < 1.",
    )
    encoder, lengths = encoders.load(), {"MetaQA": (3, None), "Freebase piece": (2, None)}
    for name, source, questions in _public():
        _measure(section, name, source, questions, encoder, lengths[name])
    return section


def _measure(  # noqa: PLR0917
    section: Section,
    name: str,
    source: Path,
    questions: Sequence[QuestionRecord],
    encoder: TextEncoder,
    lengths: Sequence[int | None],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        graph = build_snapshot(readers.read_graph([source], problems=lambda _: None), Path(folder) / "graph")
        vectors = encoder.encode(list_relation_texts(graph)[: graph.num_relations])
        asked, _ = resolve_questions(graph, questions[:: max(1, len(questions) // (5 * ASKED))])
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
            before, after = (_exponent(counts[:, column], SIZES) for column in (0, 1))
            section.add(f"{name}, {limit}, exponent b", f"{before:.2f} chains, {after:.2f} merged", "< 1 merged")


def _ranked(graph: Snapshot, question: Grounded, encoder: TextEncoder, relations: np.ndarray) -> np.ndarray:
    """The best candidate facts of the question's first topic, at most ``SIZES[-1]``."""
    topic = question.topics[0]
    candidates = build_subgraphs(graph, [topic], FanOut(HOPS))
    asked = encoder.encode([replace_topic_names(question.question.question, 0, question.names)])[0]
    away = search.compute_distances(graph, [topic], HOPS)
    facts = candidates.facts
    hops = np.minimum(away[graph.heads[facts]], away[graph.tails[facts]])
    scores = relations[candidates.relations] @ asked - HOP_COST * hops
    best: np.ndarray = facts[np.argsort(-scores, kind="stable")[: SIZES[-1]]]
    return best


def _chains(graph: Snapshot, topics: tuple[int, ...], facts: np.ndarray, length: int | None) -> tuple[int, int]:
    """Chains of retrieved facts, best first, before and after merging; a fact that no chain holds is none."""
    kept = {int(fact): 1 / (1 + place) for place, fact in enumerate(facts)}
    triples = [Triple(int(graph.heads[f]), int(graph.relations[f]), int(graph.tails[f])) for f in kept]
    plain = len(expand(triples, topics, length, mixed=True))
    merged = sum(reach.topic in topics for reach in merge_chains(graph, kept, topics, max_length=length))
    return plain, merged


def _exponent(counts: np.ndarray, sizes: Sequence[float] | np.ndarray) -> float:
    return float(np.polyfit(np.log(sizes), np.log(counts), 1)[0])
