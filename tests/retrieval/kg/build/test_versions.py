"""A snapshot's next version holds exactly what it should, and a diff says exactly what changed."""

import json
import random

import numpy as np
import pytest

from retrieval.kg.analysis import comparison
from retrieval.kg.analysis.comparison import compare_snapshots, match_strings
from retrieval.kg.build import build_snapshot
from retrieval.kg.build.from_files import build_from_files
from retrieval.kg.build.to_table import convert_to_table
from retrieval.kg.build.versions import merge, remove_facts
from retrieval.kg.readers import read_graph
from retrieval.kg.snapshot.storage import StringTable
from retrieval.kg.table import TripleTable, build_frame
from retrieval.types import Passage
from tests.retrieval.kg.worlds import FILMS, build, random_facts

MORE = [
    ("Hook", "directed_by", "Steven Spielberg"),
    ("Duel", "directed_by", "Steven Spielberg"),
    ("1975", "year_before", "1976"),
]


def facts_of(graph):
    return [hop_of(graph, i) for i in range(graph.num_triples)]


def hop_of(graph, fact):
    hop = graph.get_hop(fact)
    return (hop.source.label, hop.step.name, hop.target.label)


def rich(facts=FILMS, passages=("one", "two"), links=((0, 0), (3, 1))):
    """A table with everything a table may have."""
    return TripleTable.from_facts(
        facts,
        passages=[Passage(i, name, "", f"Text {name}.") for i, name in enumerate(passages)],
        fact_passages=links,
        node_attributes=[("Jaws", "rating", "PG"), ("Nowhere else", "note", "alone")],
        fact_attributes=[(1, "since", "1991")],
    )


def test_diff_names_what_came_and_went(tmp_path):
    old = build(FILMS, tmp_path / "old")
    new = build([*FILMS[1:7], *MORE], tmp_path / "new")
    found = compare_snapshots(old, new)
    assert (found.added, found.removed, found.kept) == (2, 2, 6)
    assert found.added_sample == (
        ("1975", "year_before", "1976"),
        ("Duel", "directed_by", "Steven Spielberg"),
    )
    assert found.removed_sample == (
        ("Hook", "film.performance.role", "m.0abc"),
        ("Jaws", "directed_by", "Steven Spielberg"),
    )
    assert (found.relations_gained, found.relations_lost) == (("year_before",), ("film.performance.role",))
    assert (found.entities_gained, found.entities_gained_sample) == (2, ("1976", "Duel"))
    assert (found.entities_lost, found.entities_lost_sample) == (1, ("m.0abc",))
    assert compare_snapshots(old, new, sample=1).added_sample == (("1975", "year_before", "1976"),)
    back = compare_snapshots(new, old)
    assert (back.added_sample, back.removed_sample) == (found.removed_sample, found.added_sample)


def test_nothing_changed_is_said_so(tmp_path):
    old = build(FILMS, tmp_path / "old")
    found = compare_snapshots(old, build(FILMS[::-1], tmp_path / "new"))
    assert (found.added, found.removed, found.kept) == (0, 0, len(FILMS))
    assert found.relations_gained == found.relations_lost == found.entities_gained_sample == ()


@pytest.mark.parametrize("seed", range(5))
def test_diff_agrees_with_sets(seed, tmp_path):
    before, after = set(random_facts(seed)), set(random_facts(seed + 100))
    found = compare_snapshots(build(sorted(before), tmp_path / "a"), build(sorted(after), tmp_path / "b"))
    assert set(found.added_sample) == after - before
    assert set(found.removed_sample) == before - after
    assert (found.added, found.removed, found.kept) == (
        len(after - before),
        len(before - after),
        len(after & before),
    )


@pytest.mark.parametrize("facts", [1, 7])
@pytest.mark.parametrize("strings", [1, 3])
@pytest.mark.parametrize("seed", range(3))
def test_blocks_of_any_size_tell_the_same(seed, facts, strings, tmp_path, monkeypatch):
    before = random_facts(seed, entities=40, relations=4, facts=200)
    after = [
        *before[30:],
        *random_facts(seed + 10, entities=60, relations=6, facts=50),
        ("a", "r1", "e03"),
        ("e99", "new", "z"),
    ]
    old, new = build(before, tmp_path / "old"), build(after, tmp_path / "new")
    whole = compare_snapshots(old, new, sample=1000), compare_snapshots(new, old, sample=1000)
    assert set(whole[0].added_sample) == {*after} - {*before}
    assert set(whole[0].removed_sample) == {*before} - {*after}
    assert (whole[1].added, whole[1].removed) == (whole[0].removed, whole[0].added)
    monkeypatch.setattr(comparison, "_FACTS", facts)
    monkeypatch.setattr(comparison, "_STRINGS", strings)
    assert (compare_snapshots(old, new, sample=1000), compare_snapshots(new, old, sample=1000)) == whole


