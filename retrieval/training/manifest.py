"""What a checkpoint directory is called and says about itself; read without torch."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from retrieval.errors import CheckpointError

CONFIG, MANIFEST = "config.json", "manifest.json"
#: In place of ``weights.pt`` where a checkpoint is to be small, or comes from elsewhere: numbers and nothing that runs.
PACKED = "weights.safetensors"
RETRAIN = "Train again, or choose another checkpoint."


@dataclass(frozen=True, slots=True)
class CheckpointManifest:
    """What a checkpoint says about itself.

    Attributes:
        fingerprint: sha256 of weights, sorted settings and code version; names the checkpoint everywhere.
        parent: fingerprint of the checkpoint that training started from, if any.
        snapshot: content hash of the graph it was trained on; it may be used on others.
        encoder, text_features: the text encoder and the length of its vectors.
        entity_texts: whether entity labels are among the features (``auto`` resolved).
        simple: how relation paths are executed (``kg.search.execute``); decided from the labels.
        labels: where the labels came from, with how many of each source.
        metrics: on the dev split.
        least_support: a relation path supported less is doubted (``validation.least_support``); None where nothing is.
        share: of its ranking where the zero-shot retriever ranks too (``blending.select_share``); None of those that
            answer alone.
        relations: directed relations of the graph trained on; None where that is not known.
    """

    method: str
    fingerprint: str
    code_version: str
    seed: int
    parent: str | None
    snapshot: str
    encoder: str
    text_features: int
    entity_texts: bool
    simple: bool
    created: str
    labels: dict[str, int] = field(default_factory=dict)
    metrics: dict[str, float] = field(default_factory=dict)
    least_support: float | None = None
    share: float | None = None
    relations: int | None = None


def read_manifest(path: Path) -> CheckpointManifest:
    """The manifest of a checkpoint directory (or of a file in it), without its weights.

    Raises:
        CheckpointError: it is missing or damaged.
    """
    directory = path.parent if path.is_file() else path
    try:
        raw: Any = json.loads((directory / MANIFEST).read_text(encoding="utf-8"))
        return CheckpointManifest(**raw)
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise CheckpointError(
            f"{directory.name} is not a checkpoint: its {MANIFEST} is missing or damaged.", hint=RETRAIN
        ) from error
