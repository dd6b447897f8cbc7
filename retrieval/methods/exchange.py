"""Checkpoints as files to be handed on: a zip with weights as safetensors, which hold numbers and nothing that runs.

Whoever takes a file need not trust who made it: ``checkpoint_zip`` looks through it first, without torch; here what it
holds is read as numbers and JSON, and must fit a model of this version before it is kept.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from safetensors.torch import save_file

from retrieval.errors import CheckpointError
from retrieval.linking import encoder as encoders
from retrieval.methods import registry
from retrieval.methods.checkpoint_origin import Origin
from retrieval.methods.checkpoint_zip import ANEW, CURVES, MEMBERS, PROGRAMS, SEEN, read_config
from retrieval.methods.model_card import CARD, render_card
from retrieval.programs.weights import Weights
from retrieval.supervision import distribution_shift
from retrieval.training import checkpoint as checkpoints
from retrieval.training.checkpoint import OpenCheckpoint, compute_fingerprint, load_weights, read_weights
from retrieval.training.manifest import CONFIG, PACKED, read_manifest


def export_checkpoint(checkpoint: Path, out: Path, origin: Origin = Origin()) -> None:
    """Write a checkpoint's file.

    Args:
        out: the zip.
        origin: for the model card in it.

    Raises:
        CheckpointError: it is missing or damaged.
    """
    manifest = read_manifest(checkpoint)
    weights = {name: tensor.contiguous().clone() for name, tensor in read_weights(checkpoint).items()}
    with (
        TemporaryDirectory(dir=out.parent) as folder,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file,
    ):
        packed = Path(folder) / PACKED
        save_file(weights, packed)
        file.write(packed, PACKED, zipfile.ZIP_STORED)
        for name in MEMBERS:
            if name not in (PACKED, CARD) and (checkpoint / name).is_file():
                file.write(checkpoint / name, name)
        file.writestr(CARD, render_card(manifest, json.loads((checkpoint / CONFIG).read_text("utf-8")), origin))


def take(folder: Path, out: Path) -> dict[str, Any]:
    """Keep a checkpoint that ``checkpoint_zip`` laid out, when its weights fit a model of this version.

    Args:
        folder: the members of its file.
        out: the checkpoint's directory, which appears whole or not at all.

    Returns:
        ``{manifest, config}``, plain JSON. The fingerprint is made anew of what came.

    Raises:
        CheckpointError: its weights are no numbers or fit no model, or what stands beside them cannot be read.
    """
    out.parent.mkdir(parents=True, exist_ok=True)
    manifest, config = read_manifest(folder), read_config(folder)
    read = OpenCheckpoint(manifest, config, read_weights(folder))
    _require_sound(read)
    _require_side_files(folder)
    manifest = replace(manifest, fingerprint=compute_fingerprint(read.weights, config))

    def copy_extras(directory: Path) -> None:
        for member in (SEEN, PROGRAMS, CURVES):
            if (folder / member).is_file():
                (directory / member).write_bytes((folder / member).read_bytes())

    checkpoints.save(out, replace(read, manifest=manifest), also=copy_extras)
    return {"manifest": asdict(manifest), "config": json.loads((out / CONFIG).read_text(encoding="utf-8"))}


def _require_sound(checkpoint: OpenCheckpoint) -> None:
    """Refuse weights that are no numbers, or that a model of these settings does not have."""
    manifest = checkpoint.manifest
    broken = [name for name, weight in checkpoint.weights.items() if not torch.isfinite(weight).all()]
    if broken:
        raise CheckpointError(f"The weights {broken[0][:100]} hold values that are no numbers.", hint="Train it again.")
    width = encoders.load(manifest.encoder).dim
    if manifest.text_features != width:
        raise CheckpointError(
            f"The checkpoint reads vectors of {manifest.text_features} numbers; {manifest.encoder} makes {width}.",
            hint=ANEW,
        )
    spec = registry.get_trained_method(manifest.method)
    if spec.model is None:
        raise CheckpointError(f"Checkpoints of {manifest.method} cannot be handed on.", hint="Train it here.")
    if getattr(checkpoint.config, "backend", "small") != "small":
        raise CheckpointError("The checkpoint adapts a language model, which is not in it.", hint="Train it here.")
    build: Callable[[OpenCheckpoint], torch.nn.Module] = spec.load_part("model")
    load_weights(build(checkpoint), checkpoint)


def _require_side_files(folder: Path) -> None:
    """Refuse files beside the weights that cannot be read."""
    distribution_shift.TrainingCoverage.load(folder)
    programs, curves = folder / PROGRAMS, folder / CURVES
    try:
        if programs.is_file():
            Weights.load(programs)
        if curves.is_file() and not isinstance(json.loads(curves.read_text(encoding="utf-8")), list):
            raise ValueError("no list")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise CheckpointError("A file beside the weights cannot be read.", hint=ANEW) from error
