"""Collections, and statements about statements, as facts and what is said of facts."""

import pytest

from retrieval.kg.build.from_files import build_from_files
from retrieval.kg.readers import read_graph
from retrieval.programs.grounding.schema import Schema

PREFIXES = (
    "@prefix : <http://x/> . @prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .\n"
    "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
)


@pytest.fixture
def read(tmp_path):
    """Facts and what is said of them, read with and without a sink; problems are the third."""

    def reader(text, name="a.ttl"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        problems = []
        table = read_graph(path, problems=problems.append)
        facts = [(head, relation.rsplit("/", 1)[-1], tail) for head, relation, tail in table.facts.rows()]
        said = [] if table.fact_attributes is None else table.fact_attributes.rows()
        graph, _ = build_from_files(path, tmp_path / f"graph of {name}", problems=lambda _: None)
        assert {graph.get_entity_label(int(head)) for head in graph.heads} == {head for head, _, _ in facts}
        assert graph.num_triples >= len(set(facts))
        return set(facts), {(facts[fact], key, value) for fact, key, value in said}, problems

    return reader


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        (":a :p (:b :c) .", {("a", "p", "b"), ("a", "p", "c")}),
        (":a :p (:b (:c (:d)) :b) .", {("a", "p", "b"), ("a", "p", "c"), ("a", "p", "d")}),
        (":a :p () ; :q :b .", {("a", "q", "b")}),
        (":a :p (() :b) .", {("a", "p", "b")}),
        ("(:a :b) :p :c .", {("a", "p", "c"), ("b", "p", "c")}),
        (':a :p [ a rdf:Seq ; rdf:_2 "two" ; rdf:_1 "one" ] .', {("a", "p", "one"), ("a", "p", "two")}),
    ],
)
def test_collections_are_unrolled_into_their_members(read, text, facts):
    assert read(PREFIXES + text)[0] == facts


def test_lists_of_json_ld_are_unrolled(read):
    text = (
        '{"@context": {"p": {"@id": "http://x/p", "@container": "@list"}}, "@id": "http://x/a", "p": [["b"], "c", []]}'
    )
    assert read(text, "a.jsonld")[0] == {("a", "p", "b"), ("a", "p", "c")}


FACT = ("a", "p", "b")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (':a :p :b {| :since "2014" |} .', {(FACT, "since", "2014")}),
        (
            ':a :p :b . << :a :p :b >> :since "2014" ; :role "cook" .',
            {(FACT, "since", "2014"), (FACT, "role", "cook")},
        ),
        (':a :p :b . _:r rdf:reifies <<( :a :p :b )>> ; :since "2014" .', {(FACT, "since", "2014")}),
        (':a :p :b ~ :r {| :since "2014" |} .', {(FACT, "since", "2014")}),
        (
            ':a :p :b . [] a rdf:Statement ; rdf:subject :a ; rdf:predicate :p ; rdf:object :b ; :since "2014" .',
            {(FACT, "since", "2014")},
        ),
        (
            ':a :p :b . << :a :p :b >> :since "2014" . << << :a :p :b >> :since "2014" >> :source :n .'
            ' :n rdfs:label "News" .',
            {(FACT, "since", "2014"), (FACT, "since source", "News")},
        ),
        (
            ':a :p :b {| :place [ :city "Bergen" ; :days ("1" "2") ] |} .',
            {(FACT, "place city", "Bergen"), (FACT, "place days", "1"), (FACT, "place days", "2")},
        ),
    ],
)
def test_what_is_said_of_a_statement_is_an_attribute_of_its_fact(read, text, said):
    facts, found, problems = read(PREFIXES + text)
    assert (facts, found, problems) == ({FACT}, said, [])


def test_a_statement_that_nothing_states_is_no_fact(read):
    facts, said, problems = read(PREFIXES + ':c :p :d . << :a :p :b >> :claimed_by "Bob" .')
    assert (facts, said) == ({("c", "p", "d")}, set())
    assert [problem.message for problem in problems] == [
        "something is said of a fact that no file states; it is left out"
    ]


