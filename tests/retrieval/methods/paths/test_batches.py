"""Batches: walks follow their labels, a question's own subgraph is all that competes, one valid label a visit."""

from dataclasses import replace

import numpy as np
import pytest

from retrieval.kg.search.walks import get_arc_ends
from retrieval.linking.relation_index import list_relation_texts
from retrieval.methods.paths.batches import sample_contexts
from retrieval.methods.paths.examples import make_examples
from retrieval.supervision.grounding import Grounded, resolve_questions
from retrieval.supervision.labels import Label
from retrieval.types import QuestionRecord
from tests.retrieval.films import WordEncoder, build, facts, questions


@pytest.fixture
def graph(tmp_path):
    return build(tmp_path / "graph")


def examples_of(graph, asked, labels):
    grounded, _ = resolve_questions(graph, asked)
    encoder = WordEncoder()
    return make_examples(
        graph, grounded, labels, encoder, encoder.encode(list_relation_texts(graph)),
        max_hops=3, similar=0.99, words=False,
    )  # fmt: skip


def label(question, topic, *steps):
    return Label(question, topic, tuple(steps), "given")


def contexts(graph, examples, chosen, **more):
    settings = {"simple": True, "per_relation": 100, "rng": np.random.default_rng(0)} | more
    return sample_contexts(graph, examples, np.array(chosen), **settings)


@pytest.fixture
def asked():
    """Film 01 asked of the whole graph, and of a subgraph where its director made one other film."""
    own = [f for f in facts() if f[0] in ("Film 01", "Film 05") and f[1] in ("directed_by", "in_language")]
    whole = QuestionRecord("a", "which films share their director with Film 01", ("Film 01",), ("Film 05",))
    return [whole, replace(whole, id="b", triples=tuple(own))], own


@pytest.mark.parametrize(
    ("masks", "text"), [(True, "who directed X and Y"), (False, "who directed Film 01 and Film 02")]
)
def test_a_question_is_read_with_its_names_masked_or_as_it_is(graph, masks, text):
    question = QuestionRecord("q", "who directed Film 01 and Film 02", ("Film 01", "Film 02"), ("Director 1",))
    steps = label("q", "Film 01", ("directed_by", False))
    grounded = [Grounded(question, tuple(graph.find_entity(f"Film 0{i}") for i in (1, 2)), (0,))]
    encoder = WordEncoder()
    made = make_examples(
        graph, grounded, [steps], encoder, encoder.encode(list_relation_texts(graph)),
        max_hops=3, similar=0.99, words=False, mask_names=masks,
    )  # fmt: skip
    assert made.texts.vectors[made.rows[0]].tolist() == encoder.encode([text])[0].tolist()
    assert (made.rows[0] == made.as_written[0]) == (not masks)


def test_only_a_questions_own_subgraph_competes(graph, asked):
    made, own = asked
    steps = [("directed_by", False), ("directed_by", True)]
    examples = examples_of(graph, made, [label(q.id, "Film 01", *steps) for q in made])
    assert [facts is None for facts in examples.own] == [True, False]
    # The restricted example is first in the batch: parts are put back in the batch's order.
    walks, found = contexts(graph, examples, [1, 0])
    for example, ways in ((0, 1), (1, 5)):
        mine = found.example[found.context] == example
        # Simple walks: at the director, Film 01 itself is no candidate.
        at_director = mine & (found.step[found.context] == 1)
        assert int(at_director.sum()) == ways
        assert found.positive[at_director].all()
    mine = found.example[found.context] == 0
    facts_of = {int(a) % graph.num_triples for a in found.arc[mine]}
    expected = {graph.find_fact(graph.find_entity(h), graph.find_relation(r), graph.find_entity(t)) for h, r, t in own}
    assert facts_of <= expected
    assert [graph.get_entity_label(e) for e in walks.entities[0, :3]] == ["Film 01", "Kurosawa", "Film 05"]
    assert walks.steps.tolist() == [2, 2]
    assert get_arc_ends(graph, walks.arcs[0, :2])[2].tolist() == walks.entities[0, 1:3].tolist()
    assert len(found.group_positive) == len(found.group_context)
    assert (found.context == found.group_context[found.group]).all()


def test_the_whole_graph_as_a_subgraph_changes_nothing(graph, asked):
    made, _ = asked
    made = [made[0], replace(made[1], triples=tuple(facts()))]
    steps = [("directed_by", False), ("directed_by", True)]
    examples = examples_of(graph, made, [label(q.id, "Film 01", *steps) for q in made])
    one, other = (contexts(graph, examples, [i])[1] for i in (0, 1))
    assert sorted(one.arc.tolist()) == sorted(other.arc.tolist())
    assert one.step.tolist() == other.step.tolist()


def test_one_of_several_valid_labels_is_drawn_at_each_visit(graph):
    asked = [question for question in questions() if question.topic_entities == ("Film 01",)][:2]
    labels = [
        label(asked[0].id, "Film 01", ("directed_by", False)),
        label(asked[0].id, "Film 01", ("in_language", False)),
        label(asked[1].id, "Film 01", ("in_language", False)),
    ]
    examples = examples_of(graph, asked, labels)
    assert (examples.pairs, len(examples), examples.starts.tolist()) == (2, 3, [0, 2, 3])
    drawn = examples.draw(np.zeros(1000, np.int64), np.random.default_rng(0))
    assert 400 < int((drawn == 0).sum()) < 600
    assert set(drawn.tolist()) == {0, 1}
    assert examples.draw(np.array([1]), np.random.default_rng(0)).tolist() == [2]
