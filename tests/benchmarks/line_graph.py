"""One implicit line-graph layer against networkx ``line_graph`` + PyG ``GCNConv`` on two-hop subgraphs of MetaQA.

The baseline runs in a child process with a memory limit and a time limit, on ever larger subgraphs, until it
no longer survives; the ratio quoted is that of the largest one it survived, both timed in one run.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import torch

from retrieval.kg import readers, search, snapshot
from retrieval.kg.build import build_snapshot
from retrieval.nn.line_graph import LineGraph, LineGraphConv
from tests.benchmarks.data import found
from tests.benchmarks.report import Section

FEATURES = 128
MEMORY_BYTES = 16 * 2**30
SECONDS = 240
LINE_EDGES = (100_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000, 18_000_000)


def measure() -> list[Section]:
    """Ratios on growing subgraphs."""
    kb = found("metaqa", "kb.txt.gz")
    if kb is None:
        return []
    section = Section(
        "One line-graph layer",
        "python -m tests.benchmarks line_graph",
        f"Two-hop subgraphs of MetaQA films with inverse triples, {FEATURES} features in and out, one forward pass, "
        f"2 threads. Baseline: networkx `line_graph`, its edge list as a tensor, PyG `GCNConv`; limits "
        f"{MEMORY_BYTES >> 30} GiB and {SECONDS} s. Implicit: incidence and layer, both from the bare triples.",
    )
    with tempfile.TemporaryDirectory() as folder:
        graph = build_snapshot(readers.read_graph([kb], problems=lambda _: None), Path(folder) / "metaqa")
        for heads, tails in _subgraphs(graph):
            np.save(Path(folder) / "arcs.npy", np.stack([heads, tails]))
            outcome = _child(Path(folder) / "arcs.npy")
            ours = _implicit(heads, tails)
            figure = f"{len(heads):,} triples, {_line_edges(heads, tails):,} line edges"
            if isinstance(outcome, str):
                section.add(figure, f"implicit {ours * 1000:.1f} ms; baseline {outcome}")
                break
            total = outcome["build"] + outcome["convolve"]
            section.add(
                figure,
                f"implicit {ours * 1000:.1f} ms; baseline {total:.2f} s (line_graph {outcome['build']:.2f}, "
                f"GCNConv {outcome['convolve']:.2f}): {total / ours:.0f} times; GCNConv alone "
                f"{outcome['convolve'] / ours:.0f} times; greatest difference {_difference(outcome, heads, tails):.0e}",
                ">= 100 times",
            )
    return [section]


def _subgraphs(graph: snapshot.Snapshot) -> list[tuple[np.ndarray, np.ndarray]]:
    """Two-hop subgraphs whose number of line edges is nearest to each of LINE_EDGES, smallest first."""
    random = np.random.default_rng(5)
    pool = []
    for topic in random.choice(graph.num_entities, 3000, replace=False):
        if graph.get_degree(int(topic)) < 3:
            continue
        facts = search.collect_k_hop(graph, [int(topic)], 2, max_triples=40_000).facts
        heads = np.concatenate([graph.heads[facts], graph.tails[facts]]).astype(np.int64)
        tails = np.concatenate([graph.tails[facts], graph.heads[facts]]).astype(np.int64)
        _, packed = np.unique(np.concatenate([heads, tails]), return_inverse=True)
        pool.append((packed[: len(heads)], packed[len(heads) :]))
    sizes = np.array([_line_edges(heads, tails) for heads, tails in pool])
    chosen = sorted({int(np.argmin(np.abs(sizes - goal))) for goal in LINE_EDGES}, key=lambda i: sizes[i])
    return [pool[i] for i in chosen]


def _line_edges(heads: np.ndarray, tails: np.ndarray) -> int:
    size = int(max(heads.max(), tails.max())) + 1
    return int(np.bincount(tails, minlength=size) @ np.bincount(heads, minlength=size))


def _inputs(triples: int) -> tuple[torch.Tensor, LineGraphConv]:
    torch.manual_seed(0)
    return torch.randn(triples, FEATURES), LineGraphConv(FEATURES, FEATURES)


def _implicit(heads: np.ndarray, tails: np.ndarray) -> float:
    """Median of 7 seconds for incidence and layer."""
    x, layer = _inputs(len(heads))
    times = []
    with torch.inference_mode():
        for _ in range(8):
            began = time.perf_counter()
            h, t = torch.from_numpy(heads), torch.from_numpy(tails)
            layer(x, LineGraph.from_triples(h, t, int(max(heads.max(), tails.max())) + 1))
            times.append(time.perf_counter() - began)
    return float(np.median(times[1:]))


def _difference(outcome: dict[str, float], heads: np.ndarray, tails: np.ndarray) -> float:
    """How far the two layers' outputs lie apart, by the sums of absolute values of their columns."""
    x, layer = _inputs(len(heads))
    with torch.inference_mode():
        graph = LineGraph.from_triples(
            torch.from_numpy(heads), torch.from_numpy(tails), int(max(heads.max(), tails.max())) + 1
        )
        mine = float(layer(x, graph).double().abs().mean())
    return abs(mine - outcome["mean"]) / outcome["mean"]


def _child(arcs: Path) -> dict[str, float] | str:
    """The baseline in its own process; its times in seconds, or why it did not survive."""
    command = [sys.executable, "-m", "tests.benchmarks.line_graph", str(arcs)]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            timeout=SECONDS,
            check=True,
            text=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES)),
        )
    except subprocess.TimeoutExpired:
        return f"stopped after {SECONDS} s"
    except subprocess.CalledProcessError as failure:
        return f"out of memory at {MEMORY_BYTES >> 30} GiB" if "emory" in failure.stderr else failure.stderr[-300:]
    result: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return result


def _baseline(arcs: Path) -> dict[str, float]:
    import networkx as nx
    from torch_geometric.nn import GCNConv

    heads, tails = np.load(arcs)
    x, layer = _inputs(len(heads))
    conv = GCNConv(FEATURES, FEATURES)
    conv.load_state_dict({"lin.weight": layer.lin.weight, "bias": layer.bias})
    began = time.perf_counter()
    graph = nx.MultiDiGraph()
    graph.add_edges_from((int(h), int(t), i) for i, (h, t) in enumerate(zip(heads, tails, strict=True)))
    line = nx.line_graph(graph)
    edges = np.fromiter((i for (_, _, a), (_, _, b) in line.edges() for i in (a, b)), np.int64).reshape(-1, 2)
    edge_index = torch.from_numpy(edges.T.copy())
    build = time.perf_counter() - began
    del line, graph
    began = time.perf_counter()
    with torch.inference_mode():
        mean = float(conv(x, edge_index).double().abs().mean())
    return {"build": build, "convolve": time.perf_counter() - began, "mean": mean}


if __name__ == "__main__":
    print(json.dumps(_baseline(Path(sys.argv[1]))))
