"""CLEW_HOME: closed to others, started once at a time, and told from its copies."""

import os
import shutil
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from retrieval.errors import ConfigError
from webapp.project import home, postgres

ROOT = Path(__file__).parents[3]


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_a_home_is_closed_and_what_lies_above_it_is_left_alone(tmp_path):
    above = tmp_path / "above"
    above.mkdir(mode=0o711)
    above.chmod(0o711)
    old = above / "old"
    old.mkdir()
    old.chmod(0o755)
    for path in (old, above / "new"):
        home.make_private(path)
        assert mode(path) == 0o700
    (above / "new" / "file").touch()
    assert mode(above / "new" / "file") == 0o600
    assert mode(above) == 0o711


def test_a_directory_that_others_use_is_no_home(tmp_path):
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    with pytest.raises(ConfigError, match="holds more than Clew's data") as caught:
        home.make_private(shared)
    assert str(shared / "clew") in caught.value.hint
    assert mode(shared) == 0o1777


def test_a_home_that_cannot_be_made_is_said(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match="which cannot be made"):
        home.make_private(tmp_path / "file" / "home")


def test_one_home_is_started_once(tmp_path):
    code = (
        "import sys; from pathlib import Path; from webapp.project import home\n"
        "with home.lock_home(Path(sys.argv[1])): print('up', flush=True); input()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        assert other.stdout.readline() == "up\n"
        with (
            pytest.raises(ConfigError, match=rf"already runs on .* \(process {other.pid}\)") as caught,
            home.lock_home(tmp_path),
        ):
            pass
        assert "CLEW_HOME" in caught.value.hint
        other.kill()
    with home.lock_home(tmp_path):
        assert (tmp_path / "run" / "up.lock").read_text() == f"{os.getpid()}\n"


def test_a_copy_gets_an_identity_of_its_own_and_a_moved_home_keeps_its(tmp_path):
    original = tmp_path / "original"
    original.mkdir()
    first, copied = home.ensure_identity(original)
    assert copied is None
    assert home.ensure_identity(original) == (first, None)

    shutil.copytree(original, tmp_path / "copy")
    second, copied = home.ensure_identity(tmp_path / "copy")
    assert copied == first
    assert second.id != first.id
    assert home.ensure_identity(tmp_path / "copy") == (second, None)

    moved = original.rename(tmp_path / "moved")
    third, copied = home.ensure_identity(moved)
    assert (third.id, third.path, copied) == (first.id, str(moved), None)

    (moved / "identity").write_text("torn")
    fourth, copied = home.ensure_identity(moved)
    assert fourth.id != first.id
    assert copied is None


def test_programs_that_a_server_of_root_cannot_reach_are_copied_not_opened(tmp_path, monkeypatch):
    monkeypatch.setattr(postgres, "SHARED", tmp_path / "shared")
    monkeypatch.setattr(postgres, "_open_to_all", lambda tree: False)
    if os.geteuid() != 0:
        with pytest.raises(ConfigError, match="does not belong to root"):
            postgres._find_programs((1, 1))
        return
    programs = postgres._find_programs((1, 1))
    (copy,) = (tmp_path / "shared").iterdir()
    assert programs.is_relative_to(copy)
    modes = {mode(path) for path in copy.rglob("*") if not path.is_symlink()}
    assert modes == {0o755, 0o644}
    started = subprocess.run([programs / "initdb", "--version"], capture_output=True, text=True, check=False)
    assert started.stdout.startswith("initdb (PostgreSQL) 18"), started.stderr
    assert postgres._find_programs((1, 1)) == programs


ORDINARY = 65534
CODE = (
    "import sys; from pathlib import Path; from webapp.project.embedded import Servers\n"
    "s = Servers(Path(sys.argv[1])); s.hold(); print([x.name for x in s.servers if x.is_ready()]); s.release()"
)


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("setpriv"), reason="only root becomes another user")
def test_an_ordinary_user_starts_both_servers_too():
    place = Path(tempfile.mkdtemp(prefix="clew-ordinary-", dir="/tmp"))
    try:
        os.chown(place, ORDINARY, ORDINARY)
        become = ["setpriv", "--reuid", str(ORDINARY), "--regid", str(ORDINARY), "--clear-groups"]
        # It may read, but not write, where this checkout or its Python are closed to others.
        become += ["--inh-caps", "+dac_read_search", "--ambient-caps", "+dac_read_search"]
        done = subprocess.run(
            [*become, sys.executable, "-c", CODE, str(place / "home")],
            cwd=ROOT,
            env={**os.environ, "HOME": str(place)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.stdout, done.returncode) == ("['Redis', 'PostgreSQL']\n", 0), done.stderr
        assert {mode(path) for path in (place / "home").iterdir()} == {0o700, 0o600}
        assert {path.stat().st_uid for path in (place / "home").rglob("*")} == {ORDINARY}
    finally:
        shutil.rmtree(place)
