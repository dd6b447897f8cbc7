"""Naming conventions: functions begin with a verb, and variables and classes are not called by vague filler words."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("retrieval", "webapp", "worker")
#: Lower limit for the share of functions (without properties) whose names begin with a verb.
VERB_SHARE = {"retrieval": 0.85, "webapp": 0.75, "worker": 0.75}
#: Upper limit for filler words used as variable names, per 1,000 lines.
FILLERS_PER_1000 = 5.0
FILLERS = frozenset(["own", "one", "found", "told", "said", "at", "asked", "named", "given", "whole", "beside"])
FORBIDDEN_CLASSES = re.compile(r"_?(Asked|Told|Found|Said|Known|Given|Reading|Seen|Made|Shown|Kept|Held)")
VERBS = frozenset((Path(__file__).parent / "verbs.txt").read_text(encoding="utf-8").split())


@cache
def parse_package(package: str) -> dict[Path, ast.Module]:
    files = (path for path in sorted((ROOT / package).rglob("*.py")) if "migrations" not in path.parts)
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in files}


def list_functions(package: str) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for tree in parse_package(package).values():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("__"):
                decorators = [ast.unparse(decorator) for decorator in node.decorator_list]
                if not any("property" in decorator for decorator in decorators):
                    yield node


@pytest.mark.parametrize("package", PACKAGES)
def test_functions_begin_with_a_verb(package):
    names = [node.name.strip("_") for node in list_functions(package)]
    others = Counter(name for name in names if name.split("_")[0] not in VERBS)
    share = 1 - others.total() / len(names)
    assert share >= VERB_SHARE[package], f"{share:.3f}; without a verb: {others.most_common(40)}"


@pytest.mark.parametrize("package", PACKAGES)
def test_variables_are_not_called_by_filler_words(package):
    lines, places = 0, list[str]()
    for path, tree in parse_package(package).items():
        lines += path.read_text(encoding="utf-8").count("\n")
        places += [
            f"{path.relative_to(ROOT)}:{node.lineno} {node.id}"
            for node in ast.walk(tree)
            if isinstance(node, ast.Name) and node.id in FILLERS
        ]
    assert 1000 * len(places) / lines <= FILLERS_PER_1000, places[:40]


@pytest.mark.parametrize("package", PACKAGES)
def test_classes_are_not_called_by_participles(package):
    forbidden = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"
        for path, tree in parse_package(package).items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and FORBIDDEN_CLASSES.fullmatch(node.name)
    ]
    assert forbidden == []
