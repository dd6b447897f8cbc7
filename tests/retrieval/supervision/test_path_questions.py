"""Questions written from a schema: what is said of a relation, and that every question has its walk."""

import random

import pytest

from retrieval.kg.build import build_snapshot
from retrieval.kg.table import TripleTable
from retrieval.programs.grounding.schema import Schema
from retrieval.supervision.path_questions.composing import QuestionComposer
from retrieval.supervision.path_questions.kinds import EndKind, parse_verb_first
from retrieval.supervision.path_questions.phrases import build_phrases
from retrieval.supervision.path_questions.writer import PathWriter
from tests.retrieval.films import build

FILM, PERSON, NOBODY = EndKind(("film",)), EndKind(("person",)), EndKind(())


@pytest.mark.parametrize(
    ("label", "inverse", "said"),
    [
        ("directed by", False, "who directed {a}"),
        ("directed by", True, "which {k} did {a} direct"),
        ("signed by", False, "who signed {a}"),
        ("born in", False, "where {was} {a} born"),
        ("born in", True, "who was born in {a}"),
        ("died in", False, "where did {a} die"),
        ("borders", False, "what {do} {a} border"),
        ("release year", False, "when {was} {a} released"),
        ("place of birth", False, "where {was} {a} born"),
        ("has genre", False, "what {is_k} the genre of {a}"),
        ("starred actors", True, "which {k} did {a} star in"),
        ("city in country", True, "which {k} {is_k} in {a}"),
        ("capital of", True, "who {is_k} the capital of {a}"),
        ("lies on river", False, "what {do} {a} lie on"),
        ("in language", True, "which {k} {is_k} in {a}"),
    ],
)
def test_a_relations_name_is_asked_for_by_its_form(label, inverse, said):
    target = EndKind(("year",)) if label.endswith("year") else NOBODY
    assert said in build_phrases(label, inverse, FILM, target).asks


def test_nouns_are_those_who_do_it_and_other_words_for_them():
    assert build_phrases("directed by", False, FILM, PERSON).nouns == ["director", "filmmaker"]
    assert build_phrases("signed by", False, FILM, PERSON).nouns == ["signer"]
    assert build_phrases("spouse", False, PERSON, PERSON).nouns[:3] == ["spouse", "spouse", "wife"]
    assert build_phrases("directed by", True, PERSON, FILM).nouns == []


def test_a_name_is_parted_at_its_preposition():
    assert parse_verb_first("built in year") == ("built", "in", "year")
    assert parse_verb_first("flows into") is None
    assert parse_verb_first("city in country") is None


def test_kinds_are_read_from_names_or_from_types(tmp_path):
    writer = PathWriter(Schema(build(tmp_path / "films")))
    directed = writer.snapshot.find_relation("directed_by")
    assert writer.spoken[directed].source.nouns == ("film", "movie")
    assert writer.spoken[directed].target.people
    assert writer.spoken[directed + writer.total].target.nouns == ("film", "movie")
    typed = build_snapshot(
        TripleTable.from_facts([("Ada", "type", "poets"), ("Bo", "type", "poets"), ("Ada", "knows", "Bo")]),
        tmp_path / "typed",
    )
    knows = typed.find_relation("knows")
    assert PathWriter(Schema(typed)).spoken[knows].source.nouns == ("poet",)


def test_every_question_has_its_walk_and_each_is_written_once(tmp_path):
    snapshot = build(tmp_path / "films")
    made = PathWriter(Schema(snapshot), seed=3).write(200)
    assert len({one.question for one in made}) == len(made) == 200
    assert PathWriter(Schema(snapshot), seed=3).write(200) == made
    assert {len(path) for one in made for path in one.paths} == {1, 2, 3}
    assert any(len(one.topics) == 2 for one in made)
    names = [[snapshot.get_entity_label(topic) for topic in one.topics] for one in made]
    assert all(name in one.question for one, own in zip(made, names, strict=True) for name in own)


def test_steps_are_nested_and_what_is_shared_is_said(tmp_path):
    writer = PathWriter(Schema(build(tmp_path / "films")))
    directed = writer.snapshot.find_relation("directed_by")
    there, back = writer.spoken[directed], writer.spoken[directed + writer.total]
    said = {QuestionComposer(random.Random(n)).write_question("X", [there, back], [False, True]) for n in range(400)}
    assert any("with the same director as X" in text for text in said)
    assert any("the director of X" in text for text in said)


def test_a_graph_without_words_gives_no_question(tmp_path):
    lonely = build_snapshot(TripleTable.from_facts([("a", "type", "b")]), tmp_path / "lonely")
    assert PathWriter(Schema(lonely)).write(10) == []
