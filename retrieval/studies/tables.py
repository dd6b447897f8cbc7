"""The table of a study for papers, spreadsheets and pages. Plain Python."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from retrieval.kg.analysis.import_report import make_cell_safe
from retrieval.metrics.names import METRICS, NAMES, format_number
from retrieval.metrics.significance import TEST
from retrieval.studies.winners import PLACE

Row = Mapping[str, Any]

_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "±": r"$\pm$", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
}  # fmt: skip
_MARKED = "\\`*_[]<>|#"


def format_latex(rows: Sequence[Row], caption: str, *, split: str = "test", winners: Sequence[Row] = ()) -> str:
    """A table for LaTeX with booktabs: means, deviations and intervals, what they are of in the caption.

    Args:
        rows: of ``summarise``.
        caption: begins the caption.
        split: of the questions that were asked.
        winners: of ``find_winners``; those that are significant are bold.
    """
    keys, names, bold = _select_columns(rows), _list_metrics(rows), _find_bold(winners)

    def format_figure(row: Row, name: str) -> str:
        metric = row["metrics"].get(name)
        if metric is None:
            return "--"
        mean = format_number(metric["mean"], name)
        shown = rf"\mathbf{{{mean}}}" if _make_winner_key(row, name) in bold else mean
        spread = "" if metric["sd"] is None else rf" \pm {format_number(metric['sd'], name)}"
        bounds = row["intervals"].get(name)
        between = "" if bounds is None else rf" {{\scriptsize [{_format_bounds(bounds, name, ', ')}]}}"
        return f"${shown}{spread}${between}"

    lines = [
        " & ".join(
            [
                *(convert_to_latex(cell) for cell in _format_place(row, keys)),
                *(format_figure(row, name) for name in names),
            ]
        )
        + r" \\"
        for row in rows
    ]
    head = " & ".join(
        [*(convert_to_latex(title) for title, _ in keys), *(convert_to_latex(NAMES[name]) for name in names)]
    )
    columns = "l" * len(keys) + "r" * len(names)
    text = f"{caption.rstrip('.')}. {describe(rows, split=split)} {describe_bold(winners)}"
    return "\n".join(
        [
            r"% needs \usepackage{booktabs}",
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{convert_to_latex(text)}}}",
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


def format_markdown(rows: Sequence[Row], title: str, *, split: str = "test", winners: Sequence[Row] = ()) -> str:
    """A table in Markdown; arguments as of :func:`format_latex`."""
    keys, names, bold = _select_columns(rows), _list_metrics(rows), _find_bold(winners)
    head = [*(label for label, _ in keys), *(NAMES[name] for name in names)]
    lines = [
        [
            *(_to_markdown(cell) for cell in _format_place(row, keys)),
            *(_format_spread(row, name, bold) for name in names),
        ]
        for row in rows
    ]
    table = [head, ["---"] * len(head), *lines]
    text = f"{_to_markdown(describe(rows, split=split))} {_to_markdown(describe_bold(winners))}"
    return "\n".join([f"# {_to_markdown(title)}", "", text, "", *(f"| {' | '.join(line)} |" for line in table), ""])


def describe(rows: Sequence[Row], *, split: str = "test") -> str:
    """Say what all figures of a table are of: sets, share, questions, seeds, deviations and intervals.

    What differs from row to row has a column, and is left out here.
    """
    alike = {name: rows[0][name] for name in _ALIKE if len({str(row[name]) for row in rows}) == 1}
    facts = []
    if "test" in alike:
        facts.append(f"tested on {alike['test']}")
    if "n" in alike:
        facts.append(f"n = {alike['n']:,} {split} questions")
    if "train" in alike and alike["train"] != alike.get("test"):
        facts.append(f"trained on {alike['train']}")
    if "fraction" in alike:
        facts.append(f"{100 * alike['fraction']:.4g}% of the training questions")
    if "seeds" in alike:
        facts.append(_format_seeds(alike["seeds"]))
    spread = "Mean ± deviation over the seeds. " if any(len(row["seeds"]) > 1 for row in rows) else ""
    first = ", of the first seed" if spread else ""
    text = f"All rows: {'; '.join(facts)}. " if facts else ""
    return f"{text}{spread}Intervals: 95% by bootstrap over the questions{first}."


def describe_bold(winners: Sequence[Row]) -> str:
    """Say what bold means, by the test that decides it."""
    if any(winner["significant"] for winner in winners):
        return f"Bold: the best mean, where it differs from the runner-up ({TEST})."
    if winners:
        return f"No best mean differs significantly from the runner-up ({TEST})."
    return "No differences are tested."


def format_csv(rows: Sequence[Row]) -> str:
    """A row for each variant, share, training and test set: every metric's mean, deviation and interval, unrounded."""
    names, file = _list_metrics(rows), io.StringIO(newline="")
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
                    make_cell_safe(row["train"]),
                    f"{row['fraction']:g}",
                    make_cell_safe(row["variant"]),
                    make_cell_safe(row["test"]),
                ),
                *(row["n"], len(row["seeds"])),
                *(cell for name in names for cell in _format_cells(row, name)),
                *(f"{row[name]['mean']:.6g}" for name in ("training_s", "latency_ms")),
            )
        )
    return file.getvalue()


