"""``manage.py doctor`` finds what is damaged and says how to mend it; damage is told to readers without paths."""

import io
import os
import shutil
import time
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from retrieval import plugins
from retrieval.kg.snapshot import integrity
from retrieval.plugins import Plugin
from webapp.graphs import files
from webapp.graphs.models import GraphVersion, SourceFile
from webapp.project import doctor
from webapp.uploads.models import get_folder as incoming


def look(*flags):
    """What the command says, and whether it found damage."""
    out, code = io.StringIO(), 0
    try:
        call_command("doctor", *flags, stdout=out, stderr=out)
    except CommandError as error:
        code = error.returncode
    return out.getvalue(), {0: False, 1: True}[code]


def zero(path, count=50):
    """Overwrite the end of a file, as a bad disk does."""
    with path.open("r+b") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - count))
        file.write(bytes(min(count, size)))


@pytest.fixture
def place(tiny_graph):
    return files.get_path(tiny_graph.snapshot.path)


def test_all_is_well(tiny_graph):
    said, damaged = look()
    assert not damaged, said
    for line in ("PostgreSQL", "Redis", "home", "Tiny, version 1               "):
        assert line in said
    assert "0 damaged." in said
    assert "Tiny" not in look("--quiet")[0]


def test_a_plug_in_that_is_not_used_is_told_with_the_reason(tiny_graph, monkeypatch):
    broken = Plugin("clew.llm", "mine", "mine 1.0", problem="mine:stream cannot be loaded: KeyError: 'A'")
    monkeypatch.setattr(plugins, "list_plugins", lambda: [broken])
    said, damaged = look("--quiet")
    assert not damaged, said
    assert "note     plug-in mine (clew.llm)            mine:stream cannot be loaded: KeyError: 'A'\n" in said
    assert "-> Repair, update or uninstall mine 1.0.\n" in said


@pytest.mark.parametrize(
    "name", ["tails.npy", "entity_labels.utf8.npy", "names.utf8.npy", "manifest.json", "checksums.json"]
)
def test_damaged_files_of_a_graph_are_found_and_never_served(tiny_graph, place, api, name):
    viewer = api("viewer")
    url = f"/api/v1/graphs/{tiny_graph.pk}/entities?q=Switz"
    assert viewer.get(url).status_code == 200
    zero(place / name)
    answer = viewer.get(url)
    assert answer.status_code == 503
    error = answer.json()["error"]
    assert error["code"] == "damaged"
    assert name in error["message"]
    assert "another version" in error["hint"]
    assert str(settings.CLEW.home) not in answer.content.decode()
    said, damaged = look()
    assert damaged
    assert f"not what was written: {name}" in said
    assert "Restore its files from a backup" in said


def test_put_back_it_is_served_again(tiny_graph, place, api, tmp_path):
    shutil.copytree(place, tmp_path / "backup")
    zero(place / "tails.npy")
    url = f"/api/v1/graphs/{tiny_graph.pk}/neighbours?entity=0"
    assert api("viewer").get(url).status_code == 503
    shutil.rmtree(place)
    shutil.copytree(tmp_path / "backup", place)
    assert api("viewer").get(url).status_code == 200
    assert not look()[1]


def test_a_graph_without_checksums_is_damaged(place):
    (place / integrity.CHECKSUMS).unlink()
    said, damaged = look("--fix")
    assert damaged
    assert f"not what was written: {integrity.CHECKSUMS}" in said


def test_what_can_be_computed_again_is_removed_if_asked(place):
    vectors = place / "vectors-x"
    vectors.mkdir()
    (vectors / "vectors.npy").write_bytes(b"abc")
    integrity.write_checksums(vectors)
    zero(vectors / "vectors.npy")
    said, damaged = look()
    assert damaged
    assert "Tiny, version 1: vectors-x" in said
    said, damaged = look("--fix")
    assert not damaged
    assert not vectors.exists()


def test_a_checkpoint(checkpoint, tiny_graph):
    made = checkpoint(path=f"checkpoints/{tiny_graph.pk}/7", fingerprint="abc")
    place = files.get_path(made.path)
    assert f"checkpoint {made.pk} (rel-rag-path of Tiny)" in look()[0]
    place.mkdir(parents=True)
    (place / "manifest.json").write_text('{"fingerprint": "abc"}')
    (place / "config.json").write_text("{}")
    (place / "weights.pt").write_bytes(b"weights")
    assert look()[1]
    integrity.write_checksums(place)
    assert not look()[1]
    zero(place / "weights.pt")
    said, damaged = look()
    assert damaged
    assert "not what was written: weights.pt" in said
    integrity.write_checksums(place)
    made.fingerprint = "other"
    made.save()
    assert "holds something else than the database says" in look()[0]


def test_database_and_files_that_do_not_agree(tiny_graph, place):
    GraphVersion.objects.filter(graph=tiny_graph).update(hash="0" * 64)
    SourceFile.objects.create(graph=tiny_graph, name="a.tsv", path=f"uploads/{tiny_graph.pk}/0.tsv", size=3)
    shutil.copytree(place, place.with_name("9"))
    (Path(settings.MEDIA_ROOT) / "checkpoints" / "4711").mkdir(parents=True)
    incoming().mkdir(parents=True, exist_ok=True)
    (incoming() / "stray").write_bytes(b"x")
    said, damaged = look("--fix")
    assert damaged
    for line in (
        "holds something else than the database says",
        f"uploads/{tiny_graph.pk}/0.tsv is missing",
        f"snapshots/{tiny_graph.pk}/9",
        "checkpoints/4711",
        "incoming/stray",
    ):
        assert line in said
    assert place.with_name("9").is_dir(), "what nobody knows is left alone"
    shutil.rmtree(place)
    assert "its directory is missing" in look()[0]


def test_what_a_crash_left_is_removed_when_it_is_old(place):
    left = place.parent / ".3.building-abc"
    left.mkdir()
    (left / "rows.spill").write_bytes(b"x")
    assert "a build" not in look("--fix")[0], "somebody may be at it"
    old = time.time() - 2 * 24 * 3600
    for path in (left / "rows.spill", left):
        os.utime(path, (old, old))
    assert "a build that was not ended" in look()[0]
    assert left.is_dir()
    assert "removed" in look("--fix")[0]
    assert not left.exists()


def test_servers_that_are_away(tiny_graph, monkeypatch):
    import redis as client

    with monkeypatch.context() as away:
        away.setattr(doctor, "get_redis_client", lambda: client.Redis(port=1))
        found = list(doctor.check_all())
    assert [one.thing for one in found if one.state == "damaged"] == ["Redis"]


def test_the_home(tiny_graph, monkeypatch):
    home = Path(settings.CLEW.home)
    mode = home.stat().st_mode & 0o777
    try:
        home.chmod(0o755)
        assert any("may enter" in one.said for one in doctor.check_home())
        home.chmod(0o700)
        assert [one.state for one in doctor.check_home()] == ["ok"]
        monkeypatch.setattr(doctor, "FREE_MIN", 10**18)
        assert "are left on its disk" in next(iter(doctor.check_home())).said
    finally:
        home.chmod(mode)
