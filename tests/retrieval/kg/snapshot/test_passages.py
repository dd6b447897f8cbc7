"""Passages and attributes come back exactly as they were given, and a graph without them knows of none."""

import pickle
import shutil

import numpy as np
import pytest

from retrieval.errors import DamagedError, EmptySourceError, SnapshotError, SourceError
from retrieval.kg import search, snapshot
from retrieval.kg.build import build_snapshot
from retrieval.kg.snapshot import integrity
from retrieval.kg.snapshot.restriction import RestrictedSnapshot
from retrieval.kg.table import TripleTable
from retrieval.linking.entity_index import EntityIndex
from retrieval.types import Passage
from tests.retrieval.kg.worlds import FILMS, build

FACTS = [
    ("Spielberg", "directed", "Jaws"),
    ("Jaws", "released in", "1975"),
    ("Spielberg", "directed", "Jaws"),
    ("Hook", "stars", "Robin Williams"),
]
PASSAGES = [
    Passage(0, "p9", "Jaws", "Jaws is a film of 1975 by Spielberg.", "films.txt", "https://example.org/jaws"),
    Passage(1, "p10", "Hook", "Robin Williams is Peter.", "films.txt"),
    Passage(2, "ä", "", "Spielberg directed Jaws."),
]
LINKS = [(0, 0), (1, 0), (2, 2), (3, 1), (3, 1)]
NODES = [
    ("Jaws", "type", "Film"),
    ("Spielberg", "type", "Person"),
    ("Spielberg", "alias", "Steven Spielberg"),
    ("Spielberg", "alias", "Mr S"),
    ("Indiana", "type", "Place"),
    ("Jaws", "type", "Film"),
]
EDGES = [
    (0, "sentence", "Jaws is by Spielberg."),
    (2, "sentence", "Spielberg directed Jaws."),
    (3, "weight", "1"),
]


def table():
    return TripleTable.from_facts(
        FACTS, passages=PASSAGES, fact_passages=LINKS, node_attributes=NODES, fact_attributes=EDGES
    )


@pytest.fixture
def films(tmp_path):
    return build_snapshot(table(), tmp_path / "films")


def fact(graph, head, relation, tail):
    ids = graph.find_entity(head), graph.find_relation(relation), graph.find_entity(tail)
    found = graph.find_fact(*ids)
    assert found is not None
    return found


def test_passages_are_kept_in_their_order_and_found_by_name(films):
    passages = films.passages
    assert [passages.get_passage(i) for i in range(len(passages))] == PASSAGES
    assert [passages.find(name) for name in ("p9", "p10", "ä", "p", "", "z")] == [0, 1, 2, None, None, None]
    assert passages.get_texts([2, 0]) == [PASSAGES[2].text, PASSAGES[0].text]
    assert (passages.get_name(1), passages.get_title(1), passages.get_text(1)) == (
        "p10",
        "Hook",
        "Robin Williams is Peter.",
    )
    with pytest.raises(DamagedError):
        passages.get_passage(3)


@pytest.mark.parametrize("piece", [1, 10, 1000])
def test_texts_are_searched_in_any_case_and_not_across_passages(tmp_path, monkeypatch, piece):
    monkeypatch.setattr("retrieval.kg.snapshot.passages.PIECE", piece)
    words = ["Jaws is", "ISLAND ä.b", "Jaws Ä.B jaws"]
    given = [Passage(i, str(i), title, text) for i, (title, text) in enumerate(zip("xyz", words, strict=True))]
    passages = build_snapshot(TripleTable.from_facts([], passages=given), tmp_path / "g").passages
    found = {text: passages.find_containing(text).tolist() for text in ("jaws", "Is", "sI", "Ä.b", "Ä?", "Z", "")}
    assert found == {"jaws": [0, 2], "Is": [0, 1], "sI": [], "Ä.b": [1, 2], "Ä?": [], "Z": [2], "": []}


