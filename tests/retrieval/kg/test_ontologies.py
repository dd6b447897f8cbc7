"""Ontologies beside data describe its relations and kinds, and are no facts in the middle of it."""

from __future__ import annotations

from retrieval.answering.loading import load_answerer, load_encoder, load_parts
from retrieval.answering.run import AskRequest
from retrieval.answering.spec import AnswererSpec
from retrieval.kg.build.from_files import build_from_files
from retrieval.kg.snapshot.vocabulary import Term, load_vocabulary
from retrieval.language.question import Question

PREFIXES = """
@prefix : <http://air.test/> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
"""
DATA = """
:osl a :Airport ; rdfs:label "Oslo" ; :r1 :bgo ; :pax "28000000" .
:bgo a :Airport ; rdfs:label "Bergen" ; :r1 :osl ; :pax "6000000" .
:cdg a :Airport ; rdfs:label "Paris" ; :pax "70000000" .
"""
ONTOLOGY = """
<http://air.test/> a owl:Ontology ; rdfs:label "Air traffic" .
:Airport a owl:Class ; rdfs:label "airport"@en, "Flughafen"@de ; skos:altLabel "aerodrome" ;
  skos:definition "Where aircraft land."@en ; rdfs:subClassOf :Station, [ a owl:Restriction ; owl:onProperty :pax ] .
:Station a owl:Class ; rdfs:label "station" ; rdfs:subClassOf :Airport .
:Harbour a owl:Class ; rdfs:label "harbour" .
:r1 a owl:ObjectProperty ; rdfs:label "route" ; skos:altLabel "flies to" ; rdfs:comment "A scheduled flight." ;
  rdfs:domain :Airport ; rdfs:range :Airport ; owl:inverseOf :r2 .
:r2 a owl:ObjectProperty ; rdfs:label "reached from" .
:pax a owl:DatatypeProperty ; rdfs:label "passengers" .
"""
ROUTE = Term(
    "relation",
    "http://air.test/r1",
    "A scheduled flight.",
    ("flies to", "reached from"),
    domain=("airport",),
    range=("airport",),
    inverse=("reached from",),
)
AIRPORT = Term("kind", "airport", "Where aircraft land.", ("Flughafen", "aerodrome", "station"), broader=("station",))


def read(tmp_path, **files):
    paths = []
    for name, text in files.items():
        stem, ending = name.split("_")
        paths.append(tmp_path / f"{stem}.{ending}")
        paths[-1].write_text((PREFIXES if ending == "ttl" else "") + text)
    graph, _ = build_from_files(paths, tmp_path / "graph", problems=print)
    return graph


def facts(graph):
    rows = zip(graph.heads, graph.relations, graph.tails, strict=True)
    label = graph.get_entity_label
    return {(label(int(h)), graph.get_relation_label(int(r)), label(int(t))) for h, r, t in rows}


EXPECTED = {
    ("Oslo", "type", "airport"),
    ("Bergen", "type", "airport"),
    ("Paris", "type", "airport"),
    ("Oslo", "route", "Bergen"),
    ("Bergen", "route", "Oslo"),
    ("Oslo", "passengers", "28000000"),
    ("Bergen", "passengers", "6000000"),
    ("Paris", "passengers", "70000000"),
}


def test_an_ontology_beside_data_describes_its_terms_and_adds_no_fact(tmp_path):
    graph = read(tmp_path, data_ttl=DATA, terms_ttl=ONTOLOGY)
    assert facts(graph) == EXPECTED
    assert graph.find_entity("harbour") is None
    assert load_vocabulary(graph.path).terms == (AIRPORT, ROUTE)


def test_data_and_ontology_may_share_a_file_in_any_order(tmp_path):
    for number, text in enumerate((DATA + ONTOLOGY, ONTOLOGY + DATA)):
        folder = tmp_path / str(number)
        folder.mkdir()
        graph = read(folder, all_ttl=text)
        assert facts(graph) == EXPECTED
        assert load_vocabulary(graph.path).terms == (AIRPORT, ROUTE)


def test_questions_use_the_synonyms_of_an_ontology(tmp_path):
    graph = read(tmp_path, data_ttl=DATA, terms_ttl=ONTOLOGY)
    answerer = load_answerer(AnswererSpec(graph.path), load_parts(graph, load_encoder()))
    *_, final = answerer.run(AskRequest(Question("Which aerodrome has the most passengers?")))
    assert [answer.label for answer in final.answers] == ["Paris"]


def test_an_ontology_alone_is_a_graph(tmp_path):
    graph = read(tmp_path, terms_ttl=ONTOLOGY)
    assert {("airport", "sub class of", "station"), ("route", "domain", "airport")} <= facts(graph)
    assert load_vocabulary(graph.path).terms == ()


def test_an_ontology_describes_tables_by_label(tmp_path):
    rows = "Oslo\troute\tBergen\nBergen\troute\tOslo\nOslo\ttype\tairport\nBergen\ttype\tairport\n"
    graph = read(tmp_path, flights_tsv=rows, terms_ttl=ONTOLOGY)
    assert facts(graph) == {tuple(line.split("\t")) for line in rows.splitlines()}
    terms = {(term.category, term.name): term.synonyms for term in load_vocabulary(graph.path).terms}
    assert terms == {
        ("relation", "route"): ("flies to", "reached from"),
        ("kind", "airport"): ("Flughafen", "aerodrome", "station"),
    }


def test_an_ontology_of_another_graph_describes_nothing(tmp_path):
    graph = read(tmp_path, data_tsv="Ann\tknows\tBob\n", terms_ttl=ONTOLOGY)
    assert facts(graph) == {("Ann", "knows", "Bob")}
    assert load_vocabulary(graph.path).terms == ()
    assert not (graph.path / "vocabulary.json").exists()


def test_what_is_said_of_a_class_as_of_a_thing_is_a_fact(tmp_path):
    graph = read(tmp_path, all_ttl=DATA + ONTOLOGY + ":Airport :regulatedBy :icao . :osl owl:sameAs :oslo .")
    assert facts(graph) - EXPECTED == {("airport", "regulated by", "icao"), ("Oslo", "same as", "oslo")}


def test_concepts_of_a_thesaurus_stay_facts(tmp_path):
    graph = read(tmp_path, all_ttl=':a a skos:Concept ; skos:prefLabel "A" ; skos:altLabel "a1" ; skos:broader :b .')
    assert {("A", "alt label", "a1"), ("A", "broader", "b")} <= facts(graph)


def test_a_broader_term_of_several_is_no_synonym(tmp_path):
    more = ":Heliport a owl:Class ; rdfs:subClassOf :Station . :x a :Heliport ."
    graph = read(tmp_path, all_ttl=DATA + ONTOLOGY + more)
    synonyms = {term.name: term.synonyms for term in load_vocabulary(graph.path).terms}
    assert "station" not in synonyms["airport"]


def test_a_new_version_keeps_the_vocabulary_and_adds_to_it(tmp_path):
    graph = read(tmp_path, data_ttl=DATA, terms_ttl=ONTOLOGY)
    added = tmp_path / "added.ttl"
    added.write_text(PREFIXES + ':osl :runway "3" . :runway a owl:DatatypeProperty ; skos:altLabel "strip" .')
    later, _ = build_from_files([added], tmp_path / "later", problems=print, base=graph)
    synonyms = {term.name: term.synonyms for term in load_vocabulary(later.path).terms}
    assert synonyms == {
        "airport": AIRPORT.synonyms,
        "http://air.test/r1": ROUTE.synonyms,
        "http://air.test/runway": ("strip",),
    }
