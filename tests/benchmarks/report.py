"""What a benchmark returns, how it is kept in docs/benchmarks/, and docs/benchmarks.md, which is made of that."""

from __future__ import annotations

import json
import os
import platform
import re
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

PAGE_BYTES = 12 * 1024
COMMAND = "python -m tests.benchmarks "
OTHER = "Other"
_FIGURES, _COMMAND, _FLAT = 72, 32, 200
_INTRODUCTION = f"""# Benchmarks

Generated: each line is one result with its most important figures (or its first row). Its link leads to the JSON file
with all rows (`more`: further tables), an explanation (`note`), the command and the machine (`environment`).

`make bench` runs the short benchmarks. `{COMMAND}NAME` runs one, replaces its JSON files and
generates this page again; the last column has what follows `{COMMAND.strip()}`. Public data sets are looked
for in the folder that `CLEW_BENCH_DATA` names; without it their benchmarks are left out.

All results are from machines with two cores (x86_64) and no GPU, often beside other work: trust ratios more than times.
*Exact*: share of questions with exactly the right answers. ECE: expected calibration error. Hit, Hit@1 and Macro-F1:
[evaluation.md](evaluation.md).
"""


@dataclass
class Section:
    """A table under a title, with the command that made it; its columns are figure, measured, goal or ``head``.

    ``headline`` is shown on the page in place of the first row. ``theme`` is the heading that the page has it under;
    without one, it stays where the file of the same title had it.
    """

    title: str
    command: str
    about: str = ""
    rows: list[tuple[str, ...]] = field(default_factory=list)
    head: tuple[str, ...] = ("figure", "measured", "goal")
    headline: str = ""
    theme: str = ""

    def add(self, *cells: str) -> None:
        """One row; cells that are left out are empty."""
        self.rows.append((*cells, *[""] * (len(self.head) - len(cells))))

    def markdown(self) -> str:
        lines = [f"## {self.title}", ""]
        if self.about:
            lines += [self.about, ""]
        lines += [f"`{self.command}`", "", f"| {' | '.join(self.head)} |", "|---" * len(self.head) + "|"]
        lines += [f"| {' | '.join(row)} |" for row in self.rows]
        return "\n".join(lines) + "\n"


def write(sections: list[Section], page: Path) -> None:
    """Keep each section as a JSON file in the folder named like the page, and generate the page from all of them.

    Of the file that a section replaces stay its theme and the further tables (``more``), which were measured apart.
    """
    folder = page.with_suffix("")
    folder.mkdir(exist_ok=True)
    for section in sections:
        path = folder / f"{make_slug(section.title)}.json"
        old = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        path.write_text(format_json(_describe(section, old)) + "\n", encoding="utf-8")
    page.write_text(make_page(folder), encoding="utf-8")


def make_slug(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def make_page(folder: Path) -> str:
    """docs/benchmarks.md: a table for each theme, with a line for each JSON file of the folder."""
    themes: dict[str, list[str]] = {}
    for path in sorted(folder.glob("*.json")):
        result = json.loads(path.read_text(encoding="utf-8"))
        themes.setdefault(result["theme"], []).append(_line(result, f"{folder.name}/{path.name}"))
    parts = [_INTRODUCTION]
    for theme, lines in sorted(themes.items(), key=lambda item: (item[0] == OTHER, item[0])):
        parts += [f"\n## {theme}\n\n| result | figures | command |\n|---|---|---|\n", *lines]
    return "".join(parts)


def _line(result: Mapping[str, Any], link: str) -> str:
    figures = result["headline"]
    if not figures and result["rows"]:
        first, *cells = result["rows"][0]
        named = zip(result["head"][1:], cells, strict=False)
        figures = textwrap.shorten(
            f"{first}: {', '.join(f'{name} {cell}' for name, cell in named if cell)}", _FIGURES, placeholder=" …"
        )
    command = textwrap.shorten(result["command"].removeprefix(COMMAND), _COMMAND, placeholder=" …")
    return f"| [{result['title']}]({link}) | {figures} | `{command}` |\n"


def _describe(section: Section, old: Mapping[str, Any]) -> dict[str, Any]:
    result = {
        "title": section.title,
        "theme": section.theme or old.get("theme", OTHER),
        "headline": section.headline,
        "command": section.command,
        "environment": {
            "processors": os.cpu_count(),
            "machine": platform.machine(),
            "python": platform.python_version(),
            "torch": version("torch"),
            "date": f"{datetime.now(UTC):%Y-%m-%d}",
        },
        "note": section.about.split("\n\n") if section.about else [],
        "head": section.head,
        "rows": section.rows,
    }
    return result | ({"more": old["more"]} if "more" in old else {})


def format_json(value: object, indent: str = "") -> str:
    """As JSON that is readable in a diff: lists of texts on one line where that is short, rows on a line each."""
    flat = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, dict | list | tuple):
        return flat
    parts = list(value.values() if isinstance(value, dict) else value)
    if len(flat) <= _FLAT and not any(isinstance(part, dict | list | tuple) for part in parts):
        return flat
    inner = indent + "  "
    items = [format_json(part, inner) for part in parts]
    if isinstance(value, dict):
        items = [f"{json.dumps(name)}: {item}" for name, item in zip(value, items, strict=True)]
    start, end = "{}" if isinstance(value, dict) else "[]"
    return f"{start}\n{inner}" + f",\n{inner}".join(items) + f"\n{indent}{end}"
