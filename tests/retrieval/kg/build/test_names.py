"""Names of entities in languages: read from RDF, kept in a snapshot, found in questions, and chosen for a reader."""

from __future__ import annotations

from pathlib import Path

import pytest

from retrieval.kg import snapshot as snapshots
from retrieval.kg.build.edits import apply_edits
from retrieval.kg.build.from_files import build_from_files, write_version
from retrieval.kg.build.from_table import build_snapshot
from retrieval.kg.build.to_table import convert_to_table
from retrieval.kg.build.versions import merge
from retrieval.kg.edits.operations import MergeEntities, RenameEntity, RevertEffect
from retrieval.kg.readers import ReadOptions, read_graph, read_model
from retrieval.kg.snapshot import Snapshot
from retrieval.kg.snapshot.labels import normalize_name
from retrieval.kg.snapshot.names import LanguageName, match_languages, normalize_language, parse_languages
from retrieval.kg.snapshot.snapshot import verify
from retrieval.kg.table import TripleTable

RDFS = "http://www.w3.org/2000/01/rdf-schema#"
THESAURUS = """
@prefix : <http://example.org/> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
:c1 a skos:Concept ; skos:prefLabel "Dog"@en, "Hund"@de, "cachorro"@pt-br, "cão"@PT ;
  skos:altLabel "Hound"@en, "Köter"@de .
:c2 a skos:Concept ; skos:prefLabel "Animal"@en, "Tier"@de ; skos:narrower :c1 .
:c3 a skos:Concept ; skos:prefLabel "Katze"@de ; skos:broader :c2 .
"""


def build(tmp_path: Path, text: str, name: str = "animals.ttl") -> Snapshot:
    source = tmp_path / name
    source.write_text(text, encoding="utf-8")
    return build_from_files([source], tmp_path / f"graph-{name}", problems=[].append)[0]


def find(graph: Snapshot, label: str) -> int:
    entity = graph.find_entity(label)
    assert entity is not None
    return entity


def list_names(graph: Snapshot, label: str) -> list[tuple[str, str, bool]]:
    assert graph.names is not None
    return [(name.language, name.name, name.is_main) for name in graph.names.list_names(find(graph, label))]


def test_rdf_labels_keep_their_language(tmp_path: Path) -> None:
    graph = build(tmp_path, THESAURUS)
    assert list_names(graph, "Dog") == [
        ("de", "Hund", True),
        ("de", "Köter", False),
        ("en", "Dog", True),
        ("en", "Hound", False),
        ("pt", "cão", True),
        ("pt-BR", "cachorro", True),
    ]
    assert list_names(graph, "Katze") == [("de", "Katze", True)]
    assert graph.names is not None
    assert graph.names.count_languages() == [("de", 3), ("en", 2), ("pt", 1), ("pt-BR", 1)]
    verify(graph)


@pytest.mark.parametrize(
    ("preferred", "name"),
    [
        (("de",), "Hund"),
        (("de-AT", "en"), "Hund"),
        (("pt-BR",), "cachorro"),
        (("pt-PT",), "cão"),
        (("fr", "en"), "Dog"),
        (("fr",), None),
    ],
)
def test_reader_sees_the_name_in_the_language(tmp_path: Path, preferred: tuple[str, ...], name: str | None) -> None:
    graph = build(tmp_path, THESAURUS)
    assert graph.names is not None
    languages = match_languages(preferred, [language for language, _ in graph.names.count_languages()])
    assert graph.names.find_name(find(graph, "Dog"), languages) == name


def test_entity_without_a_name_in_the_language_keeps_its_label(tmp_path: Path) -> None:
    graph = build(tmp_path, THESAURUS)
    assert graph.names is not None
    assert graph.names.find_name(find(graph, "Katze"), ("en",)) is None


@pytest.mark.parametrize("name", ["Hund", "köter", "cachorro", "cao", "Hound", "Tier"])
def test_names_of_all_languages_are_found(tmp_path: Path, name: str) -> None:
    graph = build(tmp_path, THESAURUS)
    match = graph.labels.search(name)[0]
    assert match.node.label == ("Animal" if name == "Tier" else "Dog")