@pytest.mark.parametrize("span", [1, 2, 2048])
@pytest.mark.parametrize("seed", range(5))
def test_labels_that_two_tables_share(seed, span, monkeypatch):
    monkeypatch.setattr(comparison, "_STRINGS", span)
    rng = random.Random(seed)
    words = sorted({"".join(rng.choices("aéz", k=rng.randrange(1, 5))) for _ in range(60)}, key=str.encode)
    mine, theirs = ([word for word in words if rng.random() < 0.8] for _ in range(2))
    for one, other in ((mine, theirs), (mine, []), ([], mine), (mine, mine), (words, mine)):
        expected = [other.index(word) if word in other else -1 for word in one]
        assert match_strings(table(one), table(other)).tolist() == expected


def table(words):
    raw = [word.encode() for word in words]
    offsets = np.cumsum([0, *map(len, raw)])
    return StringTable(np.frombuffer(b"".join(raw), np.uint8), offsets)


def test_a_table_of_a_snapshot_builds_it_again(tmp_path):
    first = build_snapshot(rich(), tmp_path / "first")
    again = build_snapshot(convert_to_table(first), tmp_path / "again")
    assert again.hash == first.hash
    assert again.get_entity_attributes(again.find_entity("Nowhere else")) == {"note": "alone"}
    assert again.kinds.tolist() == first.kinds.tolist()


def test_append_is_what_building_both_at_once_is(tmp_path):
    base = build(FILMS, tmp_path / "base")
    grown = build_snapshot(merge(base, TripleTable.from_facts(MORE, sources=("more.tsv",))), tmp_path / "grown")
    together = build([*FILMS, *MORE], tmp_path / "together")
    assert grown.hash == together.hash
    assert grown.manifest.sources == ("more.tsv",)
    # It heads a fact now, so it is a thing and no mere date.
    assert grown.get_kind(grown.find_entity("1975")) == "entity"
    assert grown.kinds.tolist() == together.kinds.tolist()


@pytest.mark.parametrize("memory", [100, 2**20])
def test_files_are_added_as_they_are_read(tmp_path, memory):
    base = build_snapshot(rich(), tmp_path / "base")
    (tmp_path / "more.tsv").write_text("".join("\t".join(fact) + "\n" for fact in [*MORE, FILMS[0]]))
    (tmp_path / "more.nt").write_text("<http://x/Jaws> <http://x/in> <http://x/1975> .\n")
    files = [tmp_path / "more.tsv", tmp_path / "more.nt"]
    grown, _ = build_from_files(files, tmp_path / "grown", problems=print, base=base, memory=memory)
    held = build_snapshot(merge(base, read_graph(files, problems=print)), tmp_path / "held")
    assert grown.hash == held.hash
    assert grown.manifest.duplicates == held.manifest.duplicates == 2
    assert facts_of(grown) == sorted([*FILMS, *MORE[1:], ("Jaws", "http://x/in", "1975")])
    assert grown.get_fact_attributes(facts_of(grown).index(FILMS[1])) == {"since": "1991"}
    assert grown.passages.get_fact_passages(facts_of(grown).index(FILMS[3])).tolist() == [1]
    # A graph that has IRIs is asked which of its nodes are meant.
    again, _ = build_from_files(files[1], tmp_path / "again", problems=print, base=grown, memory=memory)
    assert again.hash == grown.hash


@pytest.mark.parametrize("seed", range(4))
def test_removal_agrees_with_sets(seed, tmp_path):
    before, gone = set(random_facts(seed, facts=60)), set(random_facts(seed + 50, facts=60))
    base = build(sorted(before), tmp_path / "base")
    left = build_snapshot(remove_facts(base, TripleTable.from_facts(sorted(gone))), tmp_path / "left")
    assert facts_of(left) == sorted(before - gone)
    assert {*left.entity_labels} == {end for head, _, tail in before - gone for end in (head, tail)}
    assert left.hash == build(sorted(before - gone), tmp_path / "again").hash


