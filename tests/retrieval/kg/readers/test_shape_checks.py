"""RDF checked by SHACL shapes beside it, and shapes proposed from it."""

import pytest

from retrieval.errors import EmptySourceError, SourceError
from retrieval.kg.readers import read_graph, read_preview
from retrieval.kg.readers.shape_checks import propose_shapes, validate_files

DATA = "@prefix : <http://x/> .\n" + "".join(
    f':boat{i} a :Boat ; :name "Boat {i}" ; :length {i} ; :home :port{i % 2} ; :rig "{("ketch", "sloop")[i % 2]}" .\n'
    for i in range(20)
)
DATA += ":port0 a :Port . :port1 a :Port .\n"
SHAPES = """@prefix : <http://x/> . @prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:BoatShape a sh:NodeShape ; sh:targetClass :Boat ;
  sh:property [ sh:path :length ; sh:datatype xsd:integer ; sh:message "a length is a whole number" ] ;
  sh:property [ sh:path :home ; sh:minCount 1 ; sh:severity sh:Warning ; sh:message "a boat should have a home" ] .
"""


@pytest.fixture
def write(tmp_path):
    def writer(**files):
        paths = []
        for name, text in files.items():
            paths.append(tmp_path / name.replace("_ttl", ".ttl"))
            paths[-1].write_text(text)
        return paths

    return writer


def validate(paths):
    problems = []
    count = validate_files(paths, problems=problems.append)
    return count, [(problem.file, problem.message, problem.text) for problem in problems]


def test_shapes_are_no_facts(write):
    table = read_graph(write(data_ttl=DATA, shapes_ttl=SHAPES), problems=pytest.fail)
    assert table.facts.height == 102
    assert not any("shacl" in relation for relation in table.facts["relation"].unique())


def test_shapes_alone_are_refused_with_what_to_do(write):
    with pytest.raises(SourceError, match=r"shapes\.ttl holds SHACL shapes, and there is no data beside them"):
        read_graph(write(shapes_ttl=SHAPES), problems=pytest.fail)


def test_the_preview_says_that_a_file_holds_shapes(write):
    preview = read_preview(write(shapes_ttl=SHAPES)[0])
    assert (preview.refused, preview.notes) == (
        False,
        ("SHACL shapes, by which the RDF of the same upload is checked.",),
    )


def test_data_that_keeps_its_shapes_has_no_problem(write):
    assert validate(write(data_ttl=DATA, shapes_ttl=SHAPES)) == (0, [])
    assert validate(write(data_ttl=DATA)) == (0, [])


def test_violations_are_reported_by_node_with_the_message_of_the_shape(write):
    data = '@prefix : <http://x/> . :Birch a :Boat ; :length "long" ; :home :Oslo . :Alder a :Boat ; :length 7 .'
    assert validate(write(data_ttl=data, shapes_ttl=SHAPES)) == (
        1,
        [
            ("shapes.ttl", "warning: a boat should have a home", "Alder home"),
            ("shapes.ttl", "a length is a whole number", "Birch length long"),
        ],
    )


def test_shapes_that_contradict_themselves_or_are_no_shacl_are_named(write):
    paths = write(data_ttl=DATA, shapes_ttl=SHAPES.replace("sh:minCount 1", "sh:minCount 2 ; sh:maxCount 1"))
    assert validate(paths)[1][0] == ("shapes.ttl", "the shape of home contradicts itself: minCount 2, maxCount 1", "")
    count, problems = validate(write(data_ttl=DATA, shapes_ttl=SHAPES.replace("sh:minCount 1", 'sh:minCount "one"')))
    assert count == 0
    assert problems[0][1].startswith("the data was not checked, because the shapes are no valid SHACL: ")


def test_more_data_than_is_checked_is_a_problem(write, monkeypatch):
    monkeypatch.setattr("retrieval.kg.readers.shape_checks.STATEMENTS", 10)
    count, problems = validate(write(data_ttl=DATA, shapes_ttl=SHAPES))
    assert (count, problems[0][1]) == (
        0,
        "the data was not checked by these shapes: there are more than 10 statements.",
    )


def test_proposed_shapes_are_kept_by_the_data_and_found_broken_by_other_data(write):
    paths = write(data_ttl=DATA)
    turtle = propose_shapes(paths)
    assert (
        "sh:path <http://x/home> ; sh:minCount 1 ; sh:maxCount 1 ; sh:nodeKind sh:IRI ; sh:class <http://x/Port>"
        in turtle
    )
    assert 'sh:in ("ketch" "sloop")' in turtle
    assert "sh:datatype <http://www.w3.org/2001/XMLSchema#integer>" in turtle
    assert validate([*paths, *write(proposed_ttl=turtle)]) == (0, [])
    broken = write(data_ttl=DATA + ':boat20 a :Boat ; :name "Boat 20" ; :length 3 ; :home :port0 ; :rig "cat" .\n')
    count, problems = validate([*broken, *write(proposed_ttl=turtle)])
    assert (count, problems[0][2]) == (1, "boat20 rig cat")


def test_nothing_is_proposed_without_classes(write):
    with pytest.raises(EmptySourceError, match="no RDF with classes"):
        propose_shapes(write(data_ttl="<http://x/a> <http://x/p> <http://x/b> ."))
