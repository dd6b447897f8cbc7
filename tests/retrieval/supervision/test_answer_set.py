"""Answer-set consistency finds the rational paths of a small film world; shortest paths do not."""

import itertools

import numpy as np
import pytest

from retrieval.errors import Cancelled, TrainingDataError
from retrieval.supervision import rationalizers
from retrieval.supervision.candidate_paths import compute_f1, execute_path, find_answer_paths
from retrieval.supervision.grounding import require, resolve_questions
from retrieval.supervision.labels import Label, read_labels, to_directed_path, to_named_path, write_labels
from retrieval.supervision.provided_labels import collect_gold_labels, should_use_simple_walks, walk_facts
from retrieval.types import QuestionRecord
from tests.retrieval.films import SHAPES, WordEncoder, build, facts, questions
from tests.retrieval.world import build as build_world


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    return build(tmp_path_factory.mktemp("films") / "graph")


def label_all(graph, strategy):
    grounded, _ = resolve_questions(graph, questions())
    return rationalizers.get(strategy).label(graph, grounded, encoder=WordEncoder())


def test_every_question_gets_the_path_of_its_shape(graph):
    found = label_all(graph, "answer-set")
    paths = list(SHAPES.values())
    for label in found.labels:
        shape = int(label.question.partition("-")[0])
        assert tuple(("-" if inverse else "") + name for name, inverse in label.path) == paths[shape]
        assert label.score == 1.0
        assert label.source == "answer-set"
    assert found.simple
    assert found.fit == 1.0
    assert len(found.labels) + found.unlabelled == len(resolve_questions(graph, questions())[0])
    assert found.unlabelled == 0


def test_shortest_paths_mislead_where_the_answer_is_also_near(graph):
    found = label_all(graph, "shortest-path")
    three_hops = [label for label in found.labels if label.question.startswith("4-")]
    assert min(len(label.path) for label in three_hops) == 1  # the film's own language


@pytest.mark.parametrize(("answers", "simple"), [(("t0", "t1"), False), (("t1",), True)])
def test_a_topic_among_other_answers_decides_for_free_walks(tmp_path, answers, simple):
    graph = build_world(tmp_path / "twins", [("t0", "twin", "pair"), ("t1", "twin", "pair")])
    asked = [QuestionRecord("q", "who are the twins of t0", ("t0",), answers)]
    found = rationalizers.get("answer-set").label(graph, resolve_questions(graph, asked)[0], encoder=WordEncoder())
    assert found.simple is simple


def test_two_topics_are_intersected(graph):
    asked = [
        QuestionRecord(str(i), f"which films by {a} star {b}", (a, b), answers)
        for i, (a, b, answers) in enumerate(
            [
                ("Varda", "Actor 0", ("Film 00",)),
                ("Varda", "Actor 1", ("Film 08",)),
                ("Welles", "Actor 2", ("Film 02",)),
            ]
        )
    ]
    found = rationalizers.get("answer-set").label(graph, resolve_questions(graph, asked)[0], encoder=WordEncoder())
    assert [(label.topic, label.path) for label in found.labels[:2]] == [
        ("Varda", (("directed_by", True),)),
        ("Actor 0", (("starred_actors", True),)),
    ]
    assert found.fit == 1.0


def test_free_walks_are_preferred_where_gold_paths_return(graph):
    asked = [
        QuestionRecord(
            "back", "co-directed by the director of Film 00", ("Film 00",), ("Film 00", "Film 04", "Film 08",
            "Film 12", "Film 16", "Film 20"),
            paths=((("Film 00", "directed_by", "Varda"), ("Film 04", "directed_by", "Varda")),),
        )
    ]  # fmt: skip
    grounded, _ = resolve_questions(graph, asked)
    labels = collect_gold_labels(graph, grounded)
    assert labels == [Label("back", "Film 00", (("directed_by", False), ("directed_by", True)), "given", 1.0)]
    assert not should_use_simple_walks(graph, grounded, labels)


def test_a_gold_path_that_does_not_hold_together_is_no_label(graph):
    film = graph.find_entity("Film 00")
    assert walk_facts(graph, [film], [("Film 01", "directed_by", "Kurosawa")]) is None
    assert walk_facts(graph, [film], [("Film 00", "sequel_of", "Film 01")]) is None
    assert walk_facts(graph, [film], []) is None