def test_a_fact_given_twice_has_the_passages_and_attributes_of_both(films):
    directed = fact(films, "Spielberg", "directed", "Jaws")
    released, stars = (
        fact(films, "Jaws", "released in", "1975"),
        fact(films, "Hook", "stars", "Robin Williams"),
    )
    assert films.num_triples == 3
    assert [films.passages.get_fact_passages(f).tolist() for f in (directed, released, stars)] == [[0, 2], [0], [1]]
    assert films.passages.get_passage_facts(0).tolist() == sorted([directed, released])
    assert films.passages.get_passage_facts(1).tolist() == [stars]
    assert films.passages.get_passage_facts(2).tolist() == [directed]
    assert films.get_fact_attributes(directed) == {"sentence": "Jaws is by Spielberg.; Spielberg directed Jaws."}
    assert films.get_fact_attributes(stars) == {"weight": "1"}
    assert films.get_fact_attributes(released) == {}


def test_attributes_of_nodes_and_a_node_of_no_fact(films):
    assert films.get_entity_attributes(films.find_entity("Jaws")) == {"type": "Film"}
    assert films.get_entity_attributes(films.find_entity("Spielberg")) == {
        "alias": "Mr S; Steven Spielberg",
        "type": "Person",
    }
    assert films.get_entity_attributes(films.find_entity("Indiana")) == {"type": "Place"}
    assert films.get_degree(films.find_entity("Indiana")) == 0
    assert films.get_entity_attributes(films.find_entity("1975")) == {}
    assert (films.manifest.passages, films.manifest.entity_attributes, films.manifest.fact_attributes) == (
        3,
        5,
        3,
    )


def test_what_is_known_of_an_entity_helps_to_find_and_to_tell_it(films, tmp_path):
    spielberg = films.find_entity("Spielberg")
    match = films.labels.search("steven spielberg", 5)[0]
    assert (match.entity, match.source, match.name) == (spielberg, "alias", "steven spielberg")
    assert films.labels.resolve("Mr S") == spielberg
    assert [films.describe_entity(films.find_entity(name)) for name in ("Jaws", "1975")] == ["Film", ""]
    given = [("Jaws", "type", "Film"), ("Jaws", "description", "b" * 300)]
    long = build_snapshot(TripleTable.from_facts(FACTS, node_attributes=given), tmp_path / "long")
    assert long.describe_entity(long.find_entity("Jaws")) == "Film: " + "b" * 193 + "…"


def test_the_hash_covers_them_and_a_plain_graph_has_its_former_hash(films, tmp_path):
    hashes = {films.hash, build(FACTS, tmp_path / "plain").hash}
    for name in ("passages", "fact_passages", "node_attributes", "fact_attributes"):
        given = {
            "passages": PASSAGES,
            "fact_passages": LINKS,
            "node_attributes": NODES[:4],
            "fact_attributes": EDGES,
        }
        given[name] = given[name][:-1]
        if name == "passages":
            given["fact_passages"] = LINKS[:2]
        hashes.add(build_snapshot(TripleTable.from_facts(FACTS, **given), tmp_path / name).hash)
    assert len(hashes) == 6
    assert build(FILMS, tmp_path / "g").hash == "d15a221b66accd1b00d2dfae6ab84c671c47e8da67ee22f32a6c3bf20107458e"
    snapshot.verify(films)
    texts = np.load(films.path / "passage_texts.utf8.npy")
    texts[0] += 1
    np.save(films.path / "passage_texts.utf8.npy", texts)
    integrity.write_checksums(films.path)
    with pytest.raises(SnapshotError, match="does not match its hash"):
        snapshot.verify(snapshot.open(films.path))


def test_a_plain_graph_has_no_more_files(tmp_path):
    plain = build(FILMS, tmp_path / "plain")
    assert not [p.name for p in plain.path.iterdir() if "passage" in p.name or "attribute" in p.name]
    assert plain.passages is None
    assert plain.get_entity_attributes(0) == plain.get_fact_attributes(0) == {}


