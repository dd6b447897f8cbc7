"""Imports point one way, and the web process stays small."""

import importlib
import re
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import grimp

ROOT = Path(__file__).parents[2]


def test_import_rules_hold():
    done = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"],
        cwd=ROOT,
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_file_imports_itself_by_way_of_others():
    graph = grimp.build_graph("clew", "retrieval", "webapp", "worker", cache_dir=None)  # imports for types count too
    TopologicalSorter({file: graph.find_modules_directly_imported_by(file) for file in graph.modules}).prepare()


def test_the_web_process_never_imports_torch():
    code = (
        "import sys, webapp.project.asgi, webapp.project.api_urls\n"
        "heavy = {'torch', 'transformers', 'sentence_transformers', 'faiss', 'torch_geometric', 'polars', 'openai'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_settings_of_methods_are_read_without_torch():
    code = "import sys, retrieval.methods.registry; print(sorted({'torch', 'numpy', 'polars'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_what_benchmarks_import_is_there():
    """Also in the code that they run in processes of their own; nothing else tries that before a benchmark is run."""
    found = set()
    for file in (ROOT / "tests" / "benchmarks").glob("*.py"):
        text = file.read_text(encoding="utf-8")
        imports = re.findall(r"from ((?:retrieval|tests)[\w.]*) import (\([^)]*\)|[^\n#;(]+)", text)
        for module, names in imports:
            found |= {(file.name, module, name) for name in re.findall(r"\w+", re.sub(r" as \w+", "", names))}
    assert len(found) > 100
    lost = [one for one in sorted(found) if not _is_there(*one[1:])]
    assert lost == []


def _is_there(module: str, name: str) -> bool:
    return hasattr(importlib.import_module(module), name) or bool(importlib.util.find_spec(f"{module}.{name}"))
