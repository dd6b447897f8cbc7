"""The guides of the documentation, followed to the letter."""

from __future__ import annotations

import contextlib
import io
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import retrieval
import retrieval.methods
from retrieval.methods import registry

DOCS = Path(__file__).parents[2] / "docs"
ENGINE = Path(retrieval.__file__).parent
LAYER = "my_layers.py"
_NAMED = re.compile(r"^```(\w+) (\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_BLOCK = re.compile(r"^```\w+ (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(guide: str) -> dict[str, str]:
    """The code of a guide by the place that it names."""
    return dict(_BLOCK.findall((DOCS / guide).read_text(encoding="utf-8")))


def run_page(page: str, folder: Path, changes: dict[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """Run a page's blocks of Python and shell in order; what each printed, and what the page says that it prints.

    Args:
        page: its file; a block of code has a name after its language, and one of text the name of its code.
        folder: working directory of shell blocks.
        changes: texts of the page and what stands in their place.
    """
    text = (DOCS / page).read_text(encoding="utf-8")
    for old, new in changes.items():
        text = text.replace(old, new)
    blocks = _NAMED.findall(text)
    printed = {name: _run_block(kind, code, page, folder) for kind, name, code in blocks if kind != "text"}
    return printed, {name: code for kind, name, code in blocks if kind == "text"}


def _run_block(kind: str, code: str, page: str, folder: Path) -> str:
    if kind == "sh":
        return subprocess.run(["bash", "-c", code], cwd=folder, capture_output=True, check=True, text=True).stdout
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.chdir(folder):
        exec(compile(code, page, "exec"), {})
    return printed.getvalue()


def format_added(folder: Path) -> Path:
    """A copy of the engine with the format of "Add a format", put in as the guide says; gives its root."""
    code = blocks("add-a-format.md")
    line = code.pop("catalog")
    shutil.copytree(
        ENGINE,
        folder / "retrieval",
        ignore=shutil.ignore_patterns("__pycache__", "checkpoint", "facts", "questions.jsonl*"),
    )
    readers = folder / "retrieval" / "kg" / "readers"
    for place, text in code.items():
        (readers / "formats" / place).write_text(text, encoding="utf-8")
    catalog = readers / "catalog.py"
    catalog.write_text(catalog.read_text().replace("MODULES = (\n", f"MODULES = (\n{line}", 1))
    return folder


@contextmanager
def layer_added(tmp_path: Path) -> Iterator[str]:
    """The layer of "Bring your own PyG layer", importable and listed as the guide says; gives its name."""
    (tmp_path / LAYER).write_text(blocks("add-a-method.md")[LAYER], encoding="utf-8")
    name = "my_layers:RelationGate"
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(tmp_path)
        patch.setenv("CLEW_LAYERS", name)
        yield name
    sys.modules.pop(Path(LAYER).stem, None)


@contextmanager
def method_added(tmp_path: Path) -> Iterator[str]:
    """The method of "Add a method", installed as the guide says; gives its name."""
    code = blocks("add-a-method.md")
    code.pop(LAYER)
    folder = code.pop("registry").strip().strip('",')
    for place, text in code.items():
        path = tmp_path / "methods" / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (tmp_path / "methods" / folder / "__init__.py").write_text('"""Votes of words."""\n')
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(retrieval.methods, "__path__", [*retrieval.methods.__path__, str(tmp_path / "methods")])
        methods = registry.read((*registry.FOLDERS, folder))
        (name,) = methods.keys() - registry.METHODS.keys()
        patch.setattr(registry, "METHODS", methods)
        patch.setattr(registry, "TRAINED", registry.TRAINED | {name})
        patch.setattr(registry, "RETRIEVERS", registry.RETRIEVERS | {name})
        yield name
    for module in [one for one in sys.modules if one.startswith(f"retrieval.methods.{folder}")]:
        del sys.modules[module]
