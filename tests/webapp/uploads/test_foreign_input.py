"""Requests about files that are spelt in a way that nobody foresaw: each is refused, and none breaks the server."""

import json
from dataclasses import replace

import pytest

from retrieval.errors import SourceError
from webapp.api.errors import NotAllowedError
from webapp.uploads import remote_sources

pytestmark = pytest.mark.django_db
ADDRESSES = (
    "http://data.example/a\tb.csv",
    "http://data.example/a\x7f",
    "http://data.example/a b",
    "http://data.example\r\nHost: other/a",
    "http://[data.example/a",
    "http://data.example:port/a",
)


@pytest.mark.parametrize("source", ADDRESSES)
def test_an_address_with_control_characters_is_refused(api, settings, source):
    settings.CLEW = replace(settings.CLEW, import_hosts=("data.example",))
    answer = api("analyst").post("/api/v1/uploads/preview", {"sources": [source]}, format="json")
    assert answer.status_code in (400, 403)
    assert answer.json()["error"]["code"]
    with pytest.raises(NotAllowedError):
        remote_sources.require_host(source)


def test_a_path_with_control_characters_is_refused():
    with pytest.raises(SourceError, match="control characters"):
        remote_sources.require_allowed("/tmp/a\nb")


@pytest.mark.parametrize("columns", ["AAA", '"AAA"', "[", "{}", '{"head": "\\ud800", "relation": 1, "tail": 2}', 7])
def test_columns_that_are_none_are_refused(api, columns):
    answer = api("analyst").post(
        "/api/v1/uploads/preview", {"sources": ["/nowhere"], "columns": columns}, format="json"
    )
    assert answer.status_code == 400
    assert "columns" in json.dumps(answer.json())
