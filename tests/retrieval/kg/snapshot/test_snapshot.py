"""A snapshot holds exactly what was given, whatever the order, and refuses what is damaged."""

import json
import pickle
import shutil

import numpy as np
import pytest

from retrieval.errors import EmptySourceError, SnapshotError
from retrieval.kg import snapshot
from retrieval.kg.build import build_snapshot
from retrieval.kg.snapshot import integrity
from retrieval.kg.snapshot.relation_names import format_directed_relation, format_relation_name
from retrieval.kg.table import TripleTable
from retrieval.types import Node, RelationStep
from tests.retrieval.kg.worlds import FILMS, build, random_facts


@pytest.fixture
def films(tmp_path):
    return build(FILMS, tmp_path / "films")


def labelled(graph):
    return [
        (graph.get_entity_label(h), graph.get_relation_name(r), graph.get_entity_label(t))
        for h, r, t in zip(graph.heads, graph.relations, graph.tails, strict=True)
    ]


def test_facts_are_kept_once_and_sorted(tmp_path):
    graph = build([*FILMS, FILMS[0], FILMS[0]], tmp_path / "g")
    assert labelled(graph) == sorted(FILMS)
    assert (graph.manifest.entities, graph.manifest.relations, graph.manifest.triples) == (8, 5, 8)
    assert graph.manifest.duplicates == 2


def test_hash_is_of_the_content_not_of_its_order(tmp_path):
    first = build(FILMS, tmp_path / "a")
    again = build(FILMS[::-1] + FILMS[:3], tmp_path / "b")
    other = build(FILMS[:-1], tmp_path / "c")
    assert first.hash == again.hash
    assert first.hash != other.hash
    assert len(first.hash) == 64


def test_adjacency_agrees_with_the_facts(tmp_path):
    graph = build(random_facts(3), tmp_path / "g")
    for e in range(graph.num_entities):
        assert [i for i, h in enumerate(graph.heads) if h == e] == list(graph.get_out_edges(e))
        assert {i for i, t in enumerate(graph.tails) if t == e} == set(graph.get_in_edges(e).tolist())
        assert graph.get_degree(e) == len(graph.get_out_edges(e)) + len(graph.get_in_edges(e))
        keys = [(graph.relations[i], graph.heads[i]) for i in graph.get_in_edges(e)]
        assert keys == sorted(keys)
    assert graph.get_degrees(np.arange(graph.num_entities)).sum() == 2 * graph.num_triples
    assert (graph.heads[graph.in_order] == graph.in_heads).all()


def test_find_and_has(films):
    jaws, hook = films.find_entity("Jaws"), films.find_entity("Hook")
    spielberg, directed = films.find_entity("Steven Spielberg"), films.find_relation("directed_by")
    assert films.has(jaws, directed, spielberg)
    assert films.has(hook, directed, spielberg)
    assert not films.has(spielberg, directed, jaws)
    assert not films.has(10_000, directed, jaws)
    assert not films.has(jaws, -1, spielberg)
    assert films.find_entity("jaws") is None
    assert films.find_entity("") is None
    assert films.find_entity("zzz") is None
    everything = {tuple(map(int, t)) for t in zip(films.heads, films.relations, films.tails, strict=True)}
    n, r = films.num_entities, films.num_relations
    for fact in ((h, k, t) for h in range(n) for k in range(r) for t in range(n)):
        assert films.has(*fact) == (fact in everything)


def test_nodes_steps_and_hops(films):
    assert films.get_node(films.find_entity("m.0abc")) == Node(films.find_entity("m.0abc"), "m.0abc", "cvt")
    assert films.get_kind(films.find_entity("1975")) == "literal"
    assert films.get_kind(films.find_entity("Hook")) == "entity"
    role = films.find_relation("film.performance.role")
    assert films.get_relation_step(role, True) == RelationStep("film.performance.role", "role", True)
    arc = films.find_fact(films.find_entity("Jaws"), films.find_relation("release_year"), films.find_entity("1975"))
    forward, backward = films.get_hop(arc), films.get_hop(arc + films.num_triples)
    assert (forward.source.label, forward.step.inverse, forward.target.label) == ("Jaws", False, "1975")
    assert (backward.source.label, backward.step.inverse, backward.target.label) == ("1975", True, "Jaws")
    assert forward.verified


