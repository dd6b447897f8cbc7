"""Plans on the graph: the beam goes only where the graph does, whatever the planner would rather write."""

import numpy as np
import pytest

from retrieval.methods.reg_path.plans import search
from retrieval.methods.reg_path.retriever import log_options
from tests.retrieval import world


class Evenly:
    """Writes every allowed step with the same probability, and remembers what it was offered."""

    def __init__(self):
        self.offered = {}

    def score_options(self, options):
        self.offered |= {each.prefix: (each.relations.tolist(), each.may_stop) for each in options}
        logs = []
        for each in options:
            count = len(each.relations) + each.may_stop
            stop = -np.log(count) if each.may_stop else -np.inf
            logs.append(np.append(np.full(len(each.relations), -np.log(count)), stop))
        return logs


@pytest.fixture
def graph(tmp_path):
    return world.build(tmp_path / "graph")


def test_only_relations_that_leave_the_entities_reached_are_offered(graph):
    jaws = world.ids(graph, "Jaws")
    writer = Evenly()
    [found] = search(graph, jaws, writer, simple=True, max_hops=2, width=10)
    directed, genre = world.path(graph, "directed_by"), world.path(graph, "in_genre")
    back = world.path(graph, "directed_by -directed_by")
    assert writer.offered[()] == (sorted([*directed, *genre]), False)
    # Spielberg leads back to his other films; Horror only back to Jaws, by the fact that led to it.
    assert writer.offered[directed] == ([back[1]], True)
    assert {path.relations: path.score for path in found} == pytest.approx({genre: 0.5, directed: 0.25, back: 0.25})
    assert not any(path.returns for path in found)


def test_walks_that_may_come_back_go_back(graph):
    writer = Evenly()
    search(graph, world.ids(graph, "Jaws"), writer, simple=False, max_hops=2, width=10)
    genre = world.path(graph, "in_genre")
    assert writer.offered[genre] == ([world.path(graph, "in_genre -in_genre")[1]], True)


def test_the_beam_keeps_the_best_of_each_topic(graph):
    topics = world.ids(graph, "Jaws", "Switzerland")
    found = search(graph, topics, Evenly(), simple=True, max_hops=1, width=1)
    assert [[(path.topic, len(path.relations)) for path in paths] for paths in found] == [
        [(topics[0], 1)],
        [(topics[1], 1)],
    ]


def test_one_topic_of_two_questions_has_paths_for_each(graph):
    jaws = world.ids(graph, "Jaws")
    [alone] = search(graph, jaws, Evenly(), simple=True, max_hops=2, width=10)
    assert search(graph, jaws * 2, Evenly(), simple=True, max_hops=2, width=10) == [alone, alone]


def test_no_path_ends_in_mediators_alone(tmp_path):
    graph = world.build(tmp_path / "cvt", [("Anna", "marriage", "m.0abc12"), ("m.0abc12", "spouse", "Berta")])
    writer = Evenly()
    [found] = search(graph, world.ids(graph, "Anna"), writer, simple=True, max_hops=2, width=4)
    marriage, spouse = world.path(graph, "marriage"), world.path(graph, "marriage spouse")
    assert writer.offered[marriage] == ([spouse[1]], False)
    assert [path.relations for path in found] == [spouse]
    assert found[0].score == pytest.approx(1.0)


def test_options_share_what_is_allowed_first_by_relation_then_by_direction():
    scores, backward = np.log([1.0, 3.0, 100.0]), np.log([1.0, 4.0, 1.0])
    logs = log_options(scores, backward, np.log(4.0), np.array([0, 1, 4]))
    # Relation 1 may be walked both ways (4 is its inverse); relation 2 is not allowed at all.
    assert np.exp(logs) == pytest.approx([1 / 8, 3 / 8 * 1 / 5, 3 / 8 * 4 / 5, 4 / 8])
    assert np.exp(log_options(scores, backward, -np.inf, np.array([0]))) == pytest.approx([1.0, 0.0])
