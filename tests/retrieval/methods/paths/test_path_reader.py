"""Relation paths read without training: candidates, what speaks for them, and the scorer."""

import numpy as np
import pytest
import torch

from retrieval.kg.build import build_snapshot
from retrieval.kg.table import TripleTable
from retrieval.language.question import Question
from retrieval.methods.zero_shot.candidates import find_candidates, has_simple_walks
from retrieval.methods.zero_shot.common_relations import list_common_relations
from retrieval.methods.zero_shot.features import (
    CHANNELS,
    OF_PATH,
    PER_WORD,
    STEPS,
    Comparer,
    compute_features,
    encode_questions,
)
from retrieval.methods.zero_shot.idioms import is_gender_question, replace_idioms
from retrieval.methods.zero_shot.model import PathScorer
from retrieval.methods.zero_shot.wordings import Wordings, build
from retrieval.programs.grounding.schema import Schema
from tests.retrieval.films import WordEncoder

FACTS = [
    ("Vagabond", "directed by", "Varda"),
    ("Vagabond", "genre", "drama"),
    ("Cleo", "directed by", "Varda"),
    ("Cleo", "in language", "French"),
    ("Ran", "directed by", "Kurosawa"),
    ("Ran", "genre", "drama"),
    ("Ran", "in language", "Japanese"),
]
DIRECTED, GENRE, LANGUAGE = "directed by", "genre", "in language"


@pytest.fixture
def graph(tmp_path):
    return build_snapshot(TripleTable.from_facts(FACTS), tmp_path / "films")


def said(graph, one):
    names = [graph.get_relation_label(r % graph.num_relations) for r in one.relations]
    return tuple(("-" if r >= graph.num_relations else "") + name for r, name in zip(one.relations, names, strict=True))


def everything(relations):
    return np.ones((len(relations), 1), np.float32)


def test_candidates_are_all_paths_that_lead_on_and_never_back_to_the_topic(graph):
    found = find_candidates(graph, graph.find_entity("Vagabond"), everything, 2, simple=True)
    assert {said(graph, one): one.reached for one in found} == {
        (DIRECTED,): 1,
        (GENRE,): 1,
        (DIRECTED, f"-{DIRECTED}"): 1,  # Cleo; not Vagabond itself
        (GENRE, f"-{GENRE}"): 1,
    }
    three = find_candidates(graph, graph.find_entity("Vagabond"), everything, 3, simple=True)
    assert {said(graph, one) for one in three if len(one.relations) == 3} == {
        (DIRECTED, f"-{DIRECTED}", LANGUAGE),
        (DIRECTED, f"-{DIRECTED}", DIRECTED),
        (GENRE, f"-{GENRE}", LANGUAGE),
        (GENRE, f"-{GENRE}", DIRECTED),
        (GENRE, f"-{GENRE}", GENRE),
    }


def test_paths_that_only_return_are_candidates_where_wanted(tmp_path):
    facts = [("Ann", "child", "Bo"), ("Bo", "mother", "Ann"), ("Cy", "mother", "Dee")]
    family = build_snapshot(TripleTable.from_facts(facts), tmp_path / "family")
    found = find_candidates(family, family.find_entity("Ann"), everything, 2, simple=True, returning=True)
    # The child's mother is Ann; a step reversed leads nowhere.
    assert {said(family, one) for one in found if one.returns} == {("child", "mother"), ("-mother", "-child")}
    assert {said(family, one) for one in found if not one.returns} == {("child",), ("-mother",)}


@pytest.mark.parametrize(
    ("asks", "means"),
    [
        ("What did X do?", "What was the profession of X?"),
        ("what does X 's better half do for a living", "what is the profession of X 's spouse"),
        ("who is the significant other of X ?", "who is the spouse of X ?"),
        ("where did X pass away", "where did X die"),
        ("Who's X?", "what is the profession of X?"),
        ("who were the X", "what is the profession of X"),
        ("What are X?", "what is the type of X?"),
        ("what is X in Y", "what is X in Y"),
        ("what does X do to Y", "what does X do to Y"),
        ("which half of X is in Y", "which half of X is in Y"),
        ("is X 's kid a man or a woman ?", "what is the gender of X 's kid ?"),
        ("Was X female or male?", "what is the gender of X?"),
        ("is X a man or a machine", "is X a man or a machine"),
        ("who does X have a baby with", "who is the parent of the child of X"),
        ("who has X had kids with?", "who is the parent of the child of X?"),
        ("who has two children", "who has two children"),
        ("what kind of music does X play?", "what is the music genre of X?"),
        ("what did X do for living", "what was the profession of X"),
        ("what made X 's wife die ?", "what was the cause of death of X 's wife ?"),
        ("what line of work is X 's heir in", "what profession is X 's child in"),
    ],
)
def test_idioms_are_put_plainly(asks, means):
    assert replace_idioms(asks) == means