def test_a_number_that_heads_a_fact_is_an_entity(tmp_path):
    graph = build([("1984", "written_by", "Orwell"), ("Emma", "published", "1815")], tmp_path / "g")
    assert graph.get_kind(graph.find_entity("1984")) == "entity"
    assert graph.get_kind(graph.find_entity("1815")) == "literal"


def test_opened_again_and_pickled_by_path(films):
    for copy in (snapshot.open(films.path), pickle.loads(pickle.dumps(films))):
        assert labelled(copy) == sorted(FILMS)
        assert copy.manifest == films.manifest
    snapshot.verify(films)
    assert len(pickle.dumps(films)) < 1000


def test_rebuilding_in_place_replaces_and_leaves_no_rubbish(films, tmp_path):
    build(FILMS[:2], films.path)
    assert snapshot.open(films.path).num_triples == 2
    assert [p.name for p in tmp_path.iterdir()] == ["films"]


def test_a_failed_build_leaves_the_old_snapshot(films, monkeypatch, tmp_path):
    def stop(progress):
        if progress.stage == "writing labels":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_snapshot(TripleTable.from_facts(FILMS[:2]), films.path, progress=stop)
    assert snapshot.open(films.path).num_triples == len(FILMS)
    assert [p.name for p in tmp_path.iterdir()] == ["films"]


def test_damaged_and_foreign_directories_are_refused(films, tmp_path):
    with pytest.raises(SnapshotError, match="not a snapshot"):
        snapshot.open(tmp_path / "nowhere")
    foreign = tmp_path / "foreign"
    foreign.mkdir()
    (foreign / "thesis.txt").write_text("keep me")
    with pytest.raises(SnapshotError, match="not a snapshot"):
        snapshot.open(foreign)
    with pytest.raises(SnapshotError, match="not a snapshot"):
        build(FILMS, foreign)
    assert (foreign / "thesis.txt").read_text() == "keep me"
    for victim in sorted(p.name for p in films.path.glob("*.npy")):
        copy = tmp_path / "copy"
        shutil.copytree(films.path, copy)
        whole = (copy / victim).read_bytes()
        (copy / victim).write_bytes(whole[: len(whole) // 2])
        with pytest.raises(SnapshotError):
            snapshot.open(copy).labels  # noqa: B018
        shutil.rmtree(copy)


def test_another_version_is_refused_and_changed_content_is_noticed(films):
    heads = np.load(films.path / "heads.npy")
    heads[0] += 1
    np.save(films.path / "heads.npy", heads)
    integrity.write_checksums(films.path)
    with pytest.raises(SnapshotError, match="does not match its hash"):
        snapshot.verify(snapshot.open(films.path))
    manifest = json.loads((films.path / "manifest.json").read_text())
    manifest["format_version"] = 99
    (films.path / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(SnapshotError, match="format 99"):
        snapshot.open(films.path)


def test_no_fact_no_snapshot(tmp_path):
    with pytest.raises(EmptySourceError):
        build([], tmp_path / "g")
    assert not (tmp_path / "g").exists()


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("directed_by", "directed by"),
        ("location.country.languages_spoken", "languages spoken"),
        ("/film/film/genre", "genre"),
        ("__people__person__gender", "gender"),
        ("birthPlace", "birth place"),
        ("pH", "ph"),
        ("soil pH", "soil ph"),
        ("/award/award_nominee/award_nominations./award/award_nomination/award", "award"),
        ("film.actor.film..film.performance.character", "character"),
        ("http://dbpedia.org/ontology/birthPlace", "birth place"),
        ("http://www.w3.org/1999/02/22-rdf-syntax-ns#type", "type"),
        ("P31", "P31"),
        ("parentTVShow", "parent TV show"),
        ("Capital Of", "capital of"),
        ("spouse", "spouse"),
        ("___", "___"),
        ("born in 1.5", "born in 1.5"),
    ],
)
def test_humanise_relation(name, label):
    assert format_relation_name(name) == label


def test_relation_text():
    assert format_directed_relation("directed by", False) == "directed by"
    assert format_directed_relation("directed by", True) == "inverse of directed by"
