"""The wheel holds what it needs; installed, it starts, shows its pages and answers."""

import zipfile

import pytest
import requests

from tests.installed.conftest import PACKAGES

pytestmark = pytest.mark.slow


def test_wheel_holds_all_of_the_packages_and_nothing_else(copy, wheel):
    files = (path for package in PACKAGES for path in (copy / package).rglob("*") if path.is_file())
    expected = {path.relative_to(copy).as_posix() for path in files if path.suffix != ".md"}
    with zipfile.ZipFile(wheel) as packed:
        assert {name for name in packed.namelist() if ".dist-info/" not in name} == expected
    assert {"webapp/project/frontend/index.html", "retrieval/demo/checkpoint/weights.safetensors"} < expected
    assert wheel.stat().st_size < 25e6


def test_first_question_is_answered(clew):
    assert '<div id="root">' in requests.get(f"{clew.url}/graphs", timeout=30).text
    graph = clew.api("GET", "graphs")["results"][0]
    run = clew.api("POST", "runs", json={"graph": graph["id"], "question": graph["examples"][0]})
    list(clew.events(run["id"]))
    assert clew.api("GET", f"runs/{run['id']}")["answers"] == ["French", "German", "Italian"]
    assert (clew.folder / ".clew" / "storage").is_dir()
