"""REL-RAG's Table 2 (section 5.3): line graph against raw graph, trained on one set and tested on others.

As the paper has it: triple-based learning on each question's own subgraph, arcs in their own direction, everything else
equal. What the paper leaves open is varied: whether a triple's state also holds its relation's text, in both forms.
Resumable like ``methods``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from retrieval.answering.loading import load_encoder
from retrieval.evaluation.study import StudyRunner
from retrieval.kg import search
from retrieval.kg import snapshot as snapshots
from retrieval.questions.files import read_questions, write_questions
from retrieval.questions.splits import assign_splits
from retrieval.studies.plan import DataSet, StudyConfig, Variant, list_cells
from retrieval.studies.summary import build_summary
from tests.benchmarks.report import Section
from tests.benchmarks.sets import CACHE, chosen

if TYPE_CHECKING:
    from retrieval.linking.encoder import Encoder

SETS = ("PQ-2H", "PQ-3H", "PQL-2H", "PQL-3H")
TRAINED_ON = ("PQ-2H", "PQL-2H")
SEEDS = (0, 1, 2)
METHOD = "rel-rag-triple"
#: Of the topic's neighbourhood, the facts that a question brings, at most.
HOPS, FACTS = 3, 400
#: Triples that are retrieved: the subgraphs are smaller than the paper's, and so is this.
TOP = 10
LIMIT = 100
#: The paper's form at the default's size and speed.
FORM: Mapping[str, Any] = {
    "preset": "paper",
    "hidden": 128,
    "batch_size": 32,
    "learning_rate": 2e-3,
    "epochs": 8,
}
READOUTS = ("relation", "states")
_SHOWN = ("path_recall", "answer_recall", "macro_f1", "hit")


def measure(data: Sequence[str] = (), *, run: bool = True) -> list[Section]:
    """Trained on two hops, tested on the same and on the other sets; three seeds.

    Without ``run``, only what is finished is shown.
    """
    sets = {name: with_subgraphs(name, of) for name, of in chosen(data, SETS).items()}
    taught = tuple(name for name in TRAINED_ON if name in sets)
    if not taught:
        return []
    section = Section(
        "Line graph and raw graph",
        "python -m tests.benchmarks line_vs_raw",
        f"`{METHOD}` in the paper's form at hidden size {FORM['hidden']} and {FORM['epochs']} epochs, each question on "
        f"its own subgraph (facts within {HOPS} hops of its topic, at most {FACTS}), arcs directed; {TOP} triples are "
        "retrieved and read (`evidence=triples`, extractive). *Read-out*: a triple's state is its network's alone "
        f"(states), or holds its relation's text too, in both forms. Each cell is raw graph / line graph: "
        f"{len(SEEDS)} seeds, mean ± sample deviation; at most {LIMIT} test questions.",
        head=("read-out", "trained on", "tested on", "path recall", "answer recall", "Macro-F1", "Hit"),
    )
    options = {"preset": "paper", "top_k": TOP}
    variants = {
        f"{graph}, {readout}": Variant(METHOD, {**FORM, "conv": conv, "readout": readout}, options)
        for readout in READOUTS
        for graph, conv in (("raw", "entity-gcn"), ("line", "line-gcn"))
    }
    config = StudyConfig(sets, variants, train=taught, test=tuple(sets), seeds=SEEDS, budget=TOP, limit=LIMIT)
    study = StudyRunner(config, CACHE / "line_vs_raw", encoder=cast("Encoder", Remembering(load_encoder())), say=print)
    if not run and any(study.find_result(cell) is None for cell in list_cells(config)):
        return []
    results = list(study.run())
    for readout in READOUTS:
        mine = [result for result in results if result["cell"]["variant"].endswith(readout)]
        _add(section, readout, build_summary(mine))
    return [section]


class Remembering:
    """A text encoder that encodes each text once: every training of the study reads the same ones."""

    def __init__(self, encoder: Encoder) -> None:
        self.encoder, self.name, self.dim = encoder, encoder.name, encoder.dim
        self._vectors: dict[str, np.ndarray] = {}
        self._words: dict[str, tuple[np.ndarray, np.ndarray]] = {}

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """See ``TextEncoder``."""
        new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if new:
            self._vectors.update(zip(new, self.encoder.encode(new), strict=True))
        return np.array([self._vectors[text] for text in texts], np.float32).reshape(len(texts), self.dim)

    def encode_words(self, texts: Sequence[str]) -> tuple[np.ndarray, list[np.ndarray]]:
        """See ``TextEncoder``."""
        new = [text for text in dict.fromkeys(texts) if text not in self._words]
        if new:
            vectors, words = self.encoder.encode_words(new)
            self._words.update(zip(new, zip(vectors, words, strict=True), strict=True))
        vectors = np.array([self._words[text][0] for text in texts], np.float32).reshape(len(texts), self.dim)
        return vectors, [self._words[text][1] for text in texts]


def _add(section: Section, readout: str, summary: Mapping[str, Any]) -> None:
    """A row for each pair of sets."""
    rows = {(row["train"], row["test"], row["variant"]): row["metrics"] for row in summary["rows"]}
    for train, test in dict.fromkeys((train, test) for train, test, _ in rows):
        forms = [rows[train, test, f"{graph}, {readout}"] for graph in ("raw", "line")]
        figures = (" / ".join(f"{of[name]['mean']:.3f} ± {of[name]['sd'] or 0:.3f}" for of in forms) for name in _SHOWN)
        section.add(readout, train, test, *figures)


def with_subgraphs(name: str, of: DataSet) -> DataSet:
    """The set whose questions bring the facts around their first topic, made once."""
    out = CACHE / "sets" / f"{name}-own.jsonl"
    if not out.is_file():
        graph = snapshots.open(of.graph)
        asked = []
        for question in assign_splits(read_questions(of.questions, problems=lambda _: None)):
            topics = [graph.find_entity(topic) for topic in question.topic_entities[:1]]
            near = [topic for topic in topics if topic is not None]
            facts = search.collect_k_hop(graph, near, HOPS, max_triples=FACTS).facts.tolist()
            triples = tuple(
                (
                    graph.get_entity_label(int(graph.heads[fact])),
                    graph.get_relation_name(int(graph.relations[fact])),
                    graph.get_entity_label(int(graph.tails[fact])),
                )
                for fact in facts
            )
            asked.append(replace(question, triples=triples))
        write_questions(out, asked)
    return DataSet(of.graph, out)
