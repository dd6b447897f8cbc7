"""The table of error codes in docs/api.md is complete, and what it promises is kept."""

from __future__ import annotations

import ast
import importlib
import re
from pathlib import Path

import webapp.api.errors as web
from retrieval.errors import ClewError
from worker import watchdog

ROOT = Path(__file__).parents[2]
FILES = [path for package in ("retrieval", "webapp", "worker") for path in sorted((ROOT / package).rglob("*.py"))]
SOURCES = {path: path.read_text(encoding="utf-8") for path in FILES if "migrations" not in path.parts}


def read_table() -> dict[str, str]:
    """Status of each code in the documentation; a dash for what only runs and jobs have."""
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8").partition("## Error codes")[2]
    rows = re.findall(r"^\| `([a-z_]+)` \| (\d{3}|–) \| \S.* \|$", page, re.MULTILINE)
    assert len({code for code, _ in rows}) == len(rows), "a code stands in it twice"
    return dict(rows)


def list_classes() -> list[type[ClewError]]:
    """The classes of errors, wherever they are defined."""
    for path, source in SOURCES.items():
        if re.search(r'^    code = "', source, re.MULTILINE):
            importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
    classes = [ClewError]
    for cls in classes:
        classes += [each for each in cls.__subclasses__() if each.__module__.startswith(("retrieval.", "webapp."))]
    return classes


def collect_others() -> set[str]:
    """Codes that errors get without a class: given to ``render_error``, set on an error, or written into JSON."""
    found = {watchdog.Why.OVERDUE.value, *(code for _, code, _ in web._DRF_CODES)}
    for node in (each for source in SOURCES.values() for each in ast.walk(ast.parse(source))):
        match node:
            case ast.Call(func=ast.Name("render_error" | "RunFailed"), args=[ast.Constant(str(code)), *_]):
                found.add(code)
            case ast.Assign(targets=[ast.Attribute(attr="code")], value=ast.Constant(str(code))):
                found.add(code)
            case ast.Dict(
                keys=[ast.Constant("code"), ast.Constant("message"), *_], values=[ast.Constant(str(code)), *_]
            ):
                found.add(code)
    return found


def get_status(cls: type[ClewError]) -> str:
    return str(next(status for parent, status in web.STATUS if issubclass(cls, parent)))


def test_table_has_each_code_of_a_class_with_its_status():
    table = read_table()
    expected = {cls.code: get_status(cls) for cls in list_classes()}
    assert len(expected) > 60
    assert {code: status for code, status in expected.items() if table.get(code) not in (status, "–")} == {}


def test_table_has_all_other_codes_and_no_code_that_was_removed():
    table = read_table()
    classes, others = {cls.code for cls in list_classes()}, collect_others()
    assert {"too_slow", "not_authenticated", "worker_lost", "internal"} <= others
    assert others - table.keys() == set()
    assert table.keys() - classes - others == set()
