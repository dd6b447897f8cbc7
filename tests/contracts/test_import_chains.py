"""How many modules of the engine import each other in a row: what one has to know to read the first of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@cache
def _find_modules() -> dict[str, Path]:
    files = (ROOT / "retrieval").rglob("*.py")
    parts = ((file, file.relative_to(ROOT).with_suffix("").parts) for file in files)
    return {".".join(names[:-1] if names[-1] == "__init__" else names): file for file, names in parts}


def _iter_imports(node: ast.AST) -> Iterator[str]:
    """The modules that are loaded with one: neither those imported for types nor those imported by functions."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef) or (
            isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test)
        ):
            continue
        if isinstance(child, ast.ImportFrom) and child.module is not None:
            names = [f"{child.module}.{alias.name}" for alias in child.names]
            yield from (name if name in _find_modules() else child.module for name in names)
        yield from _iter_imports(child)


@cache
def _find_longest_chain(package: str, module: str) -> tuple[str, ...]:
    imports = set(_iter_imports(ast.parse(_find_modules()[module].read_text(encoding="utf-8"))))
    inside = (name for name in imports if name in _find_modules() and name.startswith(f"{package}.") and name != module)
    return (module, *max((_find_longest_chain(package, name) for name in sorted(inside)), key=len, default=()))


@pytest.mark.parametrize(("package", "most"), [("retrieval", 20), ("retrieval.programs", 10)])
def test_import_chains_stay_short(package: str, most: int) -> None:
    chains = [_find_longest_chain(package, module) for module in _find_modules() if module.startswith(package)]
    longest = max(chains, key=len)
    assert len(longest) <= most, " > ".join(longest)
