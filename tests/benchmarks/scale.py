"""What a graph costs as it grows tenfold, and tenfold again: building, opening, walking, finding names."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

from tests.benchmarks import child, generated
from tests.benchmarks.build import BUILD
from tests.benchmarks.plot import Line, curves
from tests.benchmarks.report import Section

COMMAND = "python -m tests.benchmarks scale"
#: The largest needs 12 GB of memory and 25 GB of disk; `CLEW_BENCH_TRIPLES` stops before it.
SIZES = (1_000_000, 10_000_000, 100_000_000)
MEMORY = 12 * 1024**3
PLOT = Path(__file__).resolve().parents[2] / "docs" / "scale.svg"
_ASK = """
import statistics
import numpy as np
from retrieval.kg import search, snapshot


def times(work, arguments):
    found = []
    for argument in arguments:
        began = time.perf_counter()
        work(argument)
        found.append((time.perf_counter() - began) * 1000)
    return found


def percentile(values, share):
    return float(np.percentile(values, share))


opens = times(lambda _: snapshot.open(given["out"]), range(20))
graph = snapshot.open(given["out"])
told["open"], told["first_open"] = statistics.median(opens), opens[0]
drawn = np.random.default_rng(1)
some = drawn.integers(0, graph.num_entities, 2000).tolist()
pages = times(lambda entity: search.neighbours(graph, entity), some)
told["neighbours"], told["neighbours95"] = percentile(pages, 50), percentile(pages, 95)
two = lambda topics: search.k_hop(graph, topics, 2, max_triples=5000)
around = times(two, [[entity] for entity in some[:1000]])
told["two_hop"], told["two_hop95"] = percentile(around, 50), percentile(around, 95)
degrees = graph.degrees(np.arange(graph.num_entities))
hub = int(degrees.argmax())
told["hub"] = int(degrees[hub])
with_hub = times(two, [[hub, entity] for entity in some[:300]])
told["hub_two_hop"], told["hub_two_hop95"] = percentile(with_hub, 50), percentile(with_hub, 95)
beside = graph.heads[graph.in_edges(hub)[:: max(1, len(graph.in_edges(hub)) // 300)]].tolist()[:300]
next_to = times(two, [[entity] for entity in beside])
told["beside_two_hop"] = percentile(next_to, 50)
began = time.perf_counter()
graph.labels.search("a", 10)
told["first_search"] = (time.perf_counter() - began) * 1000
names = graph.entity_labels.many(drawn.integers(0, graph.num_entities, 600))
typed = [name[: 1 + i % 9].lower() for i, name in enumerate(names)]
found = times(lambda text: graph.labels.search(text, 10), typed)
told["prefix"], told["prefix95"] = percentile(found, 50), percentile(found, 95)
slips = [name[:4] + name[5:] for name in names[:100]]
fuzzy = times(lambda text: graph.labels.search(text, 10), slips)
told["fuzzy"], told["fuzzy95"] = percentile(fuzzy, 50), percentile(fuzzy, 95)
"""
_GOALS = {
    "open": ("opening it", "<= 50 ms"),
    "neighbours": ("neighbours of an entity, p50", "<= 0.1 ms"),
    "neighbours95": ("neighbours of an entity, p95", ""),
    "two_hop": ("two hops, at most 5,000 triples, p50", "<= 30 ms"),
    "two_hop95": ("two hops, at most 5,000 triples, p95", ""),
    "hub_two_hop": ("the same from the biggest hub and another, p50", "<= 30 ms"),
    "beside_two_hop": ("the same from an entity beside the biggest hub, p50", "<= 30 ms"),
    "prefix": ("names by their first 1 to 9 letters, p50", ""),
    "prefix95": ("names by their first 1 to 9 letters, p95", "<= 20 ms"),
    "fuzzy": ("names with a letter left out, p50", ""),
    "fuzzy95": ("names with a letter left out, p95", ""),
}


def measure() -> list[Section]:
    """Build each size under the limit of memory, ask it, and draw what grows."""
    largest = int(os.environ.get("CLEW_BENCH_TRIPLES") or SIZES[-1])
    sizes = [size for size in SIZES if size <= largest]
    measured = [_measure(size) for size in sizes]
    head = ("figure", *(f"{size // 1_000_000} million" for size in sizes), "goal")
    section = Section(
        "A graph that grows tenfold",
        COMMAND,
        "Made-up names, a tenth as many entities as triples, tails drawn by Zipf's law. Built out of core by "
        f"`bulk.build` in a process that may have {MEMORY // 1024**3} GB; asked in another, in process, after its "
        "pages were read once. Peak memory counts pages of mapped files.\n\n![Cost by size](scale.svg)",
        head=head,
    )

    def row(name: str, shown: Any, goal: str = "") -> None:
        section.add(name, *(shown(one) for one in measured), goal)

    row("triples a second, built", lambda one: f"{one['rows'] / one['seconds']:,.0f}")
    row("seconds to build, processor time", lambda one: f"{one['seconds']:.1f}, {one['cpu']:.1f}")
    row("peak memory while building", lambda one: f"{one['peak_mb'] / 1024:.2f} GB", "<= 12 GB")
    row("bytes a triple, with the index of names", lambda one: f"{one['bytes'] / one['triples']:.0f}")
    row("facts of the biggest hub", lambda one: f"{one['hub']:,}")
    for name, (about, goal) in _GOALS.items():
        row(about, lambda one, name=name: f"{one[name]:.3g} ms", goal)
    row(
        "the first opening and the first search",
        lambda one: f"{one['first_open']:.0f}, {one['first_search']:.0f} ms",
    )
    row("load average of the machine, building and asking", lambda one: f"{one['load']}, {one['load_asked']}")
    shown = ("neighbours", "two_hop", "hub_two_hop", "prefix95", "open")
    lines = [Line(_GOALS[name][0], [one[name] for one in measured]) for name in shown]
    lines.append(
        Line("building, microseconds a triple", [1e6 * one["seconds"] / one["rows"] for one in measured])
    )
    PLOT.write_text(curves(lines, sizes, "triples", "ms (building: µs a triple)"), encoding="utf-8")
    return [section]


def _measure(triples: int) -> dict[str, Any]:
    """Build and ask; with ``CLEW_BENCH_CACHE`` a graph that was built stays there, and is asked again."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(os.environ.get("CLEW_BENCH_CACHE") or name)
        out, kept = place / f"graph-{triples}", place / f"graph-{triples}.json"
        if not kept.exists():
            with generated.tsv(triples) as source:
                before = child.load()
                built = child.run(BUILD, {"source": str(source), "out": str(out)}, memory=MEMORY)
            kept.write_text(json.dumps(built | {"load": before}))
        built = json.loads(kept.read_text())
        asked = child.run(_ASK, {"out": str(out)})
        print(f"{triples:,}: built {built}, asked {asked}", flush=True)
        return asked | built | {"rows": triples, "bytes": child.size_of(out), "load_asked": child.load()}
