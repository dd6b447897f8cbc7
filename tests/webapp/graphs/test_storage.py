"""What graphs take, and how much of it a person may."""

import pytest

from tests.webapp.graphs.test_graphs import upload
from tests.webapp.uploads.test_uploads import begin, code, complete
from webapp.accounts import quotas
from webapp.graphs import files, services

GB = 10**9


@pytest.fixture
def private(tiny_graph, users):
    """The tiny graph, which only its owner, an analyst, and administrators see."""
    services.set_access(graph=tiny_graph, visibility="private", owner=users["analyst"])
    return tiny_graph


def test_storage_is_shown_by_graph(api, private):
    (files.ensure_local_path(private.snapshot.path) / "cache").mkdir()
    (files.ensure_local_path(private.snapshot.path) / "cache" / "x").write_bytes(b"12345")
    trained = files.get_path(files.build_checkpoint_name(private.pk, 7)) / "cache"
    trained.mkdir(parents=True)
    (trained / "weights.pt").write_bytes(b"123")
    complete(api("analyst"))
    shown = api("analyst").get("/api/v1/storage").json()
    row = shown["graphs"][0]
    assert (row["name"], row["caches"], row["uploads"], row["trashed"]) == ("Tiny", 5, 0, False)
    assert row["snapshots"] == files.measure_size(private.snapshot.path) > 0
    assert row["others"] == 3
    assert row["total"] == row["snapshots"] + 8
    assert (shown["uploads"], shown["total"]) == (12, row["total"] + 12)
    assert (shown["mine"], shown["quota"]) == (12, None)
    assert shown["free"] > 0
    assert api("viewer").get("/api/v1/storage").json()["graphs"] == []


def test_a_quota_bounds_what_one_keeps(api, users, monkeypatch):
    monkeypatch.setattr(quotas, "get_default_quota", lambda: 100)
    assert code(begin(api(), 101)) == (413, "over_quota")
    assert begin(api(), 60).status_code == 201
    refused = begin(api(), 41)
    assert code(refused) == (413, "over_quota")
    assert "Delete" in refused.json()["error"]["hint"]
    assert begin(api("analyst"), 41).status_code == 201
    assert code(upload(api(), b"a\tr\tb\n" * 10)) == (413, "over_quota")
    assert upload(api()).status_code == 202


def test_a_quota_is_read_from_the_environment(settings):
    from dataclasses import replace

    settings.CLEW = replace(settings.CLEW, quota_gb=1.5)
    assert quotas.get_default_quota() == int(1.5 * GB)


# --- archives -----------------------------------------------------------------------------------------