def _format_cells(row: Row, name: str) -> list[str]:
    metric, bounds = row["metrics"].get(name), row["intervals"].get(name) or (None, None)
    values = (None, None) if metric is None else (metric["mean"], metric["sd"])
    return ["" if value is None else f"{value:.6g}" for value in (*values, *bounds)]


Key = tuple[str, Callable[[Row], str]]


#: What a table says of all its rows, unless it differs.
_ALIKE = ("test", "n", "train", "fraction", "seeds")


def _select_columns(rows: Sequence[Row]) -> list[Key]:
    """The columns that tell rows apart: what all have in common is left out, the variant never."""
    every: list[tuple[str, str, Callable[[Row], str]]] = [
        ("variant", "variant", lambda row: str(row["variant"])),
        ("train", "trained on", lambda row: str(row["train"])),
        ("fraction", "share", lambda row: f"{row['fraction']:.4g}"),
        ("test", "tested on", lambda row: str(row["test"])),
        ("n", "n", lambda row: f"{row['n']:,}"),
        ("seeds", "seeds", lambda row: ", ".join(map(str, row["seeds"]))),
    ]
    return [
        (title, text) for name, title, text in every if name == "variant" or len({str(row[name]) for row in rows}) > 1
    ]


def _format_seeds(seeds: Sequence[int]) -> str:
    return f"{'seed' if len(seeds) == 1 else 'seeds'} {', '.join(map(str, seeds))}"


def _make_winner_key(row: Row, metric: str) -> tuple[Any, ...]:
    return (row["test"], metric, *(row[name] for name in PLACE))


def _find_bold(winners: Sequence[Row]) -> set[tuple[Any, ...]]:
    """The figures that are significantly better than the runner-up."""
    return {_make_winner_key(winner, winner["metric"]) for winner in winners if winner["significant"]}


def _format_bounds(bounds: Sequence[float], name: str, dash: str) -> str:
    return dash.join(format_number(bound, name) for bound in bounds)


def _format_place(row: Row, keys: Sequence[Key]) -> list[str]:
    return [text(row) for _, text in keys]


def _list_metrics(rows: Sequence[Row]) -> list[str]:
    return [name for name in METRICS if any(name in row["metrics"] for row in rows)]


def _format_spread(row: Row, name: str, bold: Collection[tuple[Any, ...]]) -> str:
    metric, bounds = row["metrics"].get(name), row["intervals"].get(name)
    if metric is None:
        return "–"
    mean = format_number(metric["mean"], name)
    shown = f"**{mean}**" if _make_winner_key(row, name) in bold else mean
    deviation = "" if metric["sd"] is None else f" ± {format_number(metric['sd'], name)}"
    return shown + deviation + ("" if bounds is None else f" ({_format_bounds(bounds, name, '–')})")


def convert_to_latex(text: str) -> str:
    """A text as LaTeX prints it."""
    return "".join(_LATEX.get(letter, letter) for letter in " ".join(text.split()))


def _to_markdown(text: str) -> str:
    return "".join(f"\\{letter}" if letter in _MARKED else letter for letter in " ".join(text.split()))
