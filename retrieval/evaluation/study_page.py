"""What a study found: a row for each variant, training set, share and test set, over all seeds; and relative gains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean, stdev
from typing import Any

from retrieval.evaluation.pages import Block, Heading, Table, Text
from retrieval.evaluation.report import METRICS
from retrieval.evaluation.report_page import GROUPS, NAMES, number

Result = Mapping[str, Any]
_GAINS = ("hit", "hit_at_1", "macro_f1", "exact_set")


def summarise(results: Sequence[Result], *, baseline: str | None = None) -> dict[str, Any]:
    """All seeds of a row together.

    Args:
        results: as ``Study.run`` yields them.
        baseline: the variant that others are measured against.

    Returns:
        ``{rows: [{train, variant, fraction, test, seeds, n, cross_dataset, metrics: {name: {mean, sd, values}},
        intervals, groups: {by: {group: {n, metric: mean}}}, training_s, latency_ms, retrieval_ms, usage,
        code_versions, resumed}], gains: [{train, test, fraction, variant, baseline,
        metrics: {name: {mean, sd, values}}}]}``.
        ``sd`` is the sample deviation, null for one seed; ``intervals`` are those of the first seed, over its
        questions; a gain is the share by which the variant is better than the baseline of the same seed.
    """
    groups: dict[tuple[Any, ...], list[Result]] = {}
    for result in results:
        cell = result["cell"]
        groups.setdefault((cell["train"], cell["test"], cell["fraction"], cell["variant"]), []).append(result)
    return {
        "rows": [_row(mine) for mine in groups.values()],
        "gains": [
            _gain(mine, base)
            for (train, test, fraction, variant), mine in groups.items()
            if variant != baseline and (base := groups.get((train, test, fraction, baseline)))
        ],
    }


def spread(values: Sequence[float]) -> dict[str, Any]:
    """Mean and sample deviation; the latter is null for one value."""
    return {
        "mean": fmean(values),
        "sd": stdev(values) if len(values) > 1 else None,
        "values": list(values),
    }


def blocks(summary: Mapping[str, Any], about: str) -> list[Block]:
    """The page of a study."""
    rows = summary["rows"]
    names = [name for name in METRICS if any(name in row["metrics"] for row in rows)]
    found: list[Block] = [
        Text(about),
        Text(
            "Mean and deviation over the seeds. A cross-dataset row was trained on one graph and tested on another; "
            "rows of different test sets are not to be compared."
        ),
        Heading("Results"),
        Table(
            ("trained on", "share", "variant", "tested on", "questions", "seeds", *(NAMES[n] for n in names)),
            [(*_place(row), *(_spread(row["metrics"].get(n), n) for n in names)) for row in rows],
        ),
        Heading("Intervals over the questions"),
        Text("95%, by bootstrap, of the first seed."),
        Table(
            ("trained on", "share", "variant", "tested on", *(NAMES[n] for n in _GAINS)),
            [(*_place(row)[:4], *(_between(row["intervals"].get(n)) for n in _GAINS)) for row in rows],
        ),
        Heading("Cost"),
        Table(
            (
                "trained on",
                "share",
                "variant",
                "tested on",
                "training",
                "a question p50",
                "retrieval alone p50",
            ),
            [
                (
                    *_place(row)[:4],
                    f"{row['training_s']['mean']:.0f} s{' (in parts)' if row['resumed'] else ''}",
                    f"{row['latency_ms']['mean']:.1f} ms",
                    f"{row['retrieval_ms']['mean']:.1f} ms",
                )
                for row in rows
            ],
        ),
    ]
    if summary["gains"]:
        found += [
            Heading(f"Relative gain over {summary['gains'][0]['baseline']}"),
            Table(
                ("trained on", "share", "variant", "tested on", *(NAMES[n] for n in _GAINS)),
                [
                    (
                        gain["train"], f"{gain['fraction']:.0%}", gain["variant"], gain["test"],
                        *(_percent(gain["metrics"].get(n)) for n in _GAINS),
                    )
                    for gain in summary["gains"]
                ],
            ),
        ]  # fmt: skip
    for by, title in GROUPS.items():
        lines = [
            (*_place(row)[:4], group, f"{found_in['n']:,}", *(number(found_in.get(n), n) for n in _GAINS))
            for row in rows
            for group, found_in in row["groups"].get(by, {}).items()
        ]
        if lines:
            head = ("trained on", "share", "variant", "tested on", "group", "questions")
            found += [Heading(title), Table((*head, *(NAMES[n] for n in _GAINS)), lines)]
    versions = sorted({version for row in rows for version in row["code_versions"]})
    if len(versions) > 1:
        found.append(Text(f"Cells were made by {len(versions)} versions of the code: {', '.join(versions)}."))
    return found


def _row(results: Sequence[Result]) -> dict[str, Any]:
    first = results[0]
    return {
        **{name: first["cell"][name] for name in ("train", "variant", "fraction", "test")},
        "seeds": [result["cell"]["seed"] for result in results],
        "n": first["n"],
        "cross_dataset": first["manifest"]["cross_dataset"],
        "metrics": {
            name: spread([result["metrics"][name] for result in results])
            for name in METRICS
            if all(result["metrics"].get(name) is not None for result in results)
        },
        "intervals": first["intervals"],
        "groups": _groups(results),
        "training_s": spread([result["training"]["seconds"] for result in results]),
        "latency_ms": spread([result["latency_ms"]["p50"] for result in results]),
        "retrieval_ms": spread([result["retrieval_ms"]["p50"] for result in results]),
        "usage": first["usage"],
        "code_versions": sorted({result["manifest"]["code_version"] for result in results}),
        "resumed": any(result["training"].get("resumed") for result in results),
    }


def _groups(results: Sequence[Result]) -> dict[str, dict[str, dict[str, Any]]]:
    """Means over the seeds of each group's metrics."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for by, groups in results[0]["breakdowns"].items():
        for group, row in groups.items():
            mine = [result["breakdowns"].get(by, {}).get(group) for result in results]
            whole = [other for other in mine if other is not None]
            found.setdefault(by, {})[group] = {
                "n": row["n"],
                **{
                    name: fmean(other[name] for other in whole)
                    for name in METRICS
                    if all(other.get(name) is not None for other in whole)
                },
            }
    return found


