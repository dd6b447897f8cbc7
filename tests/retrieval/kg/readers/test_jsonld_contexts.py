"""Contexts of JSON-LD in files beside the data, and those that are known; none is fetched."""

import json

import pytest

from retrieval.kg.readers import read_graph, read_preview
from retrieval.kg.readers.jsonld_contexts import MissingContextError

CONTEXT = {"@context": {"painted": {"@id": "http://x/painted", "@type": "@id"}, "name": "http://x/name"}}
DATA = {"@context": "https://example.org/v1/art.jsonld", "@id": "http://x/Berthe", "painted": "http://x/The_Cradle"}


def read(tmp_path, **files):
    paths = []
    for name, value in files.items():
        path = tmp_path / name.replace("_json", ".json")
        path.write_text(json.dumps(value))
        paths.append(path)
    return set(read_graph(paths, problems=pytest.fail).facts.rows())


FACT = ("Berthe", "http://x/painted", "The Cradle")


@pytest.mark.parametrize("name", ["art_jsonld", "art_json", "context_jsonld"])
def test_a_context_may_be_a_file_of_its_own(tmp_path, name):
    assert read(tmp_path, data_jsonld=DATA, **{name: CONTEXT}) == {FACT}


def test_contexts_may_be_listed_with_others_and_refer_to_each_other(tmp_path):
    own = {"year": "http://x/year"}
    data = {**DATA, "@context": ["https://example.org/all.jsonld", own], "year": "1872"}
    both = {"@context": ["https://example.org/v1/art.jsonld", {"@language": "fr"}]}
    found = read(tmp_path, data_jsonld=data, art_jsonld=CONTEXT, all_jsonld=both)
    assert found == {FACT, ("Berthe", "http://x/year", "1872")}


@pytest.mark.parametrize(
    "address", ["https://schema.org", "http://schema.org/", "https://schema.org/docs/jsonldcontext.jsonld"]
)
def test_schema_org_is_known(tmp_path, address):
    data = [
        {"@context": address, "@type": "Painting", "@id": "http://x/The_Cradle", "creator": {"id": "http://x/Berthe"}},
        {"@context": address, "@type": "Person", "@id": "http://x/Berthe", "birthPlace": "Bourges"},
    ]
    assert read(tmp_path, data_jsonld=data) == {
        ("The Cradle", "http://www.w3.org/1999/02/22-rdf-syntax-ns#type", "Painting"),
        ("The Cradle", "http://schema.org/creator", "Berthe"),
        ("Berthe", "http://www.w3.org/1999/02/22-rdf-syntax-ns#type", "Person"),
        ("Berthe", "http://schema.org/birthPlace", "Bourges"),
    }


def test_a_context_that_is_missing_is_named(tmp_path):
    with pytest.raises(
        MissingContextError, match=r"https://example\.org/v1/art\.jsonld, which is not fetched"
    ) as error:
        read(tmp_path, data_jsonld=DATA)
    assert error.value.hint == (
        "Download https://example.org/v1/art.jsonld and add it to the upload as a file of its own, named art.jsonld."
    )


def test_contexts_that_refer_to_each_other_in_a_circle_are_refused(tmp_path):
    with pytest.raises(MissingContextError):
        read(tmp_path, data_jsonld=DATA, art_jsonld={"@context": "https://example.org/v1/art.jsonld"})


def test_a_preview_of_a_file_alone_is_not_refused_for_its_context(tmp_path):
    for name, value in (("data.jsonld", DATA), ("art.jsonld", CONTEXT)):
        (tmp_path / name).write_text(json.dumps(value))
    data = read_preview(tmp_path / "data.jsonld")
    assert (data.format, data.refused) == ("jsonld", False)
    assert "art.jsonld, which is not fetched" in data.notes[-1]
    context = read_preview(tmp_path / "art.jsonld")
    assert (context.refused, context.notes) == (False, ("A JSON-LD context, for the other files of the upload.",))
