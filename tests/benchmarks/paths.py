"""Paths between two sets of entities on MetaQA, against networkx."""

from __future__ import annotations

import gc
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np

from retrieval.kg import readers, search
from retrieval.kg.build import build_snapshot
from retrieval.kg.snapshot import Snapshot
from retrieval.questions.files import read_questions
from tests.benchmarks.data import found
from tests.benchmarks.report import Section

COMMAND = "python -m tests.benchmarks paths"
#: Questions of each number of hops; fewer where networkx lists all paths of a window, which takes it minutes.
QUESTIONS, WINDOWS = 100, {1: 100, 2: 20, 3: 4}
_CAP = 10**7
_SOURCE, _TARGET = -1, -2

#: Hops beyond the shortest.
SLACK = 2

#: Sources, targets, and the hops of the shortest path between them.
Ends = tuple[list[int], list[int], int]
Find = Callable[[Ends], Any]


def measure() -> list[Section]:
    """All shortest paths, and all simple paths of a window, between topics and answers of questions."""
    kb = found("metaqa", "kb.txt.gz")
    if kb is None:
        return []
    section = Section(
        "Paths between two sets",
        COMMAND,
        "MetaQA's graph, from the topic of each of the first dev questions to all its answers: all shortest paths, and "
        "all simple paths of at most two hops more than the shortest (RAPL's window, 4.1). networkx: "
        "`all_shortest_paths` between two nodes that are joined to the sets, which costs it one search for both sets; "
        "`all_simple_paths` from the topic to the set of answers. The paths of both are checked to be the same. Means "
        "of processor time, of one thread each, one system after the other over all questions of a row; the graphs are "
        "built before, and the garbage collector leaves them alone. "
        f"Load of the machine when it began: {os.getloadavg()[0]:.0f}.",
        head=(
            "paths",
            "hops of the questions",
            "questions",
            "Clew, ms",
            "networkx, ms",
            "times as fast",
            "goal",
        ),
    )
    with tempfile.TemporaryDirectory() as folder:
        graph = build_snapshot(readers.read_graph([kb], problems=lambda _: None), Path(folder) / "graph")
        for array in (graph.tails, graph.relations, graph.in_order, graph.in_heads):
            array.sum()  # both have the graph in memory
        plain = nx.Graph()
        plain.add_edges_from(zip(graph.heads.tolist(), graph.tails.tolist(), strict=True))
        # Else the collector walks through networkx's graph in the call of whoever's turn it is.
        gc.collect()
        gc.freeze()
        for hops in (1, 2, 3):
            asked = _ends(graph, hops)
            _row(section, graph, ("all shortest", hops), asked, (_shortest(graph), _nx_shortest(plain)))
            few = asked[: WINDOWS[hops]]
            _row(section, graph, ("a window of two more", hops), few, (_window(graph), _nx_window(plain)))
    return [section]


def _ends(graph: Snapshot, hops: int) -> list[Ends]:
    """Topics and answers of the first questions that the graph knows; a topic that is an answer is left out."""
    path = found("metaqa", f"{hops}-hop", "qa_dev.txt.gz")
    assert path is not None, "MetaQA's questions lie beside its graph"
    ends: list[Ends] = []
    for question in read_questions(path, problems=lambda _: None):
        topics = [graph.find_entity(label) for label in question.topic_entities]
        answers = [graph.find_entity(label) for label in question.answers]
        sources, targets = ([e for e in known if e is not None] for known in (topics, answers))
        if sources and targets and not {*sources} & {*targets}:
            ends.append((sources, targets, int(search.compute_distances(graph, sources, 6)[targets].min())))
        if len(ends) == QUESTIONS:
            break
    return ends


def _row(
    section: Section,
    graph: Snapshot,
    what: tuple[str, int],
    asked: Sequence[Ends],
    finders: tuple[Find, Find],
) -> None:
    (mine, fast), (other, slow) = (_timed(finder, asked) for finder in finders)
    for arcs, nodes in zip(mine, other, strict=True):
        assert {_entities(graph, path) for path in arcs} == {tuple(path) for path in nodes}, "the same paths"
    section.add(what[0], str(what[1]), str(len(asked)), f"{fast:.2f}", f"{slow:,.0f}", f"{slow / fast:,.0f}", ">= 50")
    print(section.rows[-1], flush=True)


def _timed(find: Find, asked: Sequence[Ends]) -> tuple[list[Any], float]:
    """What each question has, and the mean processor time, ms."""
    began = time.process_time()
    paths = [find(ends) for ends in asked]
    return paths, (time.process_time() - began) * 1000 / len(asked)


def _entities(graph: Snapshot, arcs: tuple[int, ...]) -> tuple[int, ...]:
    sources, _, targets = search.get_arc_ends(graph, np.array(arcs))
    return (*sources.tolist(), int(targets[-1]))


def _shortest(graph: Snapshot) -> Find:
    return lambda ends: search.find_shortest_paths(graph, ends[0], ends[1], max_hops=6, cap=_CAP).list_paths()


def _window(graph: Snapshot) -> Find:
    return lambda ends: search.find_paths(
        graph, ends[0], ends[1], max_hops=ends[2] + SLACK, cap=_CAP, max_rows=_CAP
    ).list_paths()


def _nx_shortest(plain: Any) -> Find:
    def find(ends: Ends) -> list[list[int]]:
        plain.add_edges_from((_SOURCE, entity) for entity in ends[0])
        plain.add_edges_from((entity, _TARGET) for entity in ends[1])
        paths = [path[1:-1] for path in nx.all_shortest_paths(plain, _SOURCE, _TARGET)]
        plain.remove_nodes_from([_SOURCE, _TARGET])
        return paths

    return find


def _nx_window(plain: Any) -> Find:
    return lambda ends: [
        path for source in ends[0] for path in nx.all_simple_paths(plain, source, {*ends[1]}, cutoff=ends[2] + SLACK)
    ]
