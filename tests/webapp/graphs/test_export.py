"""A version as a file."""

import pytest

from retrieval.kg.build import build_snapshot
from retrieval.kg.export import EXPORT_FORMATS
from retrieval.kg.readers import read_graph


@pytest.fixture
def export(api, tiny_graph):
    """``export(format=...)``: the answer to a viewer."""
    return lambda **query: api("viewer").get(f"/api/v1/graphs/{tiny_graph.pk}/export", query)


@pytest.mark.parametrize("format", EXPORT_FORMATS)
def test_the_file_builds_the_version_again(export, tiny_graph, tmp_path, format):
    answer = export(format=format)
    assert answer.headers["Content-Disposition"] == f'attachment; filename="Tiny 1{EXPORT_FORMATS[format].suffix}"'
    path = tmp_path / f"graph{EXPORT_FORMATS[format].suffix}"
    path.write_bytes(b"".join(answer.streaming_content))
    built = build_snapshot(read_graph([path], problems=pytest.fail), tmp_path / "again")
    assert built.hash == tiny_graph.snapshot.hash


def test_what_a_format_cannot_hold_is_said(export, text_graph):
    error = export(format="facts").json()["error"]
    assert error["code"] == "bad_config"
    assert "cannot hold the passages, entity attributes, fact attributes" in error["message"]
    answer = export(format="facts", partial="true")
    assert b"".join(answer.streaming_content).startswith(b"head\trelation\ttail\n")
    assert export(format="docx").json()["error"]["fields"]["format"]
