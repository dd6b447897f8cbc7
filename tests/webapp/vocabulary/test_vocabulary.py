"""The vocabulary of a graph: listed, described, exported and imported."""

from __future__ import annotations

from dataclasses import replace

import pytest

from retrieval.kg.model.data_model import Column, DataModel, Kind
from retrieval.kg.model.storage import save_model
from retrieval.kg.snapshot.vocabulary import Term, Vocabulary, save_vocabulary
from webapp.graphs.files import ensure_local_path
from webapp.vocabulary.models import VocabularyEntry
from webapp.vocabulary.selectors import load_graph_vocabulary

BORDERS = {"category": "relation", "name": "borders", "synonyms": ["  adjoins ", "is next to", "Adjoins"]}


@pytest.fixture
def vocabulary(api, tiny_graph):
    """``vocabulary("put", body, role=...)``: what the API answers."""

    def call(method="get", body=None, role="admin", part=""):
        address = f"/api/v1/graphs/{tiny_graph.pk}/vocabulary{part}"
        return getattr(api(role), method)(address, *([body] if body is not None else []), format="json")

    return call


def terms(response):
    assert response.status_code == 200, response.json()
    return {(term["category"], term["name"]): term for term in response.json()["terms"]}


def test_relations_and_kinds_are_listed_with_counts_and_examples(vocabulary):
    listed = terms(vocabulary())
    assert [key for key in listed if key[0] == "relation"] == [
        ("relation", "official_language"),
        ("relation", "borders"),
        ("relation", "capital"),
    ]
    borders = listed["relation", "borders"]
    assert (borders["label"], borders["count"], borders["description"], borders["synonyms"]) == ("borders", 2, "", [])
    assert borders["examples"] == [["Switzerland", "France"], ["Switzerland", "Germany"]]
    assert (borders["updated_by"], borders["warnings"]) == (None, [])
    assert borders["question"] == "What does Switzerland border?"


def test_units_of_the_data_model_are_listed_until_a_person_enters_one(vocabulary, tiny_graph):
    column = Column("capital", "capital", "number", 1, 1, unit="km")
    kind = Kind("t.csv", "country", 1, (), None, (column, replace(column, label="borders", unit="")))
    save_model(ensure_local_path(tiny_graph.snapshot.path), DataModel((kind,)))
    listed = terms(vocabulary())
    assert (listed["relation", "capital"]["unit"], listed["relation", "borders"]["unit"]) == ("km", "")
    assert vocabulary(part="/file").json() == {"terms": []}
    entered = {"category": "relation", "name": "capital", "synonyms": [], "unit": ""}
    assert terms(vocabulary("put", entered))["relation", "capital"]["unit"] == ""


def test_a_saved_synonym_is_listed_cleaned_and_read_by_the_engine(vocabulary, tiny_graph):
    saved = terms(vocabulary("put", {**BORDERS, "description": "Shares a frontier.", "unit": "km"}))
    borders = saved["relation", "borders"]
    assert (borders["synonyms"], borders["updated_by"]) == (["adjoins", "is next to"], "admin")
    assert borders["question"] == "Switzerland adjoins what?"
    assert load_graph_vocabulary(tiny_graph, ensure_local_path(tiny_graph.snapshot.path)) == Vocabulary(
        (Term("relation", "borders", "Shares a frontier.", ("adjoins", "is next to"), "km"),)
    )
    again = terms(vocabulary("put", {**BORDERS, "synonyms": []}))
    assert again["relation", "borders"]["synonyms"] == []
    assert VocabularyEntry.objects.count() == 1


def test_people_override_what_the_files_said_until_their_entry_goes(vocabulary, tiny_graph):
    directory = ensure_local_path(tiny_graph.snapshot.path)
    save_vocabulary(directory, Vocabulary((Term("relation", "capital", "The seat.", ("seat",), domain=("country",)),)))
    key = ("relation", "capital")
    assert terms(vocabulary())[key]["synonyms"] == ["seat"]
    edited = terms(vocabulary("put", {"category": "relation", "name": "capital", "synonyms": ["metropolis"]}))[key]
    assert (edited["synonyms"], edited["description"], edited["domain"]) == (["metropolis"], "", ["country"])
    back = terms(vocabulary("delete", part="?category=relation&name=capital"))[key]
    assert (back["synonyms"], back["description"], back["updated_by"]) == (["seat"], "The seat.", None)