def test_whether_somebody_is_a_man_or_a_woman_is_told():
    assert is_gender_question(Question("Is Ben's other half a woman or a man?"))
    assert not is_gender_question(Question("Is Ben a man?"))


@pytest.mark.parametrize(
    ("text", "people", "places", "times"),
    [
        ("where did X die", True, False, True),
        ("when did X die", True, True, False),
        ("who fought in X", False, False, True),
        ("what did X see", False, False, False),
    ],
)
def test_first_words_ask_for_other_things_than_some(text, people, places, times):
    question = encode_questions([text], WordEncoder())[0]
    assert [question.needs_other_sorts(sort) for sort in np.eye(3, dtype=bool)] == [people, places, times]
    assert not question.needs_other_sorts(np.zeros(3, bool))
    assert not question.needs_other_sorts(np.ones(3, bool))


def test_relations_that_explain_more_words_come_first(graph):
    liked = graph.find_relation(GENRE)

    def explains(relations):
        return (relations == liked).astype(np.float32)[:, None]

    found = find_candidates(graph, graph.find_entity("Ran"), explains, 1, simple=True)
    assert said(graph, found[0]) == (GENRE,)


def test_a_node_that_leads_to_itself_may_be_the_answer_where_names_stand_for_several_things(tmp_path):
    facts = [
        ("Bad", "track list", "Bad"),
        ("Bad", "track list", "Smooth Criminal"),
        ("Bad", "artist", "Jackson"),
    ]
    looped = build_snapshot(TripleTable.from_facts(facts), tmp_path / "songs")
    assert not has_simple_walks(looped)
    topic = looped.find_entity("Bad")
    found = find_candidates(looped, topic, everything, 1, simple=False)
    assert {said(looped, one): one.reached for one in found} == {
        ("track list",): 2,
        ("artist",): 1,
        ("-track list",): 1,
    }


def test_no_path_turns_at_a_number_or_at_a_row_that_it_names(tmp_path):
    facts = [
        ("Ann", "miles", "17"), ("Bob", "miles", "17"), ("Ann", "owns", "P1"),
        ("17", "piano", "P1"), ("17", "fee", "60"), ("P1", "make", "Bolt"),
    ]  # fmt: skip
    made = build_snapshot(TripleTable.from_facts(facts), tmp_path / "visits")
    numbers = np.array([made.get_relation_label(r) in ("miles", "fee") for r in range(made.num_relations)])
    ann, visit = made.find_entity("Ann"), made.find_entity("17")
    free = {said(made, own) for own in find_candidates(made, ann, everything, 2, simple=True)}
    held = {said(made, own) for own in find_candidates(made, ann, everything, 2, simple=True, numbers=numbers)}
    assert free - held == {("miles", "-miles"), ("miles", "piano"), ("miles", "fee")}
    of_visit = find_candidates(made, visit, everything, 1, simple=True, numbers=numbers)
    assert {said(made, own) for own in of_visit} == {("piano",), ("fee",)}


def test_a_node_without_a_name_is_told_by_the_step_that_leaves_it(tmp_path):
    facts = [("Ann", "marriage", "m.0abc1"), ("m.0abc1", "spouse", "Bob"), ("Bob", "marriage", "m.0abc1")]
    married = build_snapshot(TripleTable.from_facts(facts), tmp_path / "married")
    found = find_candidates(married, married.find_entity("Ann"), everything, 2, simple=True)
    told = {said(married, one): one.through for one in found}
    assert told == {("marriage", "spouse"): (True,), ("marriage", "-marriage"): (True,)}
    # The record of a marriage leads back to whom it is of, which answers nothing.
    again = find_candidates(married, married.find_entity("Bob"), everything, 2, simple=True, returning=True)
    assert {said(married, one) for one in again if one.returns} == set()


