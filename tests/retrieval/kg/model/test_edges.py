"""What a person is shown of edges before an import, and what the import makes of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from retrieval.kg.build.from_files import build_from_files
from retrieval.kg.model.data_model import EdgeAttribute, EdgeKind
from retrieval.kg.model.storage import load_model
from retrieval.kg.readers import ReadOptions, rdf, read_model

HEAD = """<graphml><key id="n" for="node" attr.name="name"/><key id="t" for="node" attr.name="type"/>
<key id="d" for="edge" attr.name="dist"/><key id="s" for="edge" attr.name="since"/>
<key id="w" for="edge" attr.name="weight"/><graph edgedefault="directed">"""
PLACES = [("airport", "Austin"), ("airport", "Boston"), ("airport", "Denver"), ("person", "Ann")]
NODES = "".join(
    f'<node id="{i}"><data key="t">{kind}</data><data key="n">{name}</data></node>'
    for i, (kind, name) in enumerate(
        [("airport", "Austin"), ("airport", "Boston"), ("airport", "Denver"), ("person", "Ann")]
    )
)
ROUTES = "".join(
    f'<edge source="{a}" target="{b}" label="route"><data key="d">{miles}</data><data key="w">1</data></edge>'
    for a, b, miles in [(0, 1, 1690), (0, 2, 770), (1, 0, 1690), (1, 2, 1750)]
)
HOME = '<edge source="3" target="0" label="works at"><data key="s">2010</data></edge></graph></graphml>'


def write(tmp_path: Path, text: str = HEAD + NODES + ROUTES + HOME) -> Path:
    path = tmp_path / "routes.graphml"
    path.write_text(text)
    return path


def test_edges_are_listed_with_their_ends_and_what_becomes_of_their_attributes(tmp_path: Path) -> None:
    model = read_model([write(tmp_path)])
    assert model.edges == (
        EdgeKind(
            "routes.graphml: airport",
            "route",
            "routes.graphml: airport",
            4,
            (
                EdgeAttribute("dist", "dist", "number", 4, ("1690", "770", "1750"), "measure"),
                EdgeAttribute("weight", "weight", "number", 4, ("1",), "kept"),
            ),
        ),
        EdgeKind(
            "routes.graphml: person",
            "works at",
            "routes.graphml: airport",
            1,
            (EdgeAttribute("since", "since", "number", 1, ("2010",), "fact"),),
        ),
    )


def test_the_import_does_what_the_model_says_and_keeps_it(tmp_path: Path) -> None:
    path = write(tmp_path)
    graph, _ = build_from_files([path], tmp_path / "graph", problems=[].append)
    hops = [graph.get_hop(fact) for fact in range(graph.num_triples)]
    facts = {(hop.source.label, hop.step.label, hop.target.label) for hop in hops}
    assert {("route 1", "dist", "1690"), ("Ann", "works at since", "2010")} <= facts
    assert not any("weight" in relation for _, relation, _ in facts)
    assert load_model(graph.path) == read_model([path])


def test_edges_to_nodes_that_no_row_describes_have_no_kind(tmp_path: Path) -> None:
    text = '{"id": "a", "name": "Ann", "type": "Person"}\n{"source": "a", "relation": "likes", "target": "b"}\n'
    path = tmp_path / "people.jsonl"
    path.write_text(text)
    assert read_model([path]).edges == (EdgeKind("people.jsonl: Person", "likes", "", 1),)


RDF = """
@prefix : <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
:at a :Country, owl:NamedIndividual ; rdfs:label "Austria"@en, "Österreich"@de ; :capital :vi ; :population 9000000 .
:de a :Country, owl:NamedIndividual ; rdfs:label "Germany"@en, "Deutschland"@de ; :population 83000000 ; :borders :at .
:vi a :City, owl:NamedIndividual ; rdfs:label "Vienna"@en .
<< :de :borders :at >> :length 784 .
"""


def test_rdf_shows_its_kinds_relations_and_languages(tmp_path: Path) -> None:
    path = tmp_path / "countries.ttl"
    path.write_text(RDF, encoding="utf-8")
    model = read_model([path])
    assert [(kind.label, kind.count, kind.name, kind.is_fixed) for kind in model.kinds] == [
        ("Country", 2, ("label",), True),
        ("City", 1, ("label",), True),
    ]
    country, city = model.kinds
    assert [(column.label, column.type, column.filled, column.samples) for column in country.columns] == [
        ("population", "number", 2, ("9000000", "83000000")),
    ]
    assert city.columns == ()
    assert country.examples[0] == "Austria is a Country: population 9000000."
    assert model.edges == (
        EdgeKind("Country", "capital", "City", 1),
        EdgeKind(
            "Country", "borders", "Country", 1, (EdgeAttribute("length", "length", "number", 1, ("784",), "fact"),)
        ),
    )
    assert model.languages == (("en", 3), ("de", 2))
    # A page sends back the model that it shows; nothing of these kinds can be chosen.
    graph, _ = build_from_files([path], tmp_path / "g", ReadOptions(model=model.to_json()), problems=[].append)
    assert graph.hash == build_from_files([path], tmp_path / "plain", problems=[].append)[0].hash


def test_rdf_beside_a_table_is_described_too(tmp_path: Path) -> None:
    (tmp_path / "countries.ttl").write_text(RDF, encoding="utf-8")
    (tmp_path / "boats.csv").write_text("boat,skipper,length\nGull,Ann Lee,12\nTern,Bo Ek,9\nSkua,Cy Dow,15\n")
    model = read_model([tmp_path / "boats.csv", tmp_path / "countries.ttl"])
    assert [(kind.label, kind.is_fixed) for kind in model.kinds] == [
        *(("boat", False), ("Country", True), ("City", True)),
    ]


def test_things_without_a_type_or_label_are_named_by_iri(tmp_path: Path) -> None:
    path = tmp_path / "plain.ttl"
    path.write_text("@prefix : <http://e/> .\n:a :knows :b ; :age 3 .\n:b :knows :c, :a .\n")
    model = read_model([path])
    assert [(kind.label, kind.count, kind.name) for kind in model.kinds] == [("thing without a type", 3, ("IRI",))]
    assert model.edges == (EdgeKind("thing without a type", "knows", "thing without a type", 3),)
    assert model.languages == ()


def test_of_large_rdf_the_beginning_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "plain.nt"
    path.write_text("".join(f"<http://e/{i}> <http://e/knows> <http://e/{i + 1}> .\n" for i in range(4)))
    for limit, is_sampled in ((3, True), (4, False)):
        monkeypatch.setattr(rdf, "_SAMPLE", limit)
        model = read_model([path])
        assert (model.edges[0].count, model.is_sampled) == (limit, is_sampled)