def test_json_ld_language_maps_are_names(tmp_path: Path) -> None:
    graph = build(
        tmp_path,
        '{"@context": {"@vocab": "http://schema.org/", "name": {"@id": "name", "@container": "@language"}}, "@graph": ['
        ' {"@id": "http://e/1", "@type": "City", "name": {"de": "Köln", "en": "Cologne", "en_US": "?"}},'
        ' {"@id": "http://e/2", "@type": "River", "flowsThrough": {"@id": "http://e/1"},'
        ' "name": {"de": "Rhein", "fr": "Rhin"}}]}',
        "places.jsonld",
    )
    assert list_names(graph, "Cologne") == [("de", "Köln", True), ("en", "Cologne", True)]
    assert list_names(graph, "Rhein") == [("de", "Rhein", True), ("fr", "Rhin", True)]


def list_facts(graph: Snapshot) -> list[tuple[str, str, str]]:
    rows = zip(graph.heads.tolist(), graph.relations.tolist(), graph.tails.tolist(), strict=True)
    label = graph.get_entity_label
    return sorted((label(head), graph.get_relation_label(relation), label(tail)) for head, relation, tail in rows)


def test_labels_with_a_language_are_no_facts(tmp_path: Path) -> None:
    graph = build(
        tmp_path,
        """@prefix : <http://e/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
        :rhine rdfs:label "Rhine"@en, "Rhein"@de ; skos:altLabel "Old Rhine"@en, "Rhenus" ;
          :motto "Ewig"@de ; :to :sea .
        :sea rdfs:label "North Sea" ; skos:prefLabel "German Ocean" ; rdfs:label "Nordsee"@de .
        :lake skos:altLabel "Bodensee"@de ; :to :rhine .""",
    )
    assert list_facts(graph) == [
        ("North Sea", "pref label", "German Ocean"),
        ("Rhine", "alt label", "Rhenus"),
        ("Rhine", "motto", "Ewig"),
        ("Rhine", "to", "North Sea"),
        ("lake", "to", "Rhine"),
    ]
    assert list_names(graph, "lake") == [("de", "Bodensee", True)]
    assert graph.labels.search("Nordsee")[0].node.label == "North Sea"


XL = """@prefix : <http://e/> . @prefix xl: <http://www.w3.org/2008/05/skos-xl#> .
:l1 a xl:Label ; xl:literalForm "Mercury"@en ; :source "IUPAC" . :l4 a xl:Label ; xl:literalForm "unused"@en .
:hg a :Element ; xl:prefLabel :l1, :l2, [ xl:literalForm "mercure"@fr ] ; xl:altLabel :l3 ; xl:hiddenLabel :lost .
:l2 xl:literalForm "Quecksilber"@de . :l3 a xl:Label ; xl:literalForm "quicksilver"@en .
"""


def test_labels_of_skos_xl_are_names(tmp_path: Path) -> None:
    graph = build(tmp_path, XL)
    assert list_names(graph, "Mercury") == [
        ("de", "Quecksilber", True),
        ("en", "Mercury", True),
        ("en", "quicksilver", False),
        ("fr", "mercure", True),
    ]
    assert list_facts(graph) == [
        ("Mercury", "hidden label", "lost"),
        ("Mercury", "type", "Element"),
        ("l1", "source", "IUPAC"),
        ("l4", "literal form", "unused"),
        ("l4", "type", "Label"),
    ]


CITIES = [("de", "Köln", True), ("en", "Cologne", True), ("pt-BR", "Colônia", True)]
GRAPHML = (
    '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><key id="a" for="node" attr.name="name_de"/>'
    '<key id="b" for="node" attr.name="name:en"/><key id="c" for="node" attr.name="name_pt_BR"/><graph>'
    '<node id="1"><data key="a">Köln</data><data key="b">Cologne</data><data key="c">Colônia</data></node>'
    '<node id="2"><data key="b">Bonn</data></node><edge source="1" target="2" label="near"/></graph></graphml>'
)
NODES = (
    '[{"id": 1, "type": "City", "name": {"de": "Köln", "en": "Cologne", "pt-BR": "Colônia"}},'
    ' {"id": 2, "type": "City", "name": {"en": "Bonn"}}, {"source": 1, "relation": "near", "target": 2}]'
)
ROWS = (
    '[{"size": 9, "name": {"de": "Köln", "en": "Cologne", "pt-BR": "Colônia"}}, {"size": 3, "name": {"en": "Bonn"}},'
    ' {"size": 5, "name": {"en": "Aachen", "fr": "Aix"}}, {"size": 4, "name": {"en": "Trier", "it": "Treviri"}},'
    ' {"size": 2, "name": {"en": "Mainz", "es": "Maguncia"}}]'
)


