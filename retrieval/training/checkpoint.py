"""Checkpoint directories: ``weights.pt`` or ``weights.safetensors``, ``config.json``, ``manifest.json``."""

from __future__ import annotations

import hashlib
import io
import json
import pickle
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from retrieval import config as configs
from retrieval.config import TrainingConfig
from retrieval.errors import CheckpointError, ClewError, ConfigError
from retrieval.kg.snapshot import integrity
from retrieval.kg.snapshot.storage import publish_directory, save_json
from retrieval.training.manifest import CONFIG, MANIFEST, PACKED, RETRAIN, CheckpointManifest, read_manifest
from retrieval.version import get_code_version

WEIGHTS = "weights.pt"


@dataclass(frozen=True, slots=True)
class OpenCheckpoint:
    """A checkpoint opened for use."""

    manifest: CheckpointManifest
    config: TrainingConfig
    weights: dict[str, Tensor]

    def get_least_support(self, snapshot_hash: str) -> float | None:
        """The support below which a relation path is doubted; None on graphs that it was not measured on."""
        return self.manifest.least_support if snapshot_hash == self.manifest.snapshot else None


def compute_fingerprint(weights: dict[str, Tensor], config: TrainingConfig) -> str:
    """sha256 of the weights' bytes, the sorted settings and the code version."""
    digest = hashlib.sha256()
    for name in sorted(weights):
        digest.update(name.encode())
        digest.update(weights[name].contiguous().numpy().tobytes())
    digest.update(json.dumps(configs.export_settings(config), sort_keys=True).encode())
    digest.update(get_code_version().encode())
    return digest.hexdigest()


def describe(
    weights: dict[str, Tensor],
    config: TrainingConfig,
    *,
    method: str,
    snapshot: str,
    encoder: str,
    text_features: int,
    entity_texts: bool,
    simple: bool,
    labels: dict[str, int],
    parent: str | None = None,
    relations: int | None = None,
) -> OpenCheckpoint:
    """A checkpoint in memory, with its fingerprint. See :class:`CheckpointManifest`."""
    manifest = CheckpointManifest(
        method=method,
        fingerprint=compute_fingerprint(weights, config),
        code_version=get_code_version(),
        seed=config.seed,
        parent=parent,
        snapshot=snapshot,
        encoder=encoder,
        text_features=text_features,
        entity_texts=entity_texts,
        simple=simple,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        labels=labels,
        relations=relations,
    )
    return OpenCheckpoint(manifest, config, weights)


def save(out: Path, checkpoint: OpenCheckpoint, *, also: Callable[[Path], None] = lambda _: None) -> None:
    """Write a checkpoint beside ``out``, and what ``also`` writes there, and rename it into place."""
    with publish_directory(out) as directory:
        written = io.BytesIO()  # torch hides what the file system says, that the disk is full
        torch.save(checkpoint.weights, written)
        (directory / WEIGHTS).write_bytes(written.getbuffer())
        save_json(directory / CONFIG, configs.export_settings(checkpoint.config))
        save_json(directory / MANIFEST, asdict(checkpoint.manifest))
        also(directory)


def pack(out: Path, checkpoint: OpenCheckpoint, *, also: Callable[[Path], None] = lambda _: None) -> OpenCheckpoint:
    """Like :func:`save`, with weights of fp16; the checkpoint as it will be read.

    Raises:
        CheckpointError: the weights hold something else than floating-point numbers.
    """
    if not all(weight.is_floating_point() for weight in checkpoint.weights.values()):
        raise CheckpointError("Only floating-point weights can be packed.", hint="Save it as it is.")
    half = {name: weight.half().contiguous() for name, weight in checkpoint.weights.items()}
    weights = {name: weight.float() for name, weight in half.items()}
    manifest = replace(checkpoint.manifest, fingerprint=compute_fingerprint(weights, checkpoint.config))
    with publish_directory(out) as directory:
        save_file(half, directory / PACKED)
        save_json(directory / CONFIG, configs.export_settings(checkpoint.config))
        save_json(directory / MANIFEST, asdict(manifest))
        also(directory)
    return OpenCheckpoint(manifest, checkpoint.config, weights)


def read(path: Path, *, method: str, encoder: str, settings: Callable[[Any], TrainingConfig]) -> OpenCheckpoint:
    """Open a checkpoint for a method and an encoder; ``settings`` makes the method's settings of their JSON.

    Raises:
        CheckpointError: it is missing or damaged, of another method, made with another encoder, or its settings are
            unknown here.
    """
    directory = path.parent if path.is_file() else path
    manifest = read_manifest(directory)
    if not integrity.is_whole(directory):
        raise CheckpointError(f"The files of the checkpoint {directory.name} are damaged.", hint=RETRAIN)
    if manifest.method != method:
        raise CheckpointError(
            f"The checkpoint {directory.name} is of method {manifest.method}, not {method}.",
            hint=f"Ask with method {manifest.method}, or choose a checkpoint of {method}.",
        )
    if manifest.encoder != encoder:
        raise CheckpointError(
            f"The checkpoint {directory.name} was trained with the encoder {manifest.encoder}; "
            f"this server runs {encoder}.",
            hint=f"Set CLEW_ENCODER={manifest.encoder}, or train again with {encoder}.",
        )
    try:
        raw = json.loads((directory / CONFIG).read_text(encoding="utf-8"))
        return OpenCheckpoint(manifest, settings(raw), read_weights(directory))
    except ConfigError as error:
        raise CheckpointError(
            f"The settings of the checkpoint {directory.name} are not those of this installation: {error.message}",
            hint=error.hint,
        ) from error
    except (
        OSError, ValueError, RuntimeError, EOFError, pickle.UnpicklingError, SafetensorError, ClewError,
    ) as error:  # fmt: skip
        raise CheckpointError(f"The checkpoint {directory.name} is damaged.", hint=RETRAIN) from error


def read_weights(directory: Path) -> dict[str, Tensor]:
    """The weights of a checkpoint directory, in whichever form it has them."""
    if (directory / PACKED).is_file():
        return {name: weight.float() for name, weight in load_file(directory / PACKED).items()}
    weights: dict[str, Tensor] = torch.load(directory / WEIGHTS, map_location="cpu", weights_only=True)
    return weights


M = TypeVar("M", bound=nn.Module)


def load_weights(model: M, checkpoint: OpenCheckpoint) -> M:
    """Put a checkpoint's weights into a model made from its settings; returned in evaluation mode.

    Raises:
        CheckpointError: the weights do not fit the settings.
    """
    try:
        model.load_state_dict(checkpoint.weights)
    except RuntimeError as error:
        raise CheckpointError("The checkpoint's weights do not fit its settings.", hint="Train again.") from error
    return model.eval()