def test_append_keeps_passages_and_attributes(tmp_path):
    base = build_snapshot(rich(), tmp_path / "base")
    more = TripleTable.from_facts(
        [("Duel", "in_language", "English"), FILMS[3]],
        passages=[Passage(0, "three", "", "Text three."), Passage(1, "two", "", "Better text.")],
        fact_passages=[(0, 0), (1, 0), (0, 1)],
        node_attributes=[("Duel", "rating", "PG")],
        fact_attributes=[(0, "since", "1971")],
    )
    grown = build_snapshot(merge(base, more), tmp_path / "grown")
    passages = grown.passages
    assert [passages.get_name(i) for i in range(len(passages))] == ["one", "three", "two"]
    assert passages.get_text(2) == "Better text."
    of = {fact: [passages.get_name(p) for p in passages.get_fact_passages(i)] for i, fact in enumerate(facts_of(grown))}
    assert of[FILMS[0]] == ["one"]
    assert of[FILMS[3]] == ["three", "two"]
    assert of["Duel", "in_language", "English"] == ["three", "two"]
    since = {fact: dict(grown.get_fact_attributes(i)) for i, fact in enumerate(facts_of(grown))}
    assert since[FILMS[1]] == {"since": "1991"}
    assert since["Duel", "in_language", "English"] == {"since": "1971"}
    assert grown.get_entity_attributes(grown.find_entity("Jaws")) == {"rating": "PG"}


def test_removal_takes_facts_and_what_only_they_named(tmp_path):
    base = build_snapshot(rich(), tmp_path / "base")
    gone = TripleTable.from_facts([FILMS[0], FILMS[3], FILMS[5], FILMS[7], ("Jaws", "never", "said")])
    left = build_snapshot(remove_facts(base, gone), tmp_path / "left")
    assert facts_of(left) == sorted(FILMS[i] for i in (1, 2, 4, 6))
    assert left.find_entity("m.0abc") is None
    assert left.find_entity("Jaws") is None
    assert left.find_entity("Nowhere else") is not None
    assert left.manifest.entity_attributes == 1
    since = [dict(left.get_fact_attributes(i)) for i in range(left.num_triples)]
    assert since == [{"since": "1991"}, {}, {}, {}]
    assert len(left.passages) == 2
    assert [left.passages.get_fact_passages(i).tolist() for i in range(4)] == [[], [], [], []]


def test_removal_of_passages_keeps_the_links_of_others(tmp_path):
    base = build_snapshot(rich(), tmp_path / "base")
    gone = TripleTable.from_facts([], passages=[Passage(0, "one", "", "")])
    left = build_snapshot(remove_facts(base, gone), tmp_path / "left")
    assert [left.passages.get_name(i) for i in range(len(left.passages))] == ["two"]
    fact = facts_of(left).index(FILMS[3])
    assert left.passages.get_fact_passages(fact).tolist() == [0]
    assert left.num_triples == len(FILMS)


def test_rdf_nodes_meet_by_iri(tmp_path):
    def read(name, text):
        (tmp_path / name).write_text(text)
        return read_graph([tmp_path / name], problems=lambda p: None)

    label = "<http://www.w3.org/2000/01/rdf-schema#label>"
    base = build_snapshot(
        read("a.nt", f'<http://x/1> {label} "Paris" .\n<http://x/1> <http://x/in> <http://x/France> .\n'),
        tmp_path / "base",
    )
    adding = read(
        "b.nt",
        "<http://x/1> <http://x/size> <http://x/big> .\n"
        f'<http://y/2> {label} "Paris" .\n<http://y/2> <http://x/in> <http://x/Texas> .\n',
    )
    grown = build_snapshot(merge(base, adding), tmp_path / "grown")
    # The first has its label from the base; the other Paris is another place.
    assert facts_of(grown) == [
        ("Paris", "http://x/in", "France"),
        ("Paris", "http://x/size", "big"),
        ("Paris [http://y/2]", "http://x/in", "Texas"),
    ]
    assert grown.get_entity_iri(grown.find_entity("Paris")) == "http://x/1"


def test_a_diff_is_plain_enough_for_json(tmp_path):
    from dataclasses import asdict

    one = build_snapshot(rich(), tmp_path / "one")
    two = build_snapshot(rich(passages=("two", "three"), links=()), tmp_path / "two")
    found = compare_snapshots(one, two)
    assert (found.passages_gained, found.passages_lost) == (1, 1)
    assert json.loads(json.dumps(asdict(found)))["kept"] == len(FILMS)


def test_a_graph_of_passages_alone_grows(tmp_path):
    base = build_snapshot(TripleTable.from_facts([], passages=[Passage(0, "one", "", "Text.")]), tmp_path / "base")
    grown = build_snapshot(merge(base, TripleTable.from_facts(FILMS[:1])), tmp_path / "grown")
    assert (grown.num_triples, len(grown.passages)) == (1, 1)
    assert build_frame([], label=str).height == 0
