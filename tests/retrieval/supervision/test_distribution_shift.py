"""REL-RAG Definitions 1-3 on hand-made questions."""

import pytest

from retrieval.errors import CheckpointError
from retrieval.supervision.distribution_shift import FILE, Shift, TrainingCoverage, find_gold_paths, group_by_question
from retrieval.supervision.labels import Label
from retrieval.types import QuestionRecord

BY, BACK, IN, BORN = ("directed_by", False), ("directed_by", True), ("in_language", False), ("born_in", False)
TRAIN = [
    QuestionRecord("t1", "languages of films by Varda", ("Varda",), ("French",)),
    QuestionRecord("t2", "who directed Jaws", ("Jaws",), ("Spielberg",)),
]
LABELS = [
    Label("t1", "Varda", (BACK, IN), "answer-set"),
    Label("t2", "Jaws", (BY,), "given"),
    Label("t2", "Jaws", (BORN,), "analyst", verdict="rejected"),
    Label("t2", "Jaws", (BORN,), "llm", role="topic-fact"),
    Label("elsewhere", "Jaws", (BORN,), "given"),
]
SEEN = TrainingCoverage.from_questions(TRAIN, LABELS)


def test_what_was_seen():
    assert SEEN.entities == {"Varda", "French", "Jaws", "Spielberg"}
    assert SEEN.paths == {(BACK, IN), (BY,)}
    assert SEEN.relations == {BY, BACK, IN}


@pytest.mark.parametrize(
    ("topic", "path", "level", "of_relations"),
    [
        ("Varda", (BACK, IN), "in-distribution", "in-distribution"),
        ("Jaws", (BY, BACK), "compositional", "compositional"),
        ("Jaws", (BY, BORN), "out-of-distribution", "out-of-distribution"),
        ("Hook", (BY,), "out-of-distribution", "in-distribution"),
        ("Hook", (BY, IN), "out-of-distribution", "compositional"),
        # A relation walked the other way is another relation; a part of a known path is composed anew.
        ("Jaws", (("in_language", True),), "out-of-distribution", "out-of-distribution"),
        ("Varda", (BACK,), "compositional", "compositional"),
    ],
)
def test_the_level_of_a_question(topic, path, level, of_relations):
    shift = Shift(SEEN, {"q": [path]})
    question = QuestionRecord("q", "?", (topic,))
    assert (shift.measure_level(question), shift.measure_relation_level(question)) == (level, of_relations)


def test_the_farthest_path_counts_and_no_path_is_unknown():
    question = QuestionRecord("q", "?", ("Jaws",))
    assert Shift(SEEN, {"q": [(BY,), (BY, BACK)]}).measure_level(question) == "compositional"
    assert Shift(SEEN).measure_level(question) is None


def test_gold_paths_are_walked_either_way_and_come_before_labels():
    path = (("Jaws", "directed_by", "Spielberg"), ("Hook", "directed_by", "Spielberg"))
    question = QuestionRecord("q", "?", ("Nobody", "Jaws"), paths=(path, path[::-1]))
    assert find_gold_paths(question) == [(BY, BACK)]
    assert Shift(SEEN, {"q": [(BY,)]}).measure_relation_level(question) == "compositional"
    assert find_gold_paths(QuestionRecord("q", "?", ("Jaws",), paths=(path[1:],))) == []


def test_gold_paths_of_training_questions_are_seen_too():
    path = (("Jaws", "starred", "Dreyfuss"),)
    seen = TrainingCoverage.from_questions(
        [QuestionRecord("t", "?", ("Jaws",), paths=(path,)), QuestionRecord("p", "?", relation_paths=(("a", "b"),))], []
    )
    assert seen.paths == {(("starred", False),), (("a", False), ("b", False))}
    assert "Dreyfuss" in seen.entities


def test_it_is_kept_with_the_checkpoint(tmp_path):
    assert TrainingCoverage.load(tmp_path) is None
    SEEN.save(tmp_path)
    assert TrainingCoverage.load(tmp_path) == SEEN
    first = (tmp_path / FILE).read_bytes()
    TrainingCoverage.from_questions(TRAIN[::-1], LABELS[::-1]).save(tmp_path)
    assert (tmp_path / FILE).read_bytes() == first
    (tmp_path / FILE).write_bytes(first[:20])
    with pytest.raises(CheckpointError, match=r"seen\.json\.gz is damaged"):
        TrainingCoverage.load(tmp_path)


def test_labels_by_question():
    assert group_by_question(LABELS) == {"t1": [(BACK, IN)], "t2": [(BY,)], "elsewhere": [(BORN,)]}
