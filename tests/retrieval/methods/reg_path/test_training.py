"""What the planner learns from, its loss, and that it follows what it has never seen."""

import math

import numpy as np
import pytest
import torch

from retrieval.errors import TrainingDataError
from retrieval.kg.build import build_snapshot
from retrieval.kg.table import TripleTable
from retrieval.language.question import Question
from retrieval.methods.reg_path.model import SmallPlanner
from retrieval.methods.reg_path.plan_batches import (
    Planned,
    compute_plan_loss,
    from_labels,
    from_relation_paths,
)
from retrieval.methods.reg_path.plans import PlanOptions
from retrieval.methods.reg_path.retriever import SmallWriter
from retrieval.methods.reg_path.training import compute_path_logs, compute_written_shares
from retrieval.methods.retriever_loading import open_retriever
from retrieval.nn.query import Texts
from retrieval.supervision.grounding import resolve_questions
from retrieval.supervision.labels import Label
from retrieval.train import train
from retrieval.types import QuestionRecord, RelationPath
from retrieval.validation import predict
from tests.retrieval.films import SHAPES, WordEncoder, build, questions

torch.set_num_threads(1)


def test_judged_paths_are_all_learned_and_unjudged_ones_together():
    logs = torch.log(torch.tensor([0.5, 0.125, 0.25, 0.25]))
    owner = torch.tensor([0, 0, 1, 1])
    judged = compute_plan_loss(logs, owner, torch.tensor([True, True]))
    assert float(judged) == pytest.approx(((math.log(2) + math.log(8)) / 2 + math.log(4)) / 2)
    unjudged = compute_plan_loss(logs, owner, torch.tensor([False, False]))
    assert float(unjudged) == pytest.approx((math.log(8 / 5) + math.log(2)) / 2)


def test_the_likelihood_of_a_path_has_its_relations_their_directions_and_its_end():
    """With every weight 0 each of 3 relations is as likely as the next, and as the end once a path has begun."""
    model = SmallPlanner(6, 8, 0.0, words=False).eval()
    for weight in model.parameters():
        torch.nn.init.zeros_(weight)
    torch.nn.init.constant_(model.turn_bias, math.log(3))  # Three times as often backward.
    vocabulary = model.build_vocabulary(torch.zeros(3, 6))
    asked = model.read(Texts(torch.zeros(2, 6)))
    paths = [[(1,), (4,), (0, 5)], [(2,), (0, 2)]]
    logs, owner = compute_path_logs(model, vocabulary, asked, paths, [True, False])
    assert owner.tolist() == [0, 0, 0, 1, 1]
    one, two = 1 / 3 * 1 / 4, 1 / 3 * 1 / 4 * 1 / 4
    assert logs.exp().tolist() == pytest.approx([one * 1 / 4, one * 3 / 4, two * 1 / 4 * 3 / 4, one, two])


def test_the_support_of_a_plan_counts_what_the_graph_does_not_allow():
    """All weights 0: of 3 relations the graph allows 2, then 1 or the end; the planner could have written any."""
    model = SmallPlanner(6, 8, 0.0, words=False).eval()
    for weight in model.parameters():
        torch.nn.init.zeros_(weight)
    writer = SmallWriter(model, model.build_vocabulary(torch.zeros(3, 6)), model.read(Texts(torch.zeros(1, 6))))
    (first,) = writer.score_options([PlanOptions(0, (), np.array([0, 2]), may_stop=False)])
    (second,) = writer.score_options([PlanOptions(0, (2,), np.array([1]), may_stop=True)])
    assert np.exp(first).tolist() == pytest.approx([1 / 2, 1 / 2, 0])
    assert np.exp(second).tolist() == pytest.approx([1 / 2, 1 / 2])
    ended = RelationPath(0, (2,), float(np.exp(first[1] + second[-1])))
    longest = RelationPath(0, (2, 1), float(np.exp(first[1] + second[0])))
    assert math.exp(writer.compute_support(0, ended)) == pytest.approx(1 / 3 * 1 / 4)
    assert math.exp(writer.compute_support(0, longest)) == pytest.approx(1 / 3 * 1 / 4)


def test_labels_become_masked_questions_with_directed_paths(tmp_path):
    graph = build(tmp_path / "graph")
    asked = QuestionRecord("1", "who directed Film 01", ("Film 01",), ("Kurosawa",))
    label = Label("1", "Film 01", (("directed_by", False),), "given")
    refused = Label("1", "Film 01", (("has_genre", False),), "analyst", verdict="rejected")
    grounded, _ = resolve_questions(graph, [asked])
    found = from_labels(graph, grounded, [label, refused], max_hops=2)
    directed = graph.find_relation("directed_by")
    assert found == [Planned("who directed X", "who directed Film 01", ((directed,),), marked=True)]


