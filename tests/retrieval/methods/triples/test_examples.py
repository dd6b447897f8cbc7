"""What the triple scorers learn from a label, and what they are measured by."""

import numpy as np
import pytest

from retrieval.errors import TrainingDataError
from retrieval.methods.rel_rag_triple.training import draw
from retrieval.methods.triples.candidates.fan_out import FanOut
from retrieval.methods.triples.examples import (
    build_example_subgraphs,
    find_evidence,
    make_triple_examples,
    mark_positive_entities,
    mark_positive_facts,
    mark_positive_walks,
    require_examples,
)
from retrieval.methods.triples.subgraphs import build_subgraphs
from retrieval.methods.triples.training import compute_recalls
from retrieval.supervision.grounding import Grounded
from retrieval.supervision.labels import Label
from retrieval.types import QuestionRecord
from tests.retrieval.films import WordEncoder
from tests.retrieval.world import build, ids, labels, path

BACK = (("directed_by", False), ("directed_by", True))
GENRE = (("in_genre", False),)


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    return build(tmp_path_factory.mktemp("world") / "graph")


def written(graph, arcs):
    """Arcs as text, ``<`` before a relation that is walked back."""
    total = graph.num_triples
    return sorted(
        f"{graph.get_entity_label(graph.heads[a % total])} {'<' * (a >= total)}"
        f"{graph.get_relation_name(graph.relations[a % total])} {graph.get_entity_label(graph.tails[a % total])}"
        for a in arcs.tolist()
    )


def examples(graph, found, max_hops=2):
    answers = tuple(sorted(ids(graph, "Munich")))
    jaws = ids(graph, "Jaws")[0]
    question = QuestionRecord("q", "which film shares its director with Jaws", ("Jaws",), ("Munich",))
    return make_triple_examples(
        graph, [Grounded(question, (jaws,), answers)], found, WordEncoder(),
        max_hops=max_hops, simple=True, words=False,
    )  # fmt: skip


def test_evidence_is_what_the_label_walks_from_topic_to_answers(graph):
    jaws, munich, none = *ids(graph, "Jaws", "Munich"), np.zeros(0, np.int64)

    def along(text, facts=none):
        return find_evidence(graph, jaws, [path(graph, text)], np.array([munich]), facts=facts, simple=True)

    found = along("directed_by -directed_by")
    # The way to Lincoln fits the label and leads to no answer.
    assert written(graph, found.arcs) == ["Jaws directed_by Spielberg", "Munich <directed_by Spielberg"]
    assert sorted(labels(graph, found.entities)) == ["Jaws", "Munich", "Spielberg"]
    nothing = along("in_genre")
    assert [len(nothing.arcs), labels(graph, nothing.entities)] == [0, ["Jaws"]]
    # A fact that was selected besides is evidence with both its ends.
    genre = graph.find_fact(munich, graph.find_relation("in_genre"), *ids(graph, "Drama"))
    selected = along("in_genre", np.array([genre]))
    assert written(graph, selected.arcs) == ["Munich in_genre Drama"]
    assert sorted(labels(graph, selected.entities)) == ["Drama", "Jaws", "Munich"]


def test_a_question_with_its_own_subgraph_is_learned_on_that_alone(graph):
    facts = [("Jaws", "directed_by", "Spielberg"), ("Lincoln", "directed_by", "Spielberg")]
    facts += [("Jaws", "in_genre", "Horror")]
    jaws = ids(graph, "Jaws")[0]
    answers = tuple(sorted(ids(graph, "Lincoln", "Munich")))
    question = QuestionRecord(
        "q", "which film shares its director with Jaws", ("Jaws",), ("Munich",), triples=tuple(facts)
    )
    made = make_triple_examples(
        graph, [Grounded(question, (jaws,), answers)], [Label("q", "Jaws", BACK, "given")], WordEncoder(),
        max_hops=2, simple=True, words=False,
    )  # fmt: skip
    # Munich is an answer too, and its triple is none of the question's.
    assert written(graph, made.get_evidence(0).arcs) == [
        "Jaws directed_by Spielberg",
        "Lincoln <directed_by Spielberg",
    ]
    subgraphs = build_example_subgraphs(made, np.array([0]), FanOut(2))
    assert written(graph, subgraphs.facts) == [
        "Jaws directed_by Spielberg", "Jaws in_genre Horror", "Lincoln directed_by Spielberg",
    ]  # fmt: skip
    assert mark_positive_facts(made, np.array([0]), subgraphs).sum() == 2


