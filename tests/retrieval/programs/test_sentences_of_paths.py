"""Sentences of answers that relation paths lead to, and whose each answer is."""

from dataclasses import replace

import pytest

from retrieval.answering.sentences import add_path_sentence
from retrieval.events import AnswerFinal
from retrieval.programs.rendering.sentences.owners import find_owners
from retrieval.programs.rendering.sentences.paths import write_path_sentence
from retrieval.results import Answer
from retrieval.types import Usage

from .saying import make_answers, make_chain

ONE_RELATION = {
    ("Switzerland", "capital", "Bern"): "The capital of Switzerland is Bern.",
    ("Switzerland", "governed from", "Bern"): "Switzerland is governed from Bern.",
    ("Bern", "-governed from", "Switzerland"): "Switzerland is governed from Bern.",
    ("Bern", "-capital", "Switzerland"): "Bern is the capital of Switzerland.",
    ("Acme", "-works at", "Ada"): "Ada works at Acme.",
    ("Swiss", "-nationality", "Ada"): "Ada: nationality Swiss.",
    ("Germany", "borders", "France"): "Germany borders France.",
    ("Kitchen", "adjoins", "Pantry"): "Kitchen adjoins Pantry.",
    ("Pantry", "-adjoins", "Kitchen"): "Pantry adjoins Kitchen.",
    ("Ann", "owns", "Low Tide"): "Ann owns Low Tide.",
    ("Pip", "lives in", "Ice Hall"): "Pip lives in Ice Hall.",
    ("Emma", "first published", "1815"): "Emma was first published in 1815.",
    ("Marrow", "alive", "no"): "Marrow is not alive.",
    ("Loft", "rent eur", "560"): "The rent of Loft is €560.",
    ("Jaws", "starring", "Roy Scheider"): "Jaws stars Roy Scheider.",
}


@pytest.mark.parametrize(("source", "relation", "target"), ONE_RELATION)
def test_one_relation_is_a_sentence(source: str, relation: str, target: str) -> None:
    chain = make_chain(source, relation, levels=((target,),))
    assert write_path_sentence(make_answers(target), [chain]) == ONE_RELATION[source, relation, target]


def test_several_things_do_what_one_does() -> None:
    works, paid = (
        make_chain("Acme", relation, levels=(("Ada Lind", "Bo Berg"),), merged=True)
        for relation in ("-works at", "-paid by")
    )
    answers = make_answers("Ada Lind", "Bo Berg", chains=(0, 1))
    assert write_path_sentence(answers, [works, paid]) == "Ada Lind and Bo Berg work at Acme and are paid by Acme."
    written = make_chain("Emma", "author", "-written by", levels=(("Austen", "Ann"), ("Persuasion", "Lady Susan")))
    both = make_answers("Persuasion", "Lady Susan")
    assert write_path_sentence(both, [written]) == "Persuasion and Lady Susan were written by the author of Emma."
    assert write_path_sentence(both[:1], [written]) == "Persuasion was written by the author of Emma."


def test_a_way_over_single_things_is_told_fact_after_fact() -> None:
    chain = make_chain("Emma", "written by", "birthplace", levels=(("Jane Austen",), ("Steventon",)))
    expected = "Emma was written by Jane Austen, and the birthplace of Jane Austen is Steventon."
    assert write_path_sentence(make_answers("Steventon"), [chain]) == expected


def test_a_way_over_many_things_is_told_as_what_it_leads_to() -> None:
    chain = make_chain("Switzerland", "borders", "official language", levels=(("Austria", "Italy"), ("German",)))
    expected = "German: the official language of what Switzerland borders."
    assert write_path_sentence(make_answers("German"), [chain]) == expected
    shown = make_chain("Dalí", "-painted by", "displayed in", levels=(("Swans", "Sleep"), ("Madrid",)))
    assert (
        write_path_sentence(make_answers("Madrid"), [shown]) == "Madrid: what things painted by Dalí are displayed in."
    )


def test_one_relation_of_two_topics_is_told_of_both() -> None:
    chains = [make_chain(topic, "borders", levels=(("Belgium",),), merged=True) for topic in ("France", "Germany")]
    assert (
        write_path_sentence(make_answers("Belgium", chains=(0, 1)), chains) == "France and Germany both border Belgium."
    )
    directed = [make_chain(film, "directed by", levels=(("Scott",),), merged=True) for film in ("Alien", "Gladiator")]
    expected = "Alien and Gladiator are both directed by Scott."
    assert write_path_sentence(make_answers("Scott", chains=(0, 1)), directed) == expected


def test_answers_of_different_paths_are_told_apart() -> None:
    chains = [
        make_chain("Maldives", "independent from", levels=(("United Kingdom",),)),
        make_chain("Maldives", "independence year", levels=(("1965",),)),
    ]
    answers = (*make_answers("United Kingdom"), *make_answers("1965", chains=(1,)))
    expected = "United Kingdom: what Maldives is independent from; 1965: the independence year of Maldives."
    assert write_path_sentence(answers, chains) == expected


def test_answers_beyond_the_chains_are_counted() -> None:
    names = [f"Town {letter}" for letter in "ABCDE"]
    chain = make_chain("Norway", "town", levels=(tuple(names[:4]),))
    answers = (*make_answers(*names[:4]), *make_answers(names[4], chains=()))
    assert write_path_sentence(answers, [chain]) == "Norway has 5 towns: Town A, Town B, Town C and 2 others."


def test_a_guess_and_a_text_have_no_sentence() -> None:
    chain = make_chain("Germany", "capital", levels=(("Berlin",),))
    final = AnswerFinal(make_answers("Berlin"), None, "", (), Usage(), 1.0)
    assert add_path_sentence(final, (chain,)).sentence == "The capital of Germany is Berlin."
    guess = replace(final, answers=(replace(final.answers[0], guess=True),))
    assert add_path_sentence(guess, (chain,)).sentence is None
    assert add_path_sentence(replace(final, text="It is Berlin."), (chain,)).sentence is None
    assert add_path_sentence(replace(final, answers=(Answer("Berlin", 0.9),)), ()).sentence is None


def test_answers_of_several_things_know_whose_they_are() -> None:
    chains = (
        make_chain("Niger", "population", levels=(("27200000",),)),
        make_chain("Chad", "population", levels=(("17700000",),)),
    )
    niger, chad = make_answers("27200000"), make_answers("17700000", chains=(1,))
    final = add_path_sentence(AnswerFinal((*niger, *chad), None, "", (), Usage(), 1.0), chains)
    assert [answer.owner for answer in final.answers] == ["Niger", "Chad"]


def test_answers_of_one_thing_or_of_shared_things_have_no_owner() -> None:
    languages = make_chain("Chad", "language", levels=(("French", "Arabic"),))
    assert find_owners(make_answers("French", "Arabic"), [languages]) == {}
    bambara = make_chain("Mali", "language", levels=(("Bambara",),))
    answers = (*make_answers("French", "Arabic"), *make_answers("Bambara", chains=(1,)))
    assert find_owners(answers, [languages, bambara]) == {}