def test_words_are_explained_by_the_names_and_kinds_of_relations(graph):
    encoder = WordEncoder()
    wordings = Wordings.from_schema(Schema(graph), encoder)
    question = encode_questions(["who directed X"], encoder)[0]
    assert question.words == ["who", "directed", "X"]
    assert question.content.tolist() == [False, True, False]
    comparer = Comparer(question, wordings)
    directed, genre = graph.find_relation(DIRECTED), graph.find_relation(GENRE)
    rows = comparer.compute_channels(np.array([directed, genre]))
    assert rows.shape == (2, 3, CHANNELS)
    # The stem of "directed" is among the names of the one relation, and none of "genre".
    assert rows[:, 1, 3].tolist() == [1.0, 0.0]
    assert rows[0, 1, 0] == pytest.approx(1.0, abs=1e-5)  # "who directed" is one of its wordings
    assert rows[:, 2].tolist() == [[0.0] * CHANNELS] * 2


def test_what_graphs_commonly_hold_and_this_one_lacks_is_seen(graph):
    encoder = WordEncoder()
    question = encode_questions(["composer of X"], encoder)[0]
    assert question.common.tolist() == pytest.approx([1.0, 0.0, 0.0], abs=1e-5)
    found = find_candidates(graph, graph.find_entity("Ran"), everything, 1, simple=True)
    comparer = Comparer(question, Wordings.from_schema(Schema(graph), encoder))
    vectors = np.eye(2 * graph.num_relations, encoder.dim, dtype=np.float32)
    words, paths = compute_features(question, comparer, found, vectors, graph.num_relations)
    # No relation of the graph is called so: what a common one explains more is all of the word.
    assert words[:, 0, -2].tolist() == pytest.approx([1.0] * len(found), abs=1e-5)
    assert (words[:, 0, -1] > 0.3).all()
    assert (paths[:, -2] == words[:, 0, -1]).all()
    assert not words[:, 1:, -2:].any()


def test_names_of_what_graphs_commonly_hold_are_told_once():
    named = list_common_relations()
    assert len(named) == len(set(named))
    assert {"director", "directed by", "screenwriter", "spouse", "wife", "population"} <= set(named)


def test_features_have_a_place_for_each_step(graph):
    encoder = WordEncoder()
    question = encode_questions(["which genres have films by the director of X"], encoder)[0]
    comparer = Comparer(question, Wordings.from_schema(Schema(graph), encoder))
    found = find_candidates(graph, graph.find_entity("Cleo"), comparer.compute_explanations, 3, simple=True)
    vectors = np.eye(2 * graph.num_relations, encoder.dim, dtype=np.float32)
    words, paths = compute_features(question, comparer, found, vectors, graph.num_relations)
    assert words.shape == (len(found), 9, PER_WORD)
    assert paths.shape == (len(found), OF_PATH)
    for one, row, own in zip(found, words, paths, strict=True):
        later = row[:, len(one.relations) * CHANNELS : STEPS * CHANNELS]
        assert not later.any()
        assert own[:3].tolist() == [float(len(one.relations) == size) for size in (1, 2, 3)]


def test_wordings_of_the_index_are_those_that_are_encoded(graph):
    encoder = WordEncoder()
    before, every = Wordings.from_schema(Schema(graph), encoder), np.arange(2 * graph.num_relations)
    encoded = before.names.get_vectors(every)[0]
    build(graph, encoder)
    done = encoder.encoded
    after = Wordings.from_schema(Schema(graph), encoder)
    assert np.allclose(encoded, after.names.get_vectors(every)[0], atol=1e-3)
    assert encoder.encoded == done
    build(graph, encoder)
    assert encoder.encoded == done


def test_the_scorer_gives_one_probability_in_all_and_keeps_its_weights(tmp_path):
    torch.manual_seed(0)
    made = PathScorer().eval()
    rng = np.random.default_rng(0)
    words = rng.normal(size=(4, 6, PER_WORD)).astype(np.float32)
    paths = rng.normal(size=(4, OF_PATH)).astype(np.float32)
    likely, none = made.compute_probabilities(words, paths)
    assert likely.shape == (4,)
    assert float(likely.sum()) + none == pytest.approx(1.0, abs=1e-5)
    made.save(tmp_path / "weights.safetensors")
    again, _ = PathScorer.load(tmp_path / "weights.safetensors").compute_probabilities(words, paths)
    assert np.allclose(likely, again, atol=5e-3)
