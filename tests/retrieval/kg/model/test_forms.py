"""Data models as CSVW metadata and as RML mappings, written and read again."""

import json

import pytest

from retrieval.errors import ConfigError
from retrieval.kg.model.data_model import ModelChoices
from retrieval.kg.model.forms import find_model, read_model_text, write_model

MODEL = {
    "kinds": [
        {
            "table": "my orders.csv",
            "label": "purchase order",
            "name": [],
            "key": "Order ID",
            "columns": [
                {"name": "Order ID", "label": "order ID", "type": "number", "unit": "", "is_ignored": False},
                {"name": "weight_kg", "label": "weight", "type": "number", "unit": "kg", "is_ignored": False},
                {"name": "tags", "label": "tags", "type": "list", "unit": "", "is_ignored": False},
                {"name": 'note "x" {y}', "label": "note", "type": "text", "unit": "", "is_ignored": True},
                {"name": "cust-no.", "label": "cust no", "type": "text", "unit": "", "is_ignored": False},
                {"name": "city", "label": "city", "type": "text", "unit": "", "is_ignored": False},
            ],
        },
        {
            "table": "customers.csv",
            "label": "client",
            "name": ["first name", "last name"],
            "key": None,
            "columns": [
                {"name": "first name", "label": "first name", "type": "text", "unit": "", "is_ignored": False},
                {"name": "last name", "label": "last name", "type": "text", "unit": "", "is_ignored": False},
                {"name": "born", "label": "born", "type": "date", "unit": "", "is_ignored": False},
                {"name": "Straße", "label": "Straße", "type": "text", "unit": "", "is_ignored": False},
            ],
        },
    ],
    "references": [
        {
            "table": "my orders.csv",
            "column": "cust-no.",
            "target": "customers.csv",
            "target_column": "last name",
            "label": "bought by",
            "is_used": True,
        },
        {
            "table": "my orders.csv",
            "column": "city",
            "target": "customers.csv",
            "target_column": "Straße",
            "label": "city",
            "is_used": False,
        },
    ],
}


@pytest.mark.parametrize("form", ["json", "csvw", "rml"])
def test_a_model_is_the_same_when_it_is_read_again(form):
    text = write_model(MODEL, form)
    assert ModelChoices.from_json(fill(find_model(text))) == ModelChoices.from_json(MODEL)
    assert write_model(find_model(text), form) == text


def fill(model):
    """``model`` with what forms leave out because it is nothing: no unit, and not left out."""
    for kind in model["kinds"]:
        kind["columns"] = [{"unit": "", "is_ignored": False, **column} for column in kind["columns"]]
    return model


def test_csvw_of_others_is_read():
    metadata = {
        "@context": "http://www.w3.org/ns/csvw",
        "tables": [
            {
                "url": "http://example.org/data/countries.csv",
                "tableSchema": {
                    "columns": [
                        {"name": "countryCode", "titles": "code", "datatype": "string"},
                        {"name": "name", "titles": {"en": ["country", "nation"]}},
                        {"virtual": True, "propertyUrl": "rdf:type"},
                    ],
                    "rowTitles": "name",
                    "primaryKey": "countryCode",
                },
            },
            {
                "url": "slice.csv",
                "tableSchema": {
                    "columns": [
                        {"titles": "country ref", "datatype": {"base": "string"}},
                        {"name": "population", "datatype": {"base": "integer", "format": "#,##0"}},
                        {"name": "tags", "separator": "|"},
                    ],
                    "foreignKeys": [
                        {
                            "columnReference": "country%20ref",
                            "reference": {
                                "resource": "http://example.org/data/countries.csv",
                                "columnReference": ["countryCode"],
                            },
                        },
                        {
                            "columnReference": ["population", "tags"],
                            "reference": {"resource": "slice.csv", "columnReference": ["population", "tags"]},
                        },
                    ],
                },
            },
        ],
    }
    assert find_model(json.dumps(metadata)) == {
        "kinds": [
            {
                "table": "countries.csv",
                "name": ["country"],
                "key": "code",
                "columns": [{"name": "code", "type": "text"}, {"name": "country"}],
            },
            {
                "table": "slice.csv",
                "columns": [
                    {"name": "country ref", "type": "text"},
                    {"name": "population", "type": "number"},
                    {"name": "tags", "type": "list"},
                ],
            },
        ],
        "references": [
            {
                "table": "slice.csv",
                "column": "country ref",
                "target": "countries.csv",
                "target_column": "code",
                "is_used": True,
            }
        ],
    }


MAPPING = """
@prefix rr: <http://www.w3.org/ns/r2rml#> .
@prefix rml: <{rml}> .
@prefix ql: <http://semweb.mmlab.be/ns/ql#> .
@prefix ex: <http://example.org/> .
@prefix foaf: <http://xmlns.com/foaf/0.1/> .
@base <http://example.org/base/> .
<#Students> a rr:TriplesMap ;
  {logical} ;
  {sp}:subjectMap [ {sp}:template "http://example.org/student/{{ID}}" ; {sp}:class ex:Student ] ;
  {sp}:predicateObjectMap [ {sp}:predicate foaf:name ; {sp}:objectMap [ rml:reference "Full Name" ] ] ;
  {sp}:predicateObjectMap [ {sp}:predicate ex:plays ; {sp}:objectMap [ {sp}:parentTriplesMap <#Sports> ;
    {sp}:joinCondition [ {sp}:child "Sport" ; {sp}:parent "ID" ] ] ] .
<#Sports> {source2} ;
  {sp}:subjectMap [ {sp}:template "http://example.org/sport/{{ID}}" ] ;
  {sp}:predicateObjectMap [ {sp}:predicate ex:sportName ; {sp}:objectMap [ rml:reference "Name" ] ] .
"""


@pytest.mark.parametrize(
    ("rml", "sp", "source"),
    [
        (
            "http://semweb.mmlab.be/ns/rml#",
            "rr",
            'rml:logicalSource [ rml:source "{}" ; rml:referenceFormulation ql:CSV ]',
        ),
        ("http://w3id.org/rml/", "rml", 'rml:logicalSource [ rml:source [ rml:path "./{}" ] ]'),
    ],
)
def test_rml_of_others_is_read(rml, sp, source):
    text = MAPPING.format(rml=rml, sp=sp, logical=source.format("students.csv"), source2=source.format("sports.csv"))
    assert find_model(text) == {
        "kinds": [
            {"table": "students.csv", "columns": [], "label": "Student", "key": "ID", "name": ["Full Name"]},
            {"table": "sports.csv", "columns": [{"name": "Name", "label": "sportName"}], "key": "ID"},
        ],
        "references": [
            {
                "table": "students.csv",
                "column": "Sport",
                "target": "sports.csv",
                "target_column": "ID",
                "label": "plays",
                "is_used": True,
            }
        ],
    }


@pytest.mark.parametrize(
    "text", ["", "a,b\n1,2\n", "{}", "[]", '{"kinds": []}', '{"kinds": [{"a": 1}]}', "[" * 99_999, "@prefix rr: <x> ."]
)
def test_what_is_no_model_is_none(text):
    assert find_model(text) is None
    with pytest.raises(ConfigError, match="no data model"):
        read_model_text(text)


def test_a_broken_mapping_is_said():
    with pytest.raises(ConfigError, match="The RML mapping cannot be read"):
        read_model_text("@prefix rml: <http://semweb.mmlab.be/ns/rml#> . <#a> rml:logicalSource [ ")