CYPHER = (
    "CREATE (a:City {name_de: 'Köln', name_en: 'Cologne', name_pt_BR: 'Colônia'})-[:NEAR]->(b:City {name_en: 'Bonn'})"
)


@pytest.mark.parametrize(
    ("text", "file"),
    [
        (GRAPHML, "cities.graphml"),
        (NODES, "nodes.json"),
        (ROWS, "rows.json"),
        ("id,type,name_de,name:en,name_pt_BR\n1,City,Köln,Cologne,Colônia\n2,City,,Bonn,\n", "nodes.csv"),
        (CYPHER, "cities.cypher"),
    ],
)  # fmt: skip
def test_nodes_have_names_in_languages(tmp_path: Path, text: str, file: str) -> None:
    graph = build(tmp_path, text, file)
    assert list_names(graph, "Cologne") == CITIES
    assert list_names(graph, "Bonn") == [("en", "Bonn", True)]
    assert graph.labels.search("Köln")[0].node.label == "Cologne"
    assert "Köln" not in {tail for _, _, tail in list_facts(graph)}


@pytest.mark.parametrize("key", ["name_no", "name of", "mayor_de", "title_text", "name_de_luxe"])
def test_other_properties_are_no_names(tmp_path: Path, key: str) -> None:
    nodes = f'[{{"id": 1, "name": "Rome", "{key}": "Leo"}}, {{"source": 1, "relation": "near", "target": 1}}]'
    assert build(tmp_path, nodes, "nodes.json").names is None


@pytest.mark.parametrize("order", [("Bo", "Ann"), ("Ann", "Bo")])
def test_of_two_labels_of_a_language_one_is_shown(tmp_path: Path, order: tuple[str, str]) -> None:
    names = ", ".join(f'"{name}"@sv' for name in order)
    graph = build(
        tmp_path,
        f"@prefix rdfs: <{RDFS}> .\n<http://e/1> rdfs:label {names} ; <http://e/age> 7 .",
    )
    shown, other = order  # the first of the file is what the entity is called without a language
    assert list_names(graph, shown) == [("sv", shown, True), ("sv", other, False)]


def test_graph_without_languages_has_no_names_and_the_same_hash(tmp_path: Path) -> None:
    text = (
        '<http://e/1> <http://www.w3.org/2000/01/rdf-schema#label> "Bo" .\n<http://e/1> <http://e/p> <http://e/2> .\n'
    )
    graph = build(tmp_path, text)
    assert graph.names is None
    assert not list(graph.path.glob("entity_name*"))
    plain = build_snapshot(TripleTable.from_facts([("Bo", "http://e/p", "2")]), tmp_path / "plain")
    assert graph.hash == plain.hash


def test_names_survive_versions(tmp_path: Path) -> None:
    graph = build(tmp_path, THESAURUS)
    again = build_snapshot(convert_to_table(graph), tmp_path / "again")
    assert again.hash == graph.hash
    more = tmp_path / "more.ttl"
    more.write_text(
        "@prefix : <http://example.org/> .\n@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n"
        ':c3 skos:prefLabel "Cat"@en, "Chat"@fr ; skos:related :c1 .\n'
    )
    merged = build_snapshot(merge(graph, read_graph(more, problems=[].append)), tmp_path / "merged")
    assert list_names(merged, "Katze") == [("de", "Katze", True), ("en", "Cat", True), ("fr", "Chat", True)]
    write_version([more], tmp_path / "left", base=merged.path, removing=True, problems=[].append, progress=[].append)
    assert list_names(Snapshot(tmp_path / "left"), "Dog") == list_names(graph, "Dog")


