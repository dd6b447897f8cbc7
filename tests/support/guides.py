"""The guides of the documentation, followed to the letter."""

from __future__ import annotations

import re
import shutil
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
_BLOCK = re.compile(r"^```\w+ (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(guide: str) -> dict[str, str]:
    """The code of a guide by the place that it names."""
    return dict(_BLOCK.findall((DOCS / guide).read_text(encoding="utf-8")))


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
