"""What a study found: a row for each variant, training set, share and test set, over all seeds; and relative gains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean, stdev
from typing import Any

from retrieval.metrics.names import METRICS

Result = Mapping[str, Any]
#: What relative gains are told of.
GAINS = ("hit", "hit_at_1", "macro_f1", "exact_set")


def build_summary(results: Sequence[Result], *, baseline: str | None = None) -> dict[str, Any]:
    """All seeds of a row together.

    Args:
        results: as ``Study.run`` yields them.
        baseline: the variant that others are measured against.

    Returns:
        ``{rows: [{train, variant, fraction, test, seeds, n, cross_dataset, metrics: {name: {mean, sd,
        values}}, intervals, groups: {by: {group: {n, metric: mean}}}, causes: {cause: mean}, training_s, latency_ms,
        retrieval_ms, usage, code_versions, resumed}], gains: [{train, test, fraction, variant, baseline, metrics:
        {name: {mean, sd, values}}}]}``.
        ``sd`` is the sample deviation, null for one seed; ``intervals`` are those of the first seed, over its
        questions; a gain is the share by which the variant is better than the baseline of the same seed.
    """
    groups: dict[tuple[Any, ...], list[Result]] = {}
    for result in results:
        cell = result["cell"]
        groups.setdefault((cell["train"], cell["test"], cell["fraction"], cell["variant"]), []).append(result)
    return {
        "rows": [_build_row(mine) for mine in groups.values()],
        "gains": [
            _compute_gain(mine, base)
            for (train, test, fraction, variant), mine in groups.items()
            if variant != baseline and (base := groups.get((train, test, fraction, baseline)))
        ],
    }


def compute_spread(values: Sequence[float]) -> dict[str, Any]:
    """Mean and sample deviation; the latter is null for one value."""
    return {
        "mean": fmean(values),
        "sd": stdev(values) if len(values) > 1 else None,
        "values": list(values),
    }


def _build_row(results: Sequence[Result]) -> dict[str, Any]:
    first = results[0]
    return {
        **{name: first["cell"][name] for name in ("train", "variant", "fraction", "test")},
        "seeds": [result["cell"]["seed"] for result in results],
        "n": first["n"],
        "cross_dataset": first["manifest"]["cross_dataset"],
        "metrics": {
            name: compute_spread([result["metrics"][name] for result in results])
            for name in METRICS
            if all(result["metrics"].get(name) is not None for result in results)
        },
        "intervals": first["intervals"],
        "groups": _build_groups(results),
        "causes": _count_causes(results),
        "training_s": compute_spread([result["training"]["seconds"] for result in results]),
        "latency_ms": compute_spread([result["latency_ms"]["p50"] for result in results]),
        "retrieval_ms": compute_spread([result["retrieval_ms"]["p50"] for result in results]),
        "usage": first["usage"],
        "code_versions": sorted({result["manifest"]["code_version"] for result in results}),
        "resumed": any(result["training"].get("resumed") for result in results),
    }


def _count_causes(results: Sequence[Result]) -> dict[str, float]:
    """Questions that were not answered rightly, by cause, mean over the seeds."""
    names = {name: None for result in results for name in result.get("causes", {})}
    return {name: fmean(result.get("causes", {}).get(name, 0) for result in results) for name in names}


def _build_groups(results: Sequence[Result]) -> dict[str, dict[str, dict[str, Any]]]:
    """Means over the seeds of each group's metrics."""
    means: dict[str, dict[str, dict[str, Any]]] = {}
    for by, groups in results[0]["breakdowns"].items():
        for group, row in groups.items():
            mine = [result["breakdowns"].get(by, {}).get(group) for result in results]
            complete = [group_metrics for group_metrics in mine if group_metrics is not None]
            means.setdefault(by, {})[group] = {
                "n": row["n"],
                **{
                    name: fmean(group_metrics[name] for group_metrics in complete)
                    for name in METRICS
                    if all(group_metrics.get(name) is not None for group_metrics in complete)
                },
            }
    return means


def _compute_gain(mine: Sequence[Result], base: Sequence[Result]) -> dict[str, Any]:
    theirs = {result["cell"]["seed"]: result["metrics"] for result in base}
    pairs = [(r["metrics"], theirs[r["cell"]["seed"]]) for r in mine if r["cell"]["seed"] in theirs]
    cell, metrics = mine[0]["cell"], {}
    for name in GAINS:
        values = [variant[name] / reference[name] - 1 for variant, reference in pairs if reference.get(name)]
        if values:
            metrics[name] = compute_spread(values)
    return {
        **{name: cell[name] for name in ("train", "test", "fraction", "variant")},
        "baseline": base[0]["cell"]["variant"],
        "metrics": metrics,
    }
