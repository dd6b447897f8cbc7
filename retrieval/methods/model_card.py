"""Model cards of checkpoints: Markdown with YAML front matter, as model hubs read it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from retrieval.methods import registry
from retrieval.methods.checkpoint_origin import Measurement, Origin
from retrieval.training.manifest import CheckpointManifest

CARD = "README.md"
#: Metrics that model hubs compare.
_COMPARED = ("hit", "hit_at_1", "macro_f1", "micro_f1", "exact_set")


def render_card(manifest: CheckpointManifest, settings: Mapping[str, Any], origin: Origin = Origin()) -> str:
    """Write the card of a checkpoint.

    Args:
        settings: its ``config.json``.
    """
    spec = registry.METHODS.get(manifest.method)
    title = f"{spec.label if spec else manifest.method}{origin.graph and f' for {origin.graph}'}"
    trained = Measurement(origin.questions or "the training's questions", "dev", manifest.metrics)
    measured = [each for each in (trained, *origin.measurements) if each.metrics]
    front = _build_front_matter(manifest, title, measured)
    lines = [
        f"---\n{yaml.safe_dump(front, sort_keys=False, allow_unicode=True)}---",
        f"# {title}\n",
        f"A retriever for question answering over knowledge graphs, trained by Clew {manifest.code_version}. "
        f"{spec.description if spec else ''}".strip(),
        "\n## Use\n",
        "Upload the zip under *Checkpoints* on the page of a graph, or unpack it:\n",
        '```\nclew ask --graph GRAPH --checkpoint FOLDER "Who directed Alien?"\n```',
        "\n## Training\n",
        *_render_facts(manifest, origin),
        "\n## Figures\n",
        *_render_table([("questions", "split", "n", *_list_metrics(measured)), *_list_rows(measured)]),
        "\nOther graphs give other figures: measure it there (*Evaluate*, or `clew evaluate`).\n",
        "## Settings\n",
        *_render_table([("setting", "value"), *((name, f"`{settings[name]}`") for name in sorted(settings))]),
    ]
    return "\n".join(lines) + "\n"


def _build_front_matter(manifest: CheckpointManifest, title: str, measured: list[Measurement]) -> dict[str, Any]:
    results = [
        {
            "task": {"type": "question-answering"},
            "dataset": {"type": "clew", "name": each.questions, "split": each.split},
            "metrics": [{"type": name, "value": each.metrics[name]} for name in _COMPARED if name in each.metrics],
        }
        for each in measured
    ]
    return {
        "library_name": "clew",
        "pipeline_tag": "question-answering",
        "tags": ["knowledge-graph", manifest.method],
        "model-index": [{"name": title, "results": [result for result in results if result["metrics"]]}],
    }


def _render_facts(manifest: CheckpointManifest, origin: Origin) -> list[str]:
    labels = ", ".join(f"{count:,} {source}" for source, count in manifest.labels.items())
    facts = {
        "method": f"`{manifest.method}`",
        "graph": f"{origin.graph} (content hash `{manifest.snapshot}`)".strip(),
        "questions": origin.questions,
        "labels": labels,
        "text encoder": f"`{manifest.encoder}`",
        "seed": str(manifest.seed),
        "trained at": manifest.created,
        "continues": manifest.parent and f"`{manifest.parent}`",
        "fingerprint": f"`{manifest.fingerprint}`",
    }
    return [f"- {name}: {value}" for name, value in facts.items() if value]


def _list_metrics(measured: list[Measurement]) -> list[str]:
    return list(dict.fromkeys(name for each in measured for name in each.metrics))


def _list_rows(measured: list[Measurement]) -> list[tuple[str, ...]]:
    names = _list_metrics(measured)
    return [
        (
            *(each.questions, each.split, "" if each.n is None else f"{each.n:,}"),
            *(f"{each.metrics[name]:.4g}" if name in each.metrics else "" for name in names),
        )
        for each in measured
    ]


def _render_table(rows: list[tuple[str, ...]]) -> list[str]:
    lines = [f"| {' | '.join(cell.replace('|', '/') for cell in row)} |" for row in rows]
    return [lines[0], "|---" * len(rows[0]) + "|", *lines[1:]]