def test_n_triples_of_rdf_1_2_are_read(read):
    text = (
        'VERSION "1.2"\n<http://x/a> <http://x/p> <http://x/b> .\n'
        "_:r <http://www.w3.org/1999/02/22-rdf-syntax-ns#reifies> <<( <http://x/a> <http://x/p> <http://x/b> )>> .\n"
        '_:r <http://x/since> "2014" .\n<http://x/a> <http://x/title> "Hello"@en--ltr .\n'
    )
    assert read(text, "a.nt") == ({FACT, ("a", "title", "Hello")}, {(FACT, "since", "2014")}, [])


def test_labels_of_all_languages_name_a_node(tmp_path):
    labels = 'rdfs:label "Mona Lisa"@en, "La Joconde"@fr, "La Gioconda"@it, "モナ・リザ"@ja'
    (tmp_path / "a.ttl").write_text(f"{PREFIXES}:p1 {labels} ; :painter :Leonardo .")
    graph, _ = build_from_files(tmp_path / "a.ttl", tmp_path / "g", problems=pytest.fail)
    names = ("La Joconde", "la gioconda", "モナ・リザ", "Mona Lisa")
    found = {match.node.label for name in names for match in graph.labels.search(name)[:1]}
    assert found == {"Mona Lisa"}


def test_a_statement_may_be_stated_by_another_file(tmp_path):
    (tmp_path / "facts.nt").write_text("<http://x/a> <http://x/p> <http://x/b> .\n")
    (tmp_path / "notes.nt").write_text('<< <http://x/a> <http://x/p> <http://x/b> >> <http://x/since> "2014" .\n')
    files = [tmp_path / "facts.nt", tmp_path / "notes.nt"]
    graph, _ = build_from_files(files, tmp_path / "g", problems=pytest.fail)
    fact = next(i for i in range(graph.num_triples) if graph.get_hop(i).step.label == "p")
    assert graph.get_fact_attributes(fact) == {"since": "2014"}


def test_graphs_of_trig_are_merged_and_rules_of_n3_are_no_facts(read):
    text = PREFIXES + ":g { :a :p :b } GRAPH :h { :c :p (:d) } :e :p :f ."
    assert read(text, "a.trig")[0] == {FACT, ("c", "p", "d"), ("e", "p", "f")}
    facts, _, problems = read(PREFIXES + "{ :c :p :d } => { :d :p :c } . :a :p :b .", "a.n3")
    assert facts == {FACT}
    assert {problem.message for problem in problems} == {"a formula or rule of N3 states no fact"}


@pytest.mark.parametrize("encoding", ["iso-8859-1", "windows-1252", "utf-16", "utf-8"])
def test_rdf_xml_is_decoded_as_it_declares(read, encoding):
    text = (
        f'<?xml version="1.0" encoding="{encoding}"?>\n'
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:x="http://x/">'
        '<rdf:Description rdf:about="http://x/a"><x:p>Café Zürich</x:p></rdf:Description></rdf:RDF>'
    )
    assert read(text.encode(encoding), "a.xml")[0] == {("a", "p", "Café Zürich")}


def test_names_in_other_languages_are_not_kinds(tmp_path):
    text = ':x rdfs:label "Red Cup"@en, "Rote Tasse"@de ; :maker :y . :z :maker :y .'
    (tmp_path / "a.ttl").write_text(PREFIXES + text)
    (tmp_path / "a.csv").write_text("head,relation,tail\nRed Cup,label,cup\nRed Cup,maker,y\nz,maker,y\n")
    named, _ = build_from_files(tmp_path / "a.ttl", tmp_path / "named", problems=lambda _: None)
    labelled, _ = build_from_files(tmp_path / "a.csv", tmp_path / "labelled", problems=lambda _: None)
    assert Schema(named).kinds == {}
    assert {labelled.get_entity_label(kind): size for kind, size in Schema(labelled).kinds.items()} == {"cup": 1}
