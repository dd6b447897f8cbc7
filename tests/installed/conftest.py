"""The wheel, an environment that has it, and a Clew that runs from there: without Node, away from the checkout."""

import os
import shutil
import subprocess
import sys
import time

import pytest

from tests.support.clew import ROOT, Clew

PACKAGES = ("clew", "retrieval", "webapp", "worker")
OTHERS = ("pyproject.toml", "README.md", "LICENSE", *(path.name for path in ROOT.glob("requirements*.txt")))


@pytest.fixture(scope="session")
def copy(tmp_path_factory):
    """What a wheel is built from, so that nothing is written into the checkout."""
    folder = tmp_path_factory.mktemp("copy")
    for name in OTHERS:
        shutil.copy(ROOT / name, folder)
    for name in PACKAGES:
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@pytest.fixture(scope="session")
def wheel(copy):
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-index", "--no-build-isolation"]
    subprocess.run([*pip, "--wheel-dir", str(copy / "dist"), str(copy)], check=True)
    return next((copy / "dist").glob("clew-*.whl"))


@pytest.fixture(scope="session")
def programs(wheel, tmp_path_factory):
    """``bin`` of an environment that has the wheel; what it depends on is that of the tests."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    packages = next((folder / "lib").glob("python3*/site-packages"))
    (packages / "tests.pth").write_text("\n".join(path for path in sys.path if path.endswith("site-packages")))
    pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run([*pip, str(wheel)], check=True, cwd=folder, env={**os.environ, "PYTHONPATH": ""})
    nice = shutil.which("nice")
    assert nice is not None
    (folder / "bin" / "nice").symlink_to(nice)
    return folder / "bin"


@pytest.fixture(scope="session")
def clew(programs, tmp_path_factory):
    """Started in a folder of its own, with the demo graph ready to be asked."""
    folder = tmp_path_factory.mktemp("clew")
    environ = {"PATH": str(programs), "PYTHONPATH": "", "CLEW_HOME": "", "CLEW_ANSWER_PROCESSES": "1"}
    with Clew(folder, environ, program=(str(programs / "clew"),), folder=folder) as running:
        deadline = time.monotonic() + 240
        while not [row for row in running.api("GET", "graphs")["results"] if row["state"] == "ready"]:
            assert time.monotonic() < deadline, running.log.read_text()
            time.sleep(0.2)
        yield running