def test_a_restriction_keeps_them_under_its_own_fact_numbers(films):
    stars, directed = (
        fact(films, "Hook", "stars", "Robin Williams"),
        fact(films, "Spielberg", "directed", "Jaws"),
    )
    assert len(films.passages) == 3
    whole = RestrictedSnapshot(films, [stars, directed])
    assert [whole.passages.get_fact_passages(f).tolist() for f in (0, 1)] == [[1], [0, 2]]
    assert [whole.passages.get_passage_facts(i).tolist() for i in range(3)] == [[1], [0], [1]]
    assert whole.passages.get_passage(2) == PASSAGES[2]
    assert whole.get_fact_attributes(0) == {"weight": "1"}
    assert whole.get_entity_attributes(films.find_entity("Jaws")) == {"type": "Film"}
    small = RestrictedSnapshot(whole, [1])
    assert small.passages.get_fact_passages(0).tolist() == [0, 2]
    assert small.get_fact_attributes(0) == films.get_fact_attributes(directed)
    compact = small.compact
    assert [compact.get_entity_attributes(e).get("type") for e in range(2)] == ["Film", "Person"]
    assert compact.get_fact_attributes(0) == films.get_fact_attributes(directed)
    assert compact.passages is small.passages
    none = RestrictedSnapshot(films, [])
    assert len(none.passages) == 3
    assert none.passages.get_passage_facts(0).tolist() == []


def test_opened_again_and_pickled(films):
    for copy in (snapshot.open(films.path), pickle.loads(pickle.dumps(films))):
        assert copy.passages.get_passage(0) == PASSAGES[0]
        assert copy.passages.get_fact_passages(0).tolist() == films.passages.get_fact_passages(0).tolist()
        assert copy.get_entity_attributes(copy.find_entity("Jaws")) == {"type": "Film"}


def test_passages_alone_make_a_graph_without_facts(tmp_path):
    graph = build_snapshot(TripleTable.from_facts([], passages=PASSAGES), tmp_path / "corpus")
    assert (graph.num_entities, graph.num_relations, graph.num_triples) == (0, 0, 0)
    assert [graph.passages.get_passage(i) for i in range(3)] == PASSAGES
    assert graph.passages.get_passage_facts(0).tolist() == []
    snapshot.verify(graph)
    assert graph.labels.search("Jaws", 5) == []
    assert graph.labels.resolve("Jaws") is None
    assert graph.find_entity("Jaws") is None
    assert graph.count_facts_by_relation().tolist() == []
    candidates = search.collect_k_hop(graph, [], 2, max_triples=10)
    assert (candidates.entities.tolist(), candidates.facts.tolist()) == ([], [])
    assert RestrictedSnapshot(graph, []).passages.get_texts([1]) == ["Robin Williams is Peter."]
    assert EntityIndex.open(graph).search("Jaws") == []


def test_neither_facts_nor_passages_are_refused_and_names_are_unique(tmp_path):
    with pytest.raises(EmptySourceError):
        build_snapshot(
            TripleTable.from_facts([], node_attributes=[("Jaws", "description", "A shark.")]), tmp_path / "a"
        )
    with pytest.raises(SourceError, match="Two passages are named p9"):
        build_snapshot(TripleTable.from_facts([], passages=[PASSAGES[0], PASSAGES[0]]), tmp_path / "b")
    assert list(tmp_path.iterdir()) == []


def test_damaged_files_are_noticed(films, tmp_path):
    names = [p.name for p in films.path.glob("*.npy") if "passage" in p.name or "attribute" in p.name]
    assert len(names) == 25
    for victim in names:
        copy = tmp_path / "copy"
        shutil.copytree(films.path, copy)
        whole = (copy / victim).read_bytes()
        (copy / victim).write_bytes(whole[: len(whole) // 2])
        with pytest.raises(SnapshotError):
            snapshot.open(copy).passages  # noqa: B018
        shutil.rmtree(copy)


def test_rows_are_told_which_fact_they_became(tmp_path):
    """Whether facts are sorted as one number, or by columns because their ids would not fit one."""
    graphs = []
    for name, bits in (("one", 64), ("columns", 0)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("retrieval.kg.build.facts.KEY_BITS", bits)
            graphs.append(build_snapshot(table(), tmp_path / name))
    first, other = graphs
    for array in sorted(path.name for path in first.path.glob("*.npy")):
        assert (first.path / array).read_bytes() == (other.path / array).read_bytes(), array


def test_columns_are_written_in_pieces(tmp_path, monkeypatch):
    monkeypatch.setattr("retrieval.kg.build.columns.ROWS", 2)
    graph = build_snapshot(table(), tmp_path / "pieces")
    assert [graph.passages.get_passage(i) for i in range(3)] == PASSAGES
    assert list(graph.entity_labels) == ["1975", "Hook", "Indiana", "Jaws", "Robin Williams", "Spielberg"]