def _gain(mine: Sequence[Result], base: Sequence[Result]) -> dict[str, Any]:
    theirs = {result["cell"]["seed"]: result["metrics"] for result in base}
    pairs = [(r["metrics"], theirs[r["cell"]["seed"]]) for r in mine if r["cell"]["seed"] in theirs]
    cell, metrics = mine[0]["cell"], {}
    for name in _GAINS:
        values = [one[name] / other[name] - 1 for one, other in pairs if other.get(name)]
        if values:
            metrics[name] = spread(values)
    return {
        **{name: cell[name] for name in ("train", "test", "fraction", "variant")},
        "baseline": base[0]["cell"]["variant"],
        "metrics": metrics,
    }


def _place(row: Mapping[str, Any]) -> tuple[str, ...]:
    test = f"{row['test']} (another graph)" if row["cross_dataset"] else row["test"]
    return (
        row["train"],
        f"{row['fraction']:.0%}",
        row["variant"],
        test,
        f"{row['n']:,}",
        str(len(row["seeds"])),
    )


def _spread(found: Mapping[str, Any] | None, name: str) -> str:
    if found is None:
        return "–"
    deviation = "" if found["sd"] is None else f" ± {number(found['sd'], name)}"
    return number(found["mean"], name) + deviation


def _percent(found: Mapping[str, Any] | None) -> str:
    if found is None:
        return "–"
    deviation = "" if found["sd"] is None else f" ± {found['sd']:.1%}"
    return f"{found['mean']:+.1%}{deviation}"


def _between(bounds: Sequence[float] | None) -> str:
    return "–" if bounds is None else f"{number(bounds[0])} to {number(bounds[1])}"