def test_relation_paths_alone_are_seen_from_what_they_can_be_walked_from(tmp_path):
    graph = build(tmp_path / "graph")
    plans = (("directed_by", "in_language"), ("starred_in",))
    asked = QuestionRecord("1", "which languages does Varda film Drama in", relation_paths=plans)
    found = from_relation_paths(graph, [asked], max_hops=2)
    ids = tuple(graph.find_relation(name) for name in plans[0])
    # Drama leads along neither relation; the path of a relation that the graph lacks is left out.
    assert [(one.masked, one.paths, one.marked) for one in found] == [
        ("which languages does X film Drama in", (ids,), False)
    ]
    assert from_relation_paths(graph, [asked], max_hops=1) == []


SETTINGS = {"hidden": 32, "batch_size": 32, "epochs": 6, "dropout": 0.0, "learning_rate": 5e-3}


def _exact(retriever, graph, asked):
    right = 0
    for question in asked:
        topic = graph.find_entity(question.topic_entities[0])
        found = predict(retriever, graph, Question(question.question), [topic])
        right += {graph.get_entity_label(e) for e in found} == set(question.answers)
    return right / len(asked)


@pytest.mark.slow
def test_relation_paths_alone_teach_what_to_walk(tmp_path):
    """Questions without topics and answers, each with its path and a spurious one drawn at random."""
    graph, encoder = build(tmp_path / "graph"), WordEncoder()
    rng = np.random.default_rng(0)
    names = ("has_genre", "starred_actors", "in_language", "directed_by")
    taught = []
    for question in (q for q in questions() if q.split == "train"):
        path = tuple(SHAPES.values())[int(question.id[0])]
        right, spurious = tuple(name.lstrip("-") for name in path), (names[rng.integers(4)],) * 2
        taught.append(QuestionRecord(question.id, question.question, relation_paths=(right, spurious)))
    result = train("reg-path", graph, taught, config=SETTINGS, out=tmp_path / "out", encoder=encoder)
    assert set(result.metrics) == {"dev_path_accuracy", "epochs"}
    retriever = open_retriever("reg-path", result.checkpoint, graph, encoder, cache=tmp_path)
    held_out = [question for question in questions() if question.split == "test"]
    assert _exact(retriever, graph, held_out) == 1.0


def test_a_relation_that_no_question_taught_is_followed(tmp_path):
    graph, encoder = build(tmp_path / "graph"), WordEncoder()
    settings = {**SETTINGS, "epochs": 1, "learning_rate": 3e-4}
    result = train("reg-path", graph, questions(), config=settings, out=tmp_path / "out", encoder=encoder)
    facts = [
        ("Alpha", "directed_by", "Ozu"),
        ("Alpha", "film_editor", "Fields"),
        ("Alpha", "in_language", "Japanese"),
        ("Alpha", "music_composer", "Saito"),
    ]
    other = build_snapshot(TripleTable.from_facts(facts), tmp_path / "other")
    retriever = open_retriever("reg-path", result.checkpoint, other, encoder, cache=tmp_path)
    topic = other.find_entity("Alpha")
    for text, answer in (("the music composer of Alpha", "Saito"), ("the film editor of Alpha", "Fields")):
        best = retriever.rank_relation_paths(Question(text), [topic])[0]
        assert [other.get_entity_label(e) for e in predict(retriever, other, Question(text), [topic])] == [answer], best


def test_relation_paths_of_another_graph_are_refused(tmp_path):
    graph, encoder = build(tmp_path / "graph"), WordEncoder()
    foreign = [QuestionRecord("1", "who", relation_paths=(("river.flows_into",),), split="train")]
    with pytest.raises(TrainingDataError, match="None of the 1 training questions"):
        train("reg-path", graph, foreign, config=SETTINGS, out=tmp_path / "out", encoder=encoder)
    with pytest.raises(TrainingDataError, match="without a topic"):
        train("rel-rag-path", graph, foreign, out=tmp_path / "out", encoder=encoder)


def test_few_questions_are_read_as_written_and_the_more_often():
    marked = [True] * 8 + [False] * 2
    assert compute_written_shares(marked, 100).tolist() == [0.1] * 8 + [0.5] * 2
    assert compute_written_shares(marked, 4).tolist() == [0.2, 0] * 4 + [0.5] * 2
    assert compute_written_shares(marked, 1).tolist() == [0.5] + [0] * 7 + [0.5] * 2
    assert compute_written_shares([False], 4).tolist() == [0.5]
