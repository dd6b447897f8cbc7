"""Benchmark results: one JSON file per result in docs/benchmarks/, and the summary page generated from them."""

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

Generated: each line is one result with its main figures (or its first row). Its link leads to the JSON file
with all rows (`more`: further tables), an explanation (`note`), the command and the machine (`environment`).

`make bench` runs the short benchmarks. `{COMMAND}NAME` runs one, replaces its JSON files and
generates this page again; the last column has what follows `{COMMAND.strip()}`. Public data sets are looked
for in the folder that `CLEW_BENCH_DATA` names; without it their benchmarks are left out.

Unless `environment` says otherwise, results are from two cores (x86_64) without a GPU, often under other load: trust
ratios more than times.
*Exact*: share of questions with exactly the right answers. ECE: expected calibration error. Hit, Hit@1 and Macro-F1:
[evaluation.md](evaluation.md).
"""


@dataclass
class Section:
    """A titled table with the command that produced it. Columns default to figure, measured and goal.

    ``headline`` replaces the first row on the page. ``theme`` is the page heading that lists the section; if it is
    empty, the theme of the existing file is kept.
    """

    title: str
    command: str
    about: str = ""
    rows: list[tuple[str, ...]] = field(default_factory=list)
    head: tuple[str, ...] = ("figure", "measured", "goal")
    headline: str = ""
    theme: str = ""

    def add(self, *cells: str) -> None:
        """Append a row, padded with empty cells."""
        self.rows.append((*cells, *[""] * (len(self.head) - len(cells))))

    def markdown(self) -> str:
        lines = [f"## {self.title}", ""]
        if self.about:
            lines += [self.about, ""]
        lines += [f"`{self.command}`", "", f"| {' | '.join(self.head)} |", "|---" * len(self.head) + "|"]
        lines += [f"| {' | '.join(row)} |" for row in self.rows]
        return "\n".join(lines) + "\n"


def write(sections: list[Section], page: Path) -> None:
    """Write each section to a JSON file in the folder named like the page, and regenerate the page.

    A replaced file passes on its theme and its further tables (``more``), which are measured separately.
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
    """Return the summary page: a table per theme with a line per JSON file."""
    themes: dict[str, list[str]] = {}
    for path in sorted(folder.glob("*.json")):
        result = json.loads(path.read_text(encoding="utf-8"))
        themes.setdefault(result["theme"], []).append(_format_line(result, f"{folder.name}/{path.name}"))
    parts = [_INTRODUCTION]
    for theme, lines in sorted(themes.items(), key=lambda item: (item[0] == OTHER, item[0])):
        parts += [f"\n## {theme}\n\n| result | figures | command |\n|---|---|---|\n", *lines]
    return "".join(parts)


def _format_line(result: Mapping[str, Any], link: str) -> str:
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
    """Return JSON that diffs well: short flat lists on one line, one row per line."""
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
