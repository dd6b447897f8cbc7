"""Algorithm 1 of ReG on graphs small enough to write every chain down."""

from __future__ import annotations

import pytest

from retrieval.evidence.expand import ChainStep, expand
from retrieval.types import Triple

A, B, C, D, E = range(5)
R, S = 0, 1


def text(walks):
    """Walks as strings: entities in order, ``<`` before one that was reached against its fact."""
    return [
        "".join(["ABCDE"[w[0].source], *(("<" if s.inverse else "") + "ABCDE"[s.target] for s in w)]) for w in walks
    ]


def test_a_chain_grows_left_to_right_by_entity_matching():
    facts = [Triple(A, R, B), Triple(B, S, C), Triple(C, R, D), Triple(E, R, D)]
    assert text(expand(facts, {A}, 3)) == ["AB", "ABC", "ABCD"]


def test_the_length_limit_counts_facts():
    facts = [Triple(A, R, B), Triple(B, S, C), Triple(C, R, D)]
    assert text(expand(facts, {A}, 2)) == ["AB", "ABC"]
    assert text(expand(facts, {A}, 1)) == ["AB"]


def test_chains_that_end_in_the_topic_grow_right_to_left():
    facts = [Triple(B, R, A), Triple(C, S, B)]
    walks = expand(facts, {A}, 2)
    assert text(walks) == ["A<B", "A<B<C"]
    assert walks[1] == (ChainStep(Triple(B, R, A), inverse=True), ChainStep(Triple(C, S, B), inverse=True))


def test_only_a_mixed_search_changes_direction():
    film, director, other = A, B, C
    facts = [Triple(film, R, director), Triple(other, R, director)]
    assert text(expand(facts, {film}, 2)) == ["AB"]
    assert text(expand(facts, {film}, 2, mixed=True)) == ["AB", "AB<C"]


def test_a_pair_of_topic_and_entity_is_extended_to_once():
    facts = [Triple(A, R, B), Triple(A, S, C), Triple(B, R, D), Triple(C, R, D)]
    assert text(expand(facts, {A}, 2)) == ["AB", "AC", "ABD"]


def test_two_topics_have_chains_of_their_own():
    facts = [Triple(A, R, C), Triple(B, S, C), Triple(C, R, D)]
    assert text(expand(facts, {A, B}, 2)) == ["AC", "BC", "ACD", "BCD"]


def test_a_cycle_ends_and_a_repeated_fact_counts_once():
    facts = [Triple(A, R, B), Triple(B, R, C), Triple(C, R, B), Triple(A, R, B)]
    assert text(expand(facts, {A}, 9)) == ["AB", "ABC", "ABCB"]


def test_no_fact_at_a_topic_gives_no_chain():
    assert expand([Triple(B, R, C)], {A}, 2) == []


def test_a_chain_without_facts_is_refused():
    with pytest.raises(ValueError, match="at least one fact"):
        expand([], {A}, 0)
