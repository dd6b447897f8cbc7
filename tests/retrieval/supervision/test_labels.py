"""Label files: every field survives, rejected labels are kept and never learned from, other graphs' are named."""

import json

import pytest

from retrieval.errors import ConfigError, TrainingDataError
from retrieval.kg.build import build_snapshot
from retrieval.kg.table import TripleTable
from retrieval.methods.paths.examples import make_examples
from retrieval.supervision import rationalizers
from retrieval.supervision.grounding import resolve_questions
from retrieval.supervision.labels import (
    Compression,
    Label,
    filter_labels,
    merge_labels,
    read_labels,
    select_usable,
    write_labels,
)
from retrieval.types import QuestionRecord
from tests.retrieval.films import WordEncoder, build

DIRECTED, IN_LANGUAGE = (("directed_by", False),), (("in_language", False),)


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    return build(tmp_path_factory.mktemp("films") / "graph")


def grounded(graph):
    asked = QuestionRecord("q", "who directed Film 00", ("Film 00",), ("Varda",))
    return resolve_questions(graph, [asked])[0]


def test_every_field_survives_a_file(tmp_path):
    labels = [
        Label("q", "Film 00", DIRECTED, "llm", 0.5, "first-relation", "accepted", "it says who"),
        Label("q", "", IN_LANGUAGE, "analyst", 1.0, "answer-fact", "rejected"),
    ]
    assert write_labels(tmp_path / "l.jsonl", labels) == 2
    assert read_labels(tmp_path / "l.jsonl") == labels


def test_a_plain_label_is_a_short_line_and_missing_fields_have_defaults(tmp_path):
    file = tmp_path / "l.jsonl"
    write_labels(file, [Label("q", "Film 00", DIRECTED, "answer-set", 0.5)])
    row = {"question": "q", "topic": "Film 00", "path": [["directed_by", False]], "source": "answer-set"}
    assert json.loads(file.read_text()) == {**row, "score": 0.5}
    file.write_text(json.dumps(row))
    assert read_labels(file) == [Label("q", "Film 00", DIRECTED, "answer-set", 1.0, "path", "accepted", "")]


def test_two_labellings_are_united_or_cut_down_to_what_both_say():
    ours = [
        Label("q", "Film 00", DIRECTED, "answer-set", 0.5),
        Label("q", "Film 00", IN_LANGUAGE, "answer-set"),
    ]
    theirs = [
        Label("q", "Film 00", DIRECTED, "llm", 0.9),
        Label("p", "Film 01", DIRECTED, "llm"),
        Label("q", "Film 00", IN_LANGUAGE, "llm", verdict="rejected"),
    ]
    assert merge_labels(ours, theirs, "intersection") == [ours[0]]
    assert merge_labels(ours, theirs, "union") == [ours[0], theirs[1], ours[1]]


@pytest.mark.parametrize("field", ["source", "role", "verdict"])
def test_an_unknown_value_is_named_with_its_line(tmp_path, field):
    file = tmp_path / "l.jsonl"
    row = {"question": "q", "topic": "t", "path": [["r", False]], "source": "llm", field: "perhaps"}
    file.write_text("\n" + json.dumps(row) + "\n")
    with pytest.raises(TrainingDataError, match=f"line 2.*{field} 'perhaps'"):
        read_labels(file)


def test_rejected_labels_and_other_roles_are_not_walked(graph):
    labels = [
        Label("q", "Film 00", DIRECTED, "llm"),
        Label("q", "Film 00", IN_LANGUAGE, "analyst", verdict="rejected"),
        Label("q", "Film 00", (("has_genre", False),), "llm", role="topic-fact"),
    ]
    assert select_usable(labels) == labels[:1]
    assert select_usable(labels, "topic-fact") == labels[2:]
    made = make_examples(
        graph,
        grounded(graph),
        labels,
        WordEncoder(),
        WordEncoder().encode(["x"] * 2 * graph.num_relations),
        max_hops=2,
        similar=2.0,
        words=False,
    )
    assert made.paths.tolist() == [[graph.find_relation("directed_by"), -1]]


def test_relations_that_a_language_model_named_are_the_other_first_ones(graph):
    labels = [
        Label("q", "Film 00", DIRECTED, "llm"),
        Label("q", "Film 00", (("has_genre", True),), "llm", role="first-relation"),
    ]
    vectors = WordEncoder().encode(["x"] * 2 * graph.num_relations)
    made = make_examples(graph, grounded(graph), labels, WordEncoder(), vectors, max_hops=2, similar=-1.0, words=False)
    wanted = {graph.find_relation("directed_by"), graph.num_relations + graph.find_relation("has_genre")}
    assert set(made.first[0].nonzero()[0].tolist()) == wanted


def test_labels_of_another_graph_are_refused_by_the_missing_relation(graph):
    other = Label("q", "Film 00", (("directed_by", False), ("sequel_of", True)), "given")
    with pytest.raises(TrainingDataError, match="no relation 'sequel_of'"):
        filter_labels(graph, [other])
    fitting, skipped = filter_labels(graph, [other, Label("q", "Film 00", DIRECTED, "given")])
    assert [label.path for label in fitting] == [DIRECTED]
    assert skipped.counts == {"labels with a relation that is not in the graph": 1}


def test_an_empty_label_file_is_refused(graph, tmp_path):
    (tmp_path / "l.jsonl").write_text("")
    with pytest.raises(TrainingDataError, match="empty"):
        filter_labels(graph, read_labels(tmp_path / "l.jsonl"))


@pytest.mark.parametrize("strategy", ["answer-set", "shortest-path"])
def test_a_rejected_path_is_not_chosen_again(graph, strategy):
    rejected = frozenset({("q", "Film 00", DIRECTED)})
    found = rationalizers.get(strategy).label(graph, grounded(graph), encoder=WordEncoder(), rejected=rejected)
    assert found.labels
    assert all(label.path != DIRECTED for label in found.labels)


def test_the_compression_ratio_is_merged_over_raw():
    table_1 = Compression(pools=100, raw=27516, merged=1354, raw_max=98602, merged_max=137)
    assert round(table_1.ratio, 3) == 0.049
    assert round(table_1.ratio_max, 4) == 0.0014
    assert Compression(0, 0, 0, 0, 0).ratio == 1.0


@pytest.mark.parametrize("strategy", ["answer-set", "shortest-path", "all-shortest"])
def test_labels_have_as_many_hops_as_is_said(strategy, tmp_path):
    chain = [("a", "one", "b"), ("b", "two", "c"), ("c", "three", "d"), ("d", "four", "e")]
    graph = build_snapshot(TripleTable.from_facts(chain), tmp_path / "graph")
    asked = resolve_questions(graph, [QuestionRecord("q", "one two three four of a?", ("a",), ("e",))])[0]

    def labels(max_hops):
        return rationalizers.get(strategy, max_hops=max_hops).label(graph, asked, encoder=WordEncoder()).labels

    assert not labels(None)
    assert not labels(3)
    assert [[name for name, _ in label.path] for label in labels(4)] == [["one", "two", "three", "four"]]


@pytest.mark.parametrize("max_hops", [0, 9])
def test_labels_of_no_or_too_many_hops_are_refused(max_hops):
    with pytest.raises(ConfigError, match=f"max_hops is {max_hops}") as caught:
        rationalizers.get("answer-set", max_hops=max_hops)
    assert caught.value.hint == "It must be from 1 to 8."
