"""Reports side by side, question by question. Reports of different things are refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import combinations
from typing import Any

from retrieval.errors import EvaluationError
from retrieval.evaluation.pages import Block, Heading, PageTable, Text
from retrieval.evaluation.report import read_scores
from retrieval.metrics.bootstrap import compute_differences
from retrieval.metrics.names import METRICS, NAMES, format_number
from retrieval.metrics.scores import QuestionScore

#: What must be the same, and where a report says it.
_SAME = {
    "snapshot": ("snapshot",),
    "question set": ("questions",),
    "split": ("config", "split"),
    "budget": ("config", "budget"),
    "topics": ("config", "topics"),
    "subgraphs": ("config", "subgraphs"),
}

Named = Mapping[str, Mapping[str, Any]]


def require_comparable(reports: Named) -> None:
    """See that the reports are of the same graph, questions, split and budget, asked the same way.

    Args:
        reports: by the name that the message gives them.

    Raises:
        EvaluationError: names what differs, between which, and how.
    """
    (first, first_report), *others = reports.items()
    for name, report in others:
        for what, keys in _SAME.items():
            mine, theirs = _get_nested(first_report["manifest"], keys), _get_nested(report["manifest"], keys)
            if mine != theirs:
                raise EvaluationError(
                    f"{first} and {name} cannot be compared: the {what} differs "
                    f"({_format_short(mine)} and {_format_short(theirs)}).",
                    hint="Compare reports of the same graph, questions, split and budget.",
                )


def compare(reports: Named) -> dict[str, Any]:
    """Metrics with intervals side by side, and the paired difference of every two reports.

    Returns:
        ``{reports: [{name, method, checkpoint, reasoner, seed}], n, metrics: [{name, values: [{value, low, high}]}],
        pairs: [{a, b, gained, lost, changed, metrics: {name: {value, low, high, p}}}]}``: ``gained`` counts the
        questions that only ``b`` has right, ``lost`` those that only ``a`` has, ``changed`` those whose answers
        differ; a difference is ``b`` minus ``a``.

    Raises:
        EvaluationError: fewer than two reports, or they are not comparable.
    """
    if len(reports) < 2:
        raise EvaluationError("There is nothing to compare.", hint="Give two reports or more.")
    require_comparable(reports)
    return {
        "reports": [
            {
                "name": name,
                "method": report["method"],
                "checkpoint": report["manifest"]["checkpoint"],
                "reasoner": report["manifest"]["config"]["reasoner"],
                "seed": report["manifest"]["seed"],
            }
            for name, report in reports.items()
        ],
        "n": next(iter(reports.values()))["n"],
        "metrics": [
            {"name": name, "values": [_get_value(report, name) for report in reports.values()]}
            for name in METRICS
            if any(report["metrics"].get(name) is not None for report in reports.values())
        ],
        "pairs": [_compare_pair(a, reports[a], b, reports[b]) for a, b in combinations(reports, 2)],
    }


def build_blocks(comparison: Mapping[str, Any]) -> list[Block]:
    """The page of a comparison."""
    names = [report["name"] for report in comparison["reports"]]
    figures = [
        (
            NAMES[row["name"]],
            *(_format_with_bounds(v["value"], v["low"], v["high"], row["name"]) for v in row["values"]),
        )
        for row in comparison["metrics"]
    ]
    page: list[Block] = [
        Text(f"The same {comparison['n']:,} questions of the same graph; 95% intervals by bootstrap."),
        PageTable(("metric", *names), figures),
    ]
    for pair in comparison["pairs"]:
        page += [
            Heading(f"{pair['b']} against {pair['a']}"),
            Text(
                f"{pair['gained']:,} questions gained, {pair['lost']:,} lost, {pair['changed']:,} answered differently."
            ),
            PageTable(
                ("metric", "difference (95% interval)", "p"),
                [
                    (
                        NAMES[name],
                        _format_with_bounds(d["value"], d["low"], d["high"], name, sign=True),
                        f"{d['p']:.4f}",
                    )
                    for name, d in pair["metrics"].items()
                ],
            ),
        ]
    return page


def _compare_pair(a: str, first: Mapping[str, Any], b: str, second: Mapping[str, Any]) -> dict[str, Any]:
    rows = {row["id"]: row for row in second["per_question"]}
    both = [(row, rows[row["id"]]) for row in first["per_question"]]
    deltas = compute_differences(read_scores(first), _match_scores(first, second))
    return {
        "a": a,
        "b": b,
        "gained": sum(second_row["outcome"] == "right" != first_row["outcome"] for first_row, second_row in both),
        "lost": sum(first_row["outcome"] == "right" != second_row["outcome"] for first_row, second_row in both),
        "changed": sum(set(first_row["predicted"]) != set(second_row["predicted"]) for first_row, second_row in both),
        "metrics": {name: asdict(deltas[name]) for name in METRICS if name in deltas},
    }


def _match_scores(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[QuestionScore]:
    """The second report's scores in the first one's order of questions."""
    scores = dict(zip((row["id"] for row in second["per_question"]), read_scores(second), strict=True))
    return [scores[row["id"]] for row in first["per_question"]]


def _get_value(report: Mapping[str, Any], name: str) -> dict[str, float | None]:
    low, high = report["intervals"].get(name) or (None, None)
    return {"value": report["metrics"].get(name), "low": low, "high": high}


def _format_with_bounds(
    value: float | None, low: float | None, high: float | None, name: str, *, sign: bool = False
) -> str:
    if value is None:
        return "–"
    plus = "+" if sign and value > 0 else ""
    between = f" ({format_number(low, name)} to {format_number(high, name)})" if low is not None else ""
    return f"{plus}{format_number(value, name)}{between}"


def _get_nested(manifest: Mapping[str, Any], keys: Sequence[str]) -> Any:
    value: Any = manifest
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _format_short(value: Any) -> str:
    text = str(value)
    return f"{text[:12]}…" if len(text) > 24 else text
