"""What an analyst decided wins, is kept, and is never paid for again."""

import pytest

from retrieval.errors import TrainingDataError
from retrieval.supervision import rationalizers
from retrieval.supervision.grounding import resolve_questions
from retrieval.supervision.labels import Label, select_usable, write_labels
from retrieval.supervision.verdicts import VerdictRationalizer, Verdicts, merge, read_verdicts
from retrieval.types import QuestionRecord
from tests.retrieval.films import WordEncoder, build

DIRECTED, LANGUAGE = (("directed_by", False),), (("in_language", False),)
OTHER = (("directed_by", False), ("directed_by", True), ("directed_by", False))


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    return build(tmp_path_factory.mktemp("films") / "graph")


class Counting:
    """Answer-set consistency that counts the questions it was given."""

    def __init__(self):
        self.asked = []

    def label(self, snapshot, questions, **kwargs):
        self.asked += [question.question.id for question in questions]
        return rationalizers.get("answer-set").label(snapshot, questions, **kwargs)


def run(graph, *verdicts):
    asked = [QuestionRecord(f"q{i}", f"who directed Film {i:02}", (f"Film {i:02}",), (name,))
             for i, name in enumerate(("Varda", "Kurosawa"))]  # fmt: skip
    rest = Counting()
    both = VerdictRationalizer(Verdicts(verdicts), rest)
    return both.label(graph, resolve_questions(graph, asked)[0], encoder=WordEncoder()), rest.asked


def test_an_accepted_path_replaces_all_others_of_its_topic(graph):
    accepted = Label("q0", "Film 00", LANGUAGE, "analyst")
    found, asked = run(graph, accepted)
    assert select_usable(found.labels) == [accepted, Label("q1", "Film 01", DIRECTED, "answer-set", 1.0)]
    assert asked == ["q1"]
    assert (found.unlabelled, found.fit) == (0, 1.0)


def test_a_rejected_path_is_kept_as_rejected_and_not_chosen(graph):
    rejected = Label("q0", "Film 00", DIRECTED, "analyst", 1.0, "path", "rejected", "too easy")
    found, asked = run(graph, rejected)
    assert found.labels[0] == rejected
    assert [label.path for label in select_usable(found.labels) if label.question == "q0"] != [DIRECTED]
    assert asked == ["q0", "q1"]


def test_verdicts_of_another_graph_are_refused(graph):
    with pytest.raises(TrainingDataError, match="'sequel_of'"):
        run(graph, Label("q0", "Film 00", (("sequel_of", False),), "analyst"))


def test_verdicts_on_other_questions_are_counted(graph):
    found, _ = run(graph, Label("elsewhere", "Film 00", DIRECTED, "analyst"))
    assert found.notes == ("1 verdicts are on questions that are not labelled here.",)
    assert {label.source for label in found.labels} == {"answer-set"}


def test_the_latest_verdict_on_a_path_counts(tmp_path):
    first = Label("q0", "Film 00", DIRECTED, "analyst")
    second = Label("q0", "Film 00", DIRECTED, "analyst", verdict="rejected")
    write_labels(tmp_path / "v.jsonl", [first, second])
    verdicts = read_verdicts(tmp_path / "v.jsonl")
    assert verdicts.labels == (second,)
    assert verdicts.rejections == {("q0", "Film 00", DIRECTED)}


def test_a_verdict_of_another_source_is_refused(tmp_path):
    write_labels(tmp_path / "v.jsonl", [Label("q0", "Film 00", DIRECTED, "llm")])
    with pytest.raises(TrainingDataError, match="'llm'"):
        read_verdicts(tmp_path / "v.jsonl")


def test_a_file_without_verdicts_is_refused(tmp_path):
    (tmp_path / "v.jsonl").write_text("")
    with pytest.raises(TrainingDataError, match="no verdict"):
        read_verdicts(tmp_path / "v.jsonl")


def test_verdicts_are_merged_over_several_label_sets():
    first = [Label("q0", "A", DIRECTED, "answer-set", 0.4), Label("q1", "A", DIRECTED, "answer-set", 0.7)]
    second = [
        Label("q0", "A", DIRECTED, "shortest-path", 0.6),
        Label("q0", "B", DIRECTED, "shortest-path", 0.3),
        Label("q0", "A", DIRECTED, "shortest-path", role="first-relation"),
        Label("q2", "A", DIRECTED, "llm"),
        Label("q3", "A", DIRECTED, "analyst", verdict="rejected"),
        Label("q3", "A", DIRECTED, "llm"),
    ]
    assert merge([*first, *second], []) == [second[0], first[1], *second[1:5]]
    yes = Label("q0", "A", LANGUAGE, "analyst")
    no = Label("q1", "A", DIRECTED, "analyst", verdict="rejected")
    assert merge([*first, *second], [yes, no], broken={"q2"}) == [yes, no, second[1], second[2], second[4]]