@pytest.mark.parametrize("simple", [True, False])
def test_candidate_paths_agree_with_executing_them(graph, simple):
    topic = graph.find_entity("Film 03")
    answers = np.array(sorted(graph.find_entity(name) for name in ("French", "Maori")))
    found = find_answer_paths(graph, topic, answers, max_hops=3, simple=simple)
    assert (to_directed_path(graph, (("in_language", False),))) in found.paths
    for path, size, hits in zip(found.paths, found.sizes, found.hits, strict=True):
        targets = execute_path(graph, topic, path, simple=simple)
        assert len(targets) == size
        assert len(set(targets.tolist()) & set(answers.tolist())) == hits
        assert found.compute_scores()[path] == pytest.approx(compute_f1(targets, answers))


@pytest.mark.parametrize("simple", [True, False])
def test_no_candidate_path_is_missed(graph, simple):
    topic, answer = graph.find_entity("Film 03"), graph.find_entity("Film 07")
    directed_relations = range(2 * graph.num_relations)
    every = [path for n in (1, 2) for path in itertools.product(directed_relations, repeat=n)]
    wanted = {path for path in every if answer in execute_path(graph, topic, path, simple=simple)}
    found = find_answer_paths(graph, topic, np.array([answer]), max_hops=2, simple=simple)
    assert set(found.paths) == wanted
    assert len(wanted) == 2  # by their director and by their language


def test_wide_prefixes_end_but_are_not_walked_on(graph):
    topic, answers = graph.find_entity("Varda"), np.array([graph.find_entity("Film 00")])
    back = to_directed_path(graph, (("directed_by", True),))
    found = find_answer_paths(graph, topic, answers, max_hops=3, simple=False, widest=5)
    assert found.paths == (back,)  # Varda directed six films
    assert found.sizes.tolist() == [6]


def test_f1_of_sets():
    assert compute_f1(np.array([1, 2, 3]), np.array([2, 3, 4, 5])) == pytest.approx(4 / 7)
    assert compute_f1(np.array([1]), np.array([2])) == 0.0


def test_unlinked_questions_are_counted_with_an_example(graph):
    grounded, skipped = resolve_questions(
        graph,
        [
            QuestionRecord("a", "who directed Stalker", ("Stalker",), ("Tarkovsky",)),
            QuestionRecord("b", "who directed Film 00", ("Film 00",), ("Tarkovsky",)),
            QuestionRecord("c", "who directed it", (), ("Varda",)),
        ],
    )
    assert grounded == []
    assert skipped.counts == {
        "with a topic that is not in the graph": 1,
        "with answers that are not in the graph": 1,
        "without a topic entity": 1,
    }
    with pytest.raises(TrainingDataError, match="'Stalker'"):
        require(grounded, skipped)


def test_labels_survive_a_file(tmp_path):
    labels = [Label("q1", "Film 00", (("directed_by", False), ("directed_by", True)), "analyst", 0.5)]
    for name in ("labels.jsonl", "labels.jsonl.gz"):
        assert write_labels(tmp_path / name, labels) == 1
        assert read_labels(tmp_path / name) == labels


def test_a_bad_label_line_is_named(tmp_path):
    file = tmp_path / "labels.jsonl"
    file.write_text('{"question": "q", "topic": "t", "path": [["r", false]], "source": "guess"}\n')
    with pytest.raises(TrainingDataError, match=r"line 1.*guess"):
        read_labels(file)


def test_directed_ids_and_names_are_inverse(graph):
    path = (("directed_by", False), ("in_language", True))
    ids = to_directed_path(graph, path)
    assert ids is not None
    assert to_named_path(graph, ids) == path
    assert to_directed_path(graph, (("sequel_of", False),)) is None


def test_labelling_stops_when_told(graph):
    grounded, _ = resolve_questions(graph, questions())
    with pytest.raises(Cancelled):
        rationalizers.get("answer-set").label(graph, grounded, encoder=WordEncoder(), cancelled=lambda: True)
    assert len(facts()) == 96
