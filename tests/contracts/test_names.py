"""Naming conventions: functions begin with a verb, and variables and classes are not called by vague filler words."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("clew", "retrieval", "webapp", "worker")
#: Lower limit for the share of functions (without properties) whose names begin with a verb.
VERB_SHARE = {"clew": 0.75, "retrieval": 0.85, "webapp": 0.75, "worker": 0.75}
#: Upper limit for filler words used as variable names, per 1,000 lines.
FILLERS_PER_1000 = 5.0
FILLERS = frozenset(["own", "one", "found", "told", "said", "at", "asked", "named", "given", "whole", "beside"])
FORBIDDEN_CLASSES = re.compile(r"_?(Asked|Told|Found|Said|Known|Given|Reading|Seen|Made|Shown|Kept|Held)")
VERBS = frozenset((Path(__file__).parent / "verbs.txt").read_text(encoding="utf-8").split())


@dataclass(frozen=True)
class PackageNames:
    """The names of a package, the forbidden ones with their places."""

    lines: int
    functions: list[str]
    fillers: list[str]
    participles: list[str]


@cache
def read_names(package: str) -> PackageNames:
    """Parse a package once, and keep names instead of syntax trees of a million objects."""
    lines = sum(text.count("\n") for _, text in read_files(package))
    names = PackageNames(lines, functions=[], fillers=[], participles=[])
    for path, text in read_files(package):
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Name):
                if node.id in FILLERS:
                    names.fillers.append(f"{path.relative_to(ROOT)}:{node.lineno} {node.id}")
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                decorators = map(ast.unparse, node.decorator_list)
                if not node.name.startswith("__") and not any("property" in decorator for decorator in decorators):
                    names.functions.append(node.name.strip("_"))
            elif isinstance(node, ast.ClassDef) and FORBIDDEN_CLASSES.fullmatch(node.name):
                names.participles.append(f"{path.relative_to(ROOT)}:{node.lineno} {node.name}")
    return names


def read_files(package: str) -> Iterator[tuple[Path, str]]:
    for path in sorted((ROOT / package).rglob("*.py")):
        if "migrations" not in path.parts:
            yield path, path.read_text(encoding="utf-8")


@pytest.mark.parametrize("package", PACKAGES)
def test_functions_begin_with_a_verb(package):
    names = read_names(package).functions
    others = Counter(name for name in names if name.split("_")[0] not in VERBS)
    share = 1 - others.total() / len(names)
    assert share >= VERB_SHARE[package], f"{share:.3f}; without a verb: {others.most_common(40)}"


@pytest.mark.parametrize("package", PACKAGES)
def test_variables_are_not_called_by_filler_words(package):
    names = read_names(package)
    assert 1000 * len(names.fillers) / names.lines <= FILLERS_PER_1000, names.fillers[:40]


@pytest.mark.parametrize("package", PACKAGES)
def test_classes_are_not_called_by_participles(package):
    assert read_names(package).participles == []
