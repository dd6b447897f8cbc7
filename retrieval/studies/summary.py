"""What a study found: a row for each variant, training set, share and test set, over all seeds; and relative gains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean, stdev
from typing import Any

from retrieval.metrics.names import METRICS

Result = Mapping[str, Any]
#: What relative gains are told of.
GAINS = ("hit", "hit_at_1", "macro_f1", "exact_set")


def summarise(results: Sequence[Result], *, baseline: str | None = None) -> dict[str, Any]:
    """All seeds of a row together.

    Args:
        results: as ``Study.run`` yields them.
        baseline: the variant that others are measured against.

    Returns:
        ``{rows: [{train, variant, fraction, test, seeds, n, cross_dataset, stood_in, metrics: {name: {mean, sd,
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


def _row(results: Sequence[Result]) -> dict[str, Any]:
    first = results[0]
    return {
        **{name: first["cell"][name] for name in ("train", "variant", "fraction", "test")},
        "seeds": [result["cell"]["seed"] for result in results],
        "n": first["n"],
        "cross_dataset": first["manifest"]["cross_dataset"],
        "stood_in": any(result["manifest"].get("stood_in", False) for result in results),
        "metrics": {
            name: spread([result["metrics"][name] for result in results])
            for name in METRICS
            if all(result["metrics"].get(name) is not None for result in results)
        },
        "intervals": first["intervals"],
        "groups": _groups(results),
        "causes": _causes(results),
        "training_s": spread([result["training"]["seconds"] for result in results]),
        "latency_ms": spread([result["latency_ms"]["p50"] for result in results]),
        "retrieval_ms": spread([result["retrieval_ms"]["p50"] for result in results]),
        "usage": first["usage"],
        "code_versions": sorted({result["manifest"]["code_version"] for result in results}),
        "resumed": any(result["training"].get("resumed") for result in results),
    }


def _causes(results: Sequence[Result]) -> dict[str, float]:
    """Questions that were not answered rightly, by cause, mean over the seeds."""
    names = {name: None for result in results for name in result.get("causes", {})}
    return {name: fmean(result.get("causes", {}).get(name, 0) for result in results) for name in names}


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
    for name in GAINS:
        values = [one[name] / other[name] - 1 for one, other in pairs if other.get(name)]
        if values:
            metrics[name] = spread(values)
    return {
        **{name: cell[name] for name in ("train", "test", "fraction", "variant")},
        "baseline": base[0]["cell"]["variant"],
        "metrics": metrics,
    }
