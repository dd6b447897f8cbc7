"""A restriction is the graph that a builder makes of those facts, under the ids of the whole one."""

import pickle

import numpy as np
import pytest

from retrieval.errors import SnapshotError
from retrieval.kg import search, snapshot
from retrieval.kg.snapshot.restriction import RestrictedSnapshot, find_facts
from tests.retrieval.kg.worlds import FILMS, build, random_facts


def labelled(graph):
    return [
        (graph.get_entity_label(h), graph.get_relation_name(r), graph.get_entity_label(t))
        for h, r, t in zip(graph.heads, graph.relations, graph.tails, strict=True)
    ]


@pytest.fixture
def whole(tmp_path):
    return build(random_facts(3), tmp_path / "whole")


def test_it_equals_a_graph_built_from_those_facts(whole, tmp_path):
    chosen = np.arange(0, whole.num_triples, 3)
    small = RestrictedSnapshot(whole, chosen)
    built = build([labelled(whole)[i] for i in chosen], tmp_path / "built")
    assert labelled(small) == labelled(built)
    assert (small.num_entities, small.num_relations) == (whole.num_entities, whole.num_relations)
    for e in range(built.num_entities):
        mine = small.find_entity(built.get_entity_label(e))
        assert list(small.get_out_edges(mine)) == list(built.get_out_edges(e))
        assert small.get_in_edges(mine).tolist() == built.get_in_edges(e).tolist()
        assert small.get_degree(mine) == built.get_degree(e)
        for r in range(built.num_relations):
            own = small.find_relation(built.get_relation_name(r))
            assert small.out_groups.find_run(mine, own) == built.out_groups.find_run(e, r)
            assert small.in_groups.find_run(mine, own) == built.in_groups.find_run(e, r)
            for inverse in (False, True):
                ours = search.execute(small, [mine], [(own, inverse)], simple=False)[-1]
                theirs = search.execute(built, [e], [(r, inverse)], simple=False)[-1]
                assert {small.get_entity_label(i) for i in ours} == {built.get_entity_label(i) for i in theirs}
    assert [small.get_entity_label(e) for e in small.in_heads] == [built.get_entity_label(e) for e in built.in_heads]


def test_ids_and_labels_are_the_whole_graphs_and_facts_are_numbered_anew(tmp_path):
    films = build(FILMS, tmp_path / "films")
    kept = [i for i, fact in enumerate(labelled(films)) if "Jaws" in fact]
    small = RestrictedSnapshot(films, [*reversed(kept), kept[0]])
    assert small.facts.tolist() == kept
    assert small.find_entity("Hook") == films.find_entity("Hook")
    assert small.get_degree(small.find_entity("Hook")) == 0
    assert small.labels is films.labels
    assert [small.get_hop(i) for i in range(len(kept))] == [films.get_hop(i) for i in kept]


def test_the_hash_is_of_the_base_and_of_the_chosen_facts(tmp_path):
    films, fewer = build(FILMS, tmp_path / "films"), build(FILMS[:-1], tmp_path / "fewer")
    assert RestrictedSnapshot(films, [1, 0]).hash == RestrictedSnapshot(films, [0, 1, 1]).hash
    hashes = {
        films.hash,
        RestrictedSnapshot(films, [0]).hash,
        RestrictedSnapshot(films, [1]).hash,
        RestrictedSnapshot(fewer, [0]).hash,
    }
    assert len(hashes) == 4


def test_a_restriction_of_nothing_is_asked_like_any_other(tmp_path):
    films = build(FILMS, tmp_path / "films")
    empty = RestrictedSnapshot(films, [])
    assert empty.num_triples == 0
    assert empty.get_degrees(np.arange(empty.num_entities)).tolist() == [0] * films.num_entities
    assert not empty.has(0, 0, 1)
    assert search.execute(empty, [0], [(0, True)], simple=True)[-1].tolist() == []


def test_it_travels_between_processes(tmp_path):
    small = RestrictedSnapshot(build(FILMS, tmp_path / "films"), [2, 5])
    again = pickle.loads(pickle.dumps(small))
    assert (again.hash, again.facts.tolist()) == (small.hash, [2, 5])
    assert again.base.hash == small.base.hash


def test_a_restriction_can_be_restricted_and_a_wrong_id_is_named(tmp_path):
    films = snapshot.open(build(FILMS, tmp_path / "films").path)
    again = RestrictedSnapshot(RestrictedSnapshot(films, [1, 3, 4]), [0, 2])
    assert labelled(again) == [labelled(films)[i] for i in (1, 4)]
    with pytest.raises(SnapshotError, match="fact 99"):
        RestrictedSnapshot(films, [0, 99])
    with pytest.raises(SnapshotError, match="fact -1"):
        RestrictedSnapshot(films, [-1])


def test_triples_are_looked_up_by_label_and_what_is_missing_is_counted(tmp_path):
    films = build(FILMS, tmp_path / "films")
    rows = labelled(films)
    head, relation, tail = rows[4]
    found = find_facts(
        films,
        [
            rows[6],
            rows[4],
            rows[4],
            ("Nobody", relation, tail),
            (head, "painted", tail),
            (tail, relation, tail),
        ],
    )
    assert found.facts.tolist() == [4, 6]
    assert found.unknown == {"entity": 1, "relation": 1, "fact": 1}


def test_the_compact_form_is_the_graph_built_from_those_facts(whole, tmp_path):
    chosen = np.arange(1, whole.num_triples, 4)
    compact = RestrictedSnapshot(whole, chosen).compact
    built = build([labelled(whole)[i] for i in chosen], tmp_path / "built")
    assert list(compact.entity_labels) == list(built.entity_labels)
    assert compact.num_entities == built.num_entities
    assert [compact.get_kind(i) for i in range(compact.num_entities)] == ["entity"] * built.num_entities
    for name in ("heads", "tails", "in_order", "in_heads", "out_offsets", "in_offsets"):
        assert getattr(compact, name).tolist() == getattr(built, name).tolist(), name
    assert compact.entities.tolist() == [whole.find_entity(label) for label in built.entity_labels]
    assert pickle.loads(pickle.dumps(compact)).entities.tolist() == compact.entities.tolist()
    with pytest.raises(SnapshotError, match="no index of names"):
        compact.labels.search("e01")
