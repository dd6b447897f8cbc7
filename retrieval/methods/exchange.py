"""Checkpoints as files to be handed on: a zip with weights as safetensors, which hold numbers and nothing that runs.

``manifest.json``, ``config.json`` and ``weights.safetensors`` must be there; ``seen.json.gz``, ``programs.json`` and
``curves.json`` may. Whoever takes a file need not trust who made it: what it holds is read as numbers and JSON, and
must fit a model of this version before it is kept.
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
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from retrieval.errors import CheckpointError, ClewError
from retrieval.methods import registry
from retrieval.programs.weights import Weights
from retrieval.supervision import program_learning, shift
from retrieval.text import encoder as encoders
from retrieval.training import checkpoint as checkpoints
from retrieval.training.checkpoint import CONFIG, MANIFEST, PACKED, OpenCheckpoint, fingerprint, load_weights

CURVES = "curves.json"
#: Largest size of each member, in bytes.
MEMBERS = {
    MANIFEST: 1 << 20,
    CONFIG: 1 << 20,
    PACKED: 2 << 30,
    shift.FILE: 64 << 20,
    program_learning.FILE: 16 << 20,
    CURVES: 64 << 20,
}
_NEEDED = (MANIFEST, CONFIG, PACKED)
_ANEW = "Download it again from the Clew that trained it."


def hand_on(checkpoint: Path, out: Path) -> None:
    """Write a checkpoint's file.

    Args:
        checkpoint: its directory.
        out: the zip.

    Raises:
        CheckpointError: it is missing or damaged.
    """
    checkpoints.read_manifest(checkpoint)
    weights = {
        name: tensor.contiguous().clone() for name, tensor in checkpoints.read_weights(checkpoint).items()
    }
    with (
        TemporaryDirectory(dir=out.parent) as folder,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file,
    ):
        packed = Path(folder) / PACKED
        save_file(weights, packed)
        file.write(packed, PACKED, zipfile.ZIP_STORED)
        for name in MEMBERS:
            if name != PACKED and (checkpoint / name).is_file():
                file.write(checkpoint / name, name)


def take(file: Path, out: Path, *, encoder: str) -> dict[str, Any]:
    """Check a checkpoint's file and keep what it holds.

    Args:
        file: the zip, of anybody.
        out: the checkpoint's directory, which appears whole or not at all.
        encoder: name of the text encoder of this installation.

    Returns:
        ``{manifest, config}``, plain JSON. The fingerprint is made anew of what came.

    Raises:
        CheckpointError: it is no such file, of another encoder or version, or its weights fit no model.
    """
    out.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=out.parent) as name:
        folder = Path(name)
        _unpack(file, folder)
        read = _opened(folder, encoder)
        _require_sound(read)
        _require_side_files(folder)
        manifest = replace(read.manifest, fingerprint=fingerprint(read.weights, read.config))

        def also(directory: Path) -> None:
            for member in (shift.FILE, program_learning.FILE, CURVES):
                if (folder / member).is_file():
                    (directory / member).write_bytes((folder / member).read_bytes())

        checkpoints.save(out, replace(read, manifest=manifest), also=also)
    return {"manifest": asdict(manifest), "config": json.loads((out / CONFIG).read_text(encoding="utf-8"))}


def _unpack(file: Path, folder: Path) -> None:
    try:
        with zipfile.ZipFile(file) as held:
            members = held.infolist()
            for member in members:
                _require_member(member)
            missing = [name for name in _NEEDED if name not in {member.filename for member in members}]
            if missing:
                raise CheckpointError(f"The file lacks {', '.join(missing)}.", hint=_ANEW)
            held.extractall(folder)
    except (OSError, zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError) as error:
        raise CheckpointError("The file is no checkpoint: it is no whole zip.", hint=_ANEW) from error


def _require_member(member: zipfile.ZipInfo) -> None:
    name = member.filename
    if name.endswith((".pt", ".pth", ".bin", ".pkl", ".ckpt")):
        raise CheckpointError(
            f"The file holds {name[:100]!r}. Such weights can run code when they are opened, and are not taken.",
            hint=f"Give {PACKED}: Download on a checkpoint's page makes such a file.",
        )
    if name not in MEMBERS:
        known = ", ".join(MEMBERS)
        raise CheckpointError(
            f"The file holds {name[:100]!r}, which no checkpoint has.", hint=f"A checkpoint holds: {known}."
        )
    if member.file_size > MEMBERS[name]:
        raise CheckpointError(
            f"{name} is larger than {MEMBERS[name] >> 20:,} MB.", hint="Train a smaller checkpoint."
        )


def _opened(folder: Path, encoder: str) -> OpenCheckpoint:
    """The manifest, the settings and the weights, each of the right form."""
    manifest = checkpoints.read_manifest(folder)
    if manifest.method not in registry.TRAINED:
        raise CheckpointError(
            f"The checkpoint is of the method {str(manifest.method)[:60]!r}, which this Clew does not train.",
            hint=f"It trains: {', '.join(sorted(registry.TRAINED))}.",
        )
    if manifest.encoder != encoder:
        raise CheckpointError(
            f"The checkpoint was trained with the encoder {str(manifest.encoder)[:100]}; this server runs {encoder}.",
            hint="Ask the operator for that encoder (CLEW_ENCODER), or train it with this one.",
        )
    try:
        settings = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
        if not isinstance(settings, dict):
            raise ValueError("no object")
        config = registry.parse(manifest.method, settings)
    except (ValueError, ClewError) as error:
        said = f"{error.message} {error.hint}" if isinstance(error, ClewError) else f"{error}."
        raise CheckpointError(f"{CONFIG} cannot be read: {said}".strip(), hint=_ANEW) from error
    try:
        weights = load_file(folder / PACKED)
    except (SafetensorError, OSError, ValueError) as error:
        raise CheckpointError(f"{PACKED} is no whole safetensors file.", hint=_ANEW) from error
    return OpenCheckpoint(manifest, config, {name: tensor.float() for name, tensor in weights.items()})


def _require_sound(checkpoint: OpenCheckpoint) -> None:
    """Refuse weights that are no numbers, or that a model of these settings does not have."""
    manifest = checkpoint.manifest
    broken = [name for name, weight in checkpoint.weights.items() if not torch.isfinite(weight).all()]
    if broken:
        raise CheckpointError(
            f"The weights {broken[0][:100]} hold values that are no numbers.", hint="Train it again."
        )
    width = encoders.load(manifest.encoder).dim
    if manifest.text_features != width:
        raise CheckpointError(
            f"The checkpoint reads vectors of {manifest.text_features} numbers; {manifest.encoder} makes {width}.",
            hint=_ANEW,
        )
    spec = registry.trained(manifest.method)
    if spec.model is None:
        raise CheckpointError(f"Checkpoints of {manifest.method} cannot be handed on.", hint="Train it here.")
    if getattr(checkpoint.config, "backend", "small") != "small":
        raise CheckpointError(
            "The checkpoint adapts a language model, which is not in it.", hint="Train it here."
        )
    build: Callable[[OpenCheckpoint], torch.nn.Module] = spec.part("model")
    load_weights(build(checkpoint), checkpoint)


def _require_side_files(folder: Path) -> None:
    """Refuse files beside the weights that cannot be read."""
    shift.Seen.load(folder)
    programs, curves = folder / program_learning.FILE, folder / CURVES
    try:
        if programs.is_file():
            Weights.load(programs)
        if curves.is_file() and not isinstance(json.loads(curves.read_text(encoding="utf-8")), list):
            raise ValueError("no list")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise CheckpointError("A file beside the weights cannot be read.", hint=_ANEW) from error
