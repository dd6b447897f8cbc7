"""Which words a relation explains: learned from questions that leave open which path they mean."""

import itertools

import numpy as np
import pytest

from retrieval.kg.build import build_snapshot
from retrieval.kg.table import TripleTable
from retrieval.supervision import rationalizers
from retrieval.supervision.grounding import resolve_questions
from retrieval.supervision.word_alignment import AlignmentSettings, AlignmentShape, explain
from retrieval.types import QuestionRecord
from tests.retrieval.films import WordEncoder

GENDER, CHILD = 0, 1
WORDS = ["sex", "heir", "job", "faith", "tribe", "home"]
NAMES = [f"p{i}" for i in range(len(WORDS))]  # names that share no word with a question
SIMPLE = [(f"what is the {word} of x", (relation,)) for relation, word in enumerate(WORDS)]


def shape(words, *paths):
    return AlignmentShape(tuple(words.split()), paths, np.ones(len(paths)), 1.0)


def best(shapes, names=NAMES, **settings):
    nats = explain(shapes, names, AlignmentSettings(**settings))
    return [s.paths[int(np.argmax(n))] for s, n in zip(shapes, nats, strict=True)]


def test_of_paths_that_fit_alike_the_one_that_explains_the_words_wins():
    shapes = [shape(words, path) for words, path in SIMPLE]
    for relation, word in enumerate(WORDS[2:], start=2):
        shapes.append(shape(f"what is the {word} of the heir of x", (CHILD, relation)))
    shapes.append(shape("what is the sex of the heir of x", (GENDER,), (CHILD, GENDER)))
    shapes.append(shape("what is the heir of the heir of x", (CHILD,), (CHILD, CHILD)))
    assert best(shapes)[-2:] == [(CHILD, GENDER), (CHILD, CHILD)]


@pytest.mark.parametrize("wording", ["what is the {1} of x s {0}", "x then {0} then {1}"])
def test_questions_of_the_same_wording_order_their_relations_alike(wording):
    shapes = [shape(wording.format("", ""), (0,))] + [
        shape(wording.format(WORDS[i], WORDS[j]), (i, j))
        for i, j in itertools.permutations(range(len(WORDS)), 2)
        if (i, j) != (2, 3)
    ]
    shapes.append(shape(wording.format(WORDS[2], WORDS[3]), (3, 2), (2, 3)))
    shapes.append(shape(wording.format(WORDS[3], WORDS[2]), (3, 2), (2, 3)))
    assert best(shapes)[-2:] == [(2, 3), (3, 2)]


def test_a_word_of_a_relation_s_own_name_speaks_for_it():
    shapes = [shape(words, path) for words, path in SIMPLE]
    shapes.append(shape("what is the recording of x", (0,), (1,)))
    names = ["music release_track recording", "music album artist", *NAMES[2:]]
    assert best(shapes, names)[-1] == (0,)
    assert best(shapes, [names[1], names[0], *NAMES[2:]])[-1] == (1,)


def test_a_relation_that_is_always_walked_forward_is_walked_forward():
    back = len(NAMES) + GENDER  # the inverse of GENDER leads to the same answers here
    shapes = [shape("a x", (GENDER,)), shape("b x", (GENDER,)), shape("c x", (back,), (GENDER,))]
    assert best(shapes)[2] == (GENDER,)


def test_the_likelihood_of_one_round_is_that_of_the_formula():
    one = shape("gender x", (GENDER,))
    settings = AlignmentSettings(rounds=0, named=0.0)
    # Both words come half from the relation, whose table starts as the frequencies, half from none.
    expected = 2 * np.log((0.5 + 0.5) / 2) + np.log(2 / 3)
    assert explain([one], NAMES, settings)[0] == pytest.approx([expected])


def test_the_labels_follow_the_words(tmp_path):
    """Every person's heir has the person's own traits: only the words tell whose are asked for."""
    traits = [(f"p{i}", f"r{r}", f"{word} value") for i in range(6) for r, word in enumerate(WORDS) if r != 1]
    facts = [*traits, *((f"p{i}", "r1", f"p{i + 1}") for i in range(5))]
    graph = build_snapshot(TripleTable.from_facts(facts), tmp_path / "graph")
    asked = [
        QuestionRecord(f"{r}-{i}", f"what is the {word} of p{i}", (f"p{i}",), (f"{word} value",))
        for r, word in enumerate(WORDS) if r != 1 for i in range(5)
    ]  # fmt: skip
    asked += [QuestionRecord(f"1-{i}", f"what is the heir of p{i}", (f"p{i}",), (f"p{i + 1}",)) for i in range(5)]
    asked += [
        QuestionRecord(f"far-{i}", f"what is the heir of the heir of p{i}", (f"p{i}",), (f"p{i + 2}",))
        for i in range(4)
    ]  # fmt: skip
    asked += [
        QuestionRecord(f"x-{i}", f"what is the sex of the heir of p{i}", (f"p{i}",), ("sex value",)) for i in range(5)
    ]
    found = rationalizers.get("answer-set").label(graph, resolve_questions(graph, asked)[0], encoder=WordEncoder())
    paths = {kind: {label.path for label in found.labels if label.question.startswith(kind)} for kind in "0x"}
    assert paths["0"] == {(("r0", False),)}
    assert paths["x"] == {(("r1", False), ("r0", False))}
    assert found.unlabelled == 0


def test_a_relation_of_one_question_does_not_learn_its_words_by_heart():
    """Only the question itself says that there and back again over a relation of its own explains its words."""
    names = [*NAMES, "q", "r", "s"]
    shapes = [shape(f"what is the {word} of x", (relation,)) for relation, word in enumerate(WORDS[:5])]
    for own, relation in enumerate((2, 3, 4), start=len(WORDS)):
        odd = " ".join(f"{word}{own}" for word in ("one", "two", "three", "four", "five", "six"))
        shapes.append(shape(f"which {WORDS[relation]} {odd}", (relation, own, relation), (relation,)))
    assert best(shapes, names)[-3:] == [(2,), (3,), (4,)]
