"""The table of a study for papers, spreadsheets and pages. Plain Python."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from retrieval.kg.analysis.import_report import harmless
from retrieval.metrics.names import METRICS, NAMES, number

Row = Mapping[str, Any]

_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
}  # fmt: skip
_MARKED = "\\`*_[]<>|#"


def as_latex(rows: Sequence[Row], caption: str) -> str:
    """A table for LaTeX with booktabs: the best mean of each metric, of one test set, is bold."""
    keys, names = _keys(rows), _metrics(rows)
    best = {
        (test, name): max(
            row["metrics"][name]["mean"] for row in rows if row["test"] == test and name in row["metrics"]
        )
        for name in names
        if not name.startswith("avg_")
        for test in {row["test"] for row in rows if name in row["metrics"]}
    }

    def figure(row: Row, name: str) -> str:
        found = row["metrics"].get(name)
        if found is None:
            return "--"
        mean = number(found["mean"], name)
        shown = rf"\mathbf{{{mean}}}" if best.get((row["test"], name)) == found["mean"] else mean
        spread = "" if found["sd"] is None else rf" \pm {number(found['sd'], name)}"
        return f"${shown}{spread}$"

    lines = [
        " & ".join([*(_latex(text) for text in _place(row, keys)), *(figure(row, name) for name in names)])
        + r" \\"
        for row in rows
    ]
    head = " & ".join([*(_latex(title) for title, _ in keys), *(_latex(NAMES[name]) for name in names)])
    columns = "l" * len(keys) + "r" * len(names)
    return "\n".join(
        [
            r"% needs \usepackage{booktabs}",
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{_latex(caption)}}}",
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            rf"{head} \\",
            r"\midrule",
            *lines,
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def as_markdown(rows: Sequence[Row], title: str) -> str:
    """A table in Markdown: mean and deviation over the seeds."""
    keys, names = _keys(rows), _metrics(rows)
    head = [*(label for label, _ in keys), *(NAMES[name] for name in names)]
    lines = [
        [*(_marked(text) for text in _place(row, keys)), *(_spread(row, name) for name in names)]
        for row in rows
    ]
    table = [head, ["---"] * len(head), *lines]
    return "\n".join([f"# {_marked(title)}", "", *(f"| {' | '.join(line)} |" for line in table), ""])


def as_csv(rows: Sequence[Row]) -> str:
    """A row for each variant, share, training and test set: every metric's mean, deviation and interval, unrounded."""
    names, file = _metrics(rows), io.StringIO(newline="")
    out = csv.writer(file)
    out.writerow(
        (
            *("trained_on", "share", "variant", "tested_on", "questions", "seeds"),
            *(f"{name}_{what}" for name in names for what in ("mean", "sd", "low", "high")),
            *("training_s", "latency_ms"),
        )
    )
    for row in rows:
        out.writerow(
            (
                *(
                    harmless(row["train"]),
                    f"{row['fraction']:g}",
                    harmless(row["variant"]),
                    harmless(row["test"]),
                ),
                *(row["n"], len(row["seeds"])),
                *(cell for name in names for cell in _cells(row, name)),
                *(f"{row[name]['mean']:.6g}" for name in ("training_s", "latency_ms")),
            )
        )
    return file.getvalue()


def _cells(row: Row, name: str) -> list[str]:
    found, bounds = row["metrics"].get(name), row["intervals"].get(name) or (None, None)
    values = (None, None) if found is None else (found["mean"], found["sd"])
    return ["" if value is None else f"{value:.6g}" for value in (*values, *bounds)]


Key = tuple[str, Callable[[Row], str]]


def _keys(rows: Sequence[Row]) -> list[Key]:
    """The columns that tell rows apart: what all have in common is left out, the variant never."""
    every: list[tuple[str, str, Callable[[Row], str]]] = [
        ("variant", "variant", lambda row: str(row["variant"])),
        ("train", "trained on", lambda row: str(row["train"])),
        ("fraction", "share", lambda row: f"{row['fraction']:.4g}"),
        ("test", "tested on", lambda row: str(row["test"])),
    ]
    return [
        (title, text)
        for name, title, text in every
        if name == "variant" or len({row[name] for row in rows}) > 1
    ]


def _place(row: Row, keys: Sequence[Key]) -> list[str]:
    return [text(row) for _, text in keys]


def _metrics(rows: Sequence[Row]) -> list[str]:
    return [name for name in METRICS if any(name in row["metrics"] for row in rows)]


def _spread(row: Row, name: str) -> str:
    found = row["metrics"].get(name)
    if found is None:
        return "–"
    deviation = "" if found["sd"] is None else f" ± {number(found['sd'], name)}"
    return number(found["mean"], name) + deviation


def _latex(text: str) -> str:
    return "".join(_LATEX.get(letter, letter) for letter in " ".join(text.split()))


def _marked(text: str) -> str:
    return "".join(f"\\{letter}" if letter in _MARKED else letter for letter in " ".join(text.split()))