def test_only_who_manages_the_graph_changes_it(vocabulary):
    assert vocabulary(role="viewer").status_code == 200
    for role in ("viewer", "analyst"):
        assert vocabulary("put", BORDERS, role=role).status_code == 403
        assert vocabulary("post", {"terms": []}, role=role, part="/file").status_code == 403
        assert vocabulary("delete", role=role, part="?category=relation&name=borders").status_code == 403
    assert VocabularyEntry.objects.count() == 0


def test_a_graph_that_one_does_not_see_has_no_vocabulary(vocabulary, tiny_graph):
    tiny_graph.visibility = "private"
    tiny_graph.save()
    assert vocabulary(role="viewer").status_code == 404
    assert vocabulary(role="viewer", part="/file").status_code == 404


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"synonyms": ["of the"]}, "“of the” cannot be a synonym"),
        ({"synonyms": ["!?"]}, "“!?” cannot be a synonym"),
        ({"synonyms": [f"word{n}" for n in range(1001)]}, "1,001 synonyms are too many"),
        ({"name": "exports"}, "has no relation “exports”"),
        ({"category": "kind"}, "has no kind “borders”"),
    ],
)
def test_bad_terms_are_refused_with_what_to_do(vocabulary, change, message):
    response = vocabulary("put", BORDERS | change)
    assert response.status_code == 400
    assert message in response.json()["error"]["message"]
    assert response.json()["error"]["hint"]
    assert VocabularyEntry.objects.count() == 0


def test_an_empty_synonym_and_one_that_is_too_long_are_refused(vocabulary):
    for synonym in ("", "   ", "x" * 101):
        assert vocabulary("put", BORDERS | {"synonyms": [synonym]}).status_code == 400


def test_a_thousand_synonyms_are_kept(vocabulary):
    synonyms = [f"wording {n}" for n in range(1000)]
    assert terms(vocabulary("put", BORDERS | {"synonyms": synonyms}))["relation", "borders"]["synonyms"] == synonyms


def test_synonyms_that_mean_something_else_are_allowed_with_a_warning(vocabulary):
    vocabulary("put", BORDERS | {"synonyms": ["Capital", "Berlin", "adjoins"]})
    listed = terms(vocabulary("put", {"category": "relation", "name": "official_language", "synonyms": ["adjoins"]}))
    assert listed["relation", "borders"]["warnings"] == [
        "“Capital” also stands for capital: a question with it may mean either.",
        "“Berlin” is also the name of an entity: a question with it may mean either.",
        "“adjoins” also stands for official language: a question with it may mean either.",
    ]
    assert listed["relation", "official_language"]["warnings"] == [
        "“adjoins” also stands for borders: a question with it may mean either."
    ]


def test_a_vocabulary_moves_to_another_graph_and_unused_terms_are_kept(vocabulary):
    vocabulary("put", {**BORDERS, "description": "Shares a frontier."})
    exported = vocabulary(part="/file")
    assert exported.headers["Content-Disposition"].startswith("attachment; filename=")
    assert exported.json() == {
        "terms": [
            {
                "category": "relation",
                "name": "borders",
                "description": "Shares a frontier.",
                "synonyms": ["adjoins", "is next to"],
                "unit": "",
            }
        ]
    }
    vocabulary("delete", part="?category=relation&name=borders")
    other = {"category": "relation", "name": "exports", "synonyms": ["sells abroad"]}
    listed = terms(vocabulary("post", {"terms": [*exported.json()["terms"], other]}, part="/file"))
    assert listed["relation", "borders"]["synonyms"] == ["adjoins", "is next to"]
    unused = listed["relation", "exports"]
    assert (unused["count"], unused["synonyms"], unused["examples"]) == (None, ["sells abroad"], [])
    assert vocabulary("put", other | {"synonyms": ["ships"]}).status_code == 200


def test_a_file_with_one_bad_term_changes_nothing(vocabulary):
    bad = {"category": "relation", "name": "capital", "synonyms": ["the"]}
    response = vocabulary("post", {"terms": [BORDERS, bad]}, part="/file")
    assert response.status_code == 400
    assert VocabularyEntry.objects.count() == 0
    for broken in ({}, {"terms": "x"}, {"terms": [{"name": "capital"}]}):
        assert vocabulary("post", broken, part="/file").status_code == 400