@pytest.mark.parametrize("masks", [True, False])
def test_a_question_is_read_with_its_topic_masked_or_as_it_is(graph, masks):
    text = "which film shares its director with Jaws"
    jaws = ids(graph, "Jaws")[0]
    made = make_triple_examples(
        graph, [Grounded(QuestionRecord("q", text, ("Jaws",), ("Munich",)), (jaws,), ())],
        [Label("q", "Jaws", BACK, "given")], WordEncoder(),
        max_hops=2, simple=True, words=False, mask_names=masks,
    )  # fmt: skip
    read = text.replace("Jaws", "X") if masks else text
    assert made.texts.vectors[made.rows[0]].tolist() == WordEncoder().encode([read])[0].tolist()


def test_labels_of_one_question_and_topic_are_one_example_with_shares_of_lengths(graph):
    made = examples(graph, [Label("q", "Jaws", BACK, "given"), Label("q", "Jaws", GENRE, "given")])
    assert len(made) == 1
    assert made.paths == ((path(graph, "directed_by -directed_by"), path(graph, "in_genre")),)
    assert made.lengths.tolist() == [[0.5, 0.5]]
    assert made.texts.vectors.shape == (2, 24)  # as seen from the topic, and as written
    # Another question's label, an unknown relation, a path too long, and a topic that is none are left out.
    others = [
        Label("other", "Jaws", BACK, "given"),
        Label("q", "Jaws", (("painted_by", False),), "given"),
        Label("q", "Munich", GENRE, "given"),
    ]
    assert len(examples(graph, others)) == 0
    assert len(examples(graph, [Label("q", "Jaws", BACK, "given")], max_hops=1)) == 0
    with pytest.raises(TrainingDataError, match="None of the 1 training questions"):
        require_examples(examples(graph, others), 1, 2)


def test_candidates_are_marked_by_the_evidence_of_their_example(graph):
    made = examples(graph, [Label("q", "Jaws", BACK, "given")])
    chosen = np.array([0, 0])
    subgraphs = build_subgraphs(graph, made.topics[chosen], FanOut(2))
    facts, entities = (
        mark_positive_facts(made, chosen, subgraphs),
        mark_positive_entities(made, chosen, subgraphs),
    )
    assert written(graph, subgraphs.facts[facts]) == 2 * ["Jaws directed_by Spielberg"] + 2 * [
        "Munich directed_by Spielberg"
    ]
    forward, backward = mark_positive_walks(made, chosen, subgraphs)
    assert [written(graph, subgraphs.facts[way]) for way in (forward, backward)] == [
        2 * ["Jaws directed_by Spielberg"], 2 * ["Munich directed_by Spielberg"],
    ]  # fmt: skip
    assert sorted(labels(graph, subgraphs.entities[entities])) == [
        "Jaws", "Jaws", "Munich", "Munich", "Spielberg", "Spielberg",
    ]  # fmt: skip


def test_five_negatives_are_drawn_for_each_positive_and_none_is_evidence(graph):
    made = examples(graph, [Label("q", "Jaws", BACK, "given")])
    chosen = np.array([0])
    subgraphs = build_subgraphs(graph, made.topics, FanOut(3))
    evidence = set(made.get_evidence(0).arcs.tolist())
    arcs, owner, positive = draw(made, chosen, subgraphs, positives=1, negatives=5, rng=np.random.default_rng(0))
    assert [len(arcs), int(positive.sum()), set(owner.tolist())] == [6, 1, {0}]
    assert set(arcs[positive].tolist()) < evidence
    assert evidence.isdisjoint(arcs[~positive].tolist())
    assert len(set(arcs.tolist())) == 6
    # Of fewer other candidates, all are taken.
    arcs, _, positive = draw(made, chosen, subgraphs, positives=9, negatives=50, rng=np.random.default_rng(0))
    assert [int(positive.sum()), len(arcs)] == [2, 2 * len(subgraphs.facts)]


def test_evidence_that_is_no_candidate_is_not_drawn(graph):
    made = examples(graph, [Label("q", "Jaws", BACK, "given")])
    chosen = np.array([0])
    subgraphs = build_subgraphs(graph, made.topics, FanOut(1))  # the second step is farther
    evidence = made.get_evidence(0).arcs % graph.num_triples
    near = subgraphs.facts
    assert 0 < np.isin(evidence, near).sum() < len(evidence)
    arcs, _, positive = draw(made, chosen, subgraphs, positives=9, negatives=5, rng=np.random.default_rng(0))
    assert np.isin(arcs % graph.num_triples, near).all()
    assert positive.sum() == np.isin(evidence, near).sum()


def test_recall_is_taken_at_as_many_triples_as_are_evidence():
    scores = np.array([0.9, 0.8, 0.7, 0.1, 0.5, 0.6])
    positive = np.array([True, False, True, False, True, False])
    # First subgraph: of its best two, one of two. Second: its best one is not it. The third has no evidence.
    assert compute_recalls(scores, positive, np.array([0, 4, 6, 6])) == [0.5, 0.0]