def test_a_renamed_or_merged_entity_keeps_its_names(tmp_path: Path) -> None:
    graph = build(tmp_path, THESAURUS)
    table, outcomes = apply_edits(graph, [RenameEntity("Dog", "Doggo"), MergeEntities("Animal", "Katze")])
    edited = build_snapshot(table, tmp_path / "edited")
    assert list_names(edited, "Doggo") == list_names(graph, "Dog")
    assert list_names(edited, "Animal") == [("de", "Tier", True), ("de", "Katze", False), ("en", "Animal", True)]
    undo = [RevertEffect("", outcome.effect) for outcome in reversed(outcomes) if outcome.effect is not None]
    again, _ = apply_edits(edited, undo)
    assert build_snapshot(again, tmp_path / "undone").hash == graph.hash


def test_language_tags_are_written_alike() -> None:
    assert [normalize_language(tag) for tag in ("EN", "pt_br", "zh-hant-TW", "english please", "", "d")] == [
        *("en", "pt-BR", "zh-Hant-TW", None, None, None),
    ]


def test_accept_language_is_read() -> None:
    assert parse_languages("de-AT,de;q=0.9, en;q=0.5,*;q=0.1") == ("de-AT", "de", "en")
    assert parse_languages("en;q=0.2,fr;q=0.8,xx yy,nl;q=high,da;q=0") == ("fr", "en")
    assert parse_languages("") == ()


def test_region_falls_back_to_language_and_language_to_region() -> None:
    assert match_languages(["pt-BR"], ["en", "pt"]) == ("pt",)
    assert match_languages(["pt"], ["en", "pt-BR"]) == ("pt-BR",)
    assert match_languages(["PT-br", "en"], ["en", "pt", "pt-BR"]) == ("pt-BR", "pt", "en")
    assert LanguageName("de", "Hund", is_main=True).language == "de"


@pytest.mark.parametrize(
    ("header", "label", "names"),
    [
        ("name,name_de,name_fr,population", "Cologne", [("de", "Köln", True), ("fr", "Cologne", True)]),
        ("name_en,name_de,name_fr,population", "Cologne", [
            ("de", "Köln", True), ("en", "Cologne", True), ("fr", "Cologne", True),
        ]),
        ("name,mayor_de,alias_fr,population", "Cologne", None),
        ("name,name_no,name_id,population", "Cologne", None),
    ],
)  # fmt: skip
def test_columns_of_names_in_languages_are_names(
    tmp_path: Path, header: str, label: str, names: list[tuple[str, str, bool]] | None
) -> None:
    rows = "Cologne,Köln,Cologne,1073000\nMunich,München,,1488000\nVienna,Wien,Vienne,1982000\n"
    graph = build(tmp_path, f"{header}\n{rows}", "cities.csv")
    assert (graph.names and list_names(graph, label)) == names
    match = graph.labels.search("münchen")
    assert (match[0].node.label == "Munich") == (names is not None)


def test_the_model_counts_the_languages_of_columns(tmp_path: Path) -> None:
    path = tmp_path / "cities.csv"
    path.write_text("name,name_de,population\nCologne,Köln,1073000\nMunich,München,1488000\nVienna,,1982000\n")
    assert read_model([path]).languages == (("de", 2),)
    ignored = {"kinds": [{"table": "cities.csv", "columns": [{"name": "name_de", "is_ignored": True}]}]}
    assert read_model([path], ReadOptions(model=ignored)).languages == ()


def test_ids_are_other_names_where_they_are_codes(tmp_path):
    (tmp_path / "licences.json").write_text(
        '{"Open-1.1": {"name": "Open Licence 1.1", "free": true}, "Shut": {"name": "Shut Licence", "free": false},'
        ' "77": {"name": "Old Licence", "free": true}}',
        encoding="utf-8",
    )
    build_from_files(tmp_path / "licences.json", tmp_path / "graph", problems=lambda _: None)
    labels = snapshots.open(tmp_path / "graph").labels
    codes = ("Open-1.1", "shut", "77")
    found = {code: [match.node.label for match in labels.find_exact(normalize_name(code))] for code in codes}
    assert found == {"Open-1.1": ["Open Licence 1.1"], "shut": ["Shut Licence"], "77": []}
