"""The file of a checkpoint, of anybody, looked through without torch before anything of it is opened.

``manifest.json``, ``config.json`` and ``weights.safetensors`` must be in the zip; ``seen.json.gz``, ``programs.json``
and ``curves.json`` and the model card may. ``exchange`` reads what comes of it here.
"""

from __future__ import annotations

import errno
import json
import zipfile
import zlib
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open

from retrieval.config import TrainingConfig
from retrieval.errors import CheckpointError, ClewError
from retrieval.methods import registry
from retrieval.methods.model_card import CARD
from retrieval.training.manifest import CONFIG, MANIFEST, PACKED, read_manifest

SEEN, PROGRAMS, CURVES = "seen.json.gz", "programs.json", "curves.json"
#: Largest size of each member, in bytes.
MEMBERS = {
    MANIFEST: 1 << 20,
    CONFIG: 1 << 20,
    PACKED: 2 << 30,
    SEEN: 64 << 20,
    PROGRAMS: 16 << 20,
    CURVES: 64 << 20,
    CARD: 1 << 20,
}
ANEW = "Download it again from the Clew that trained it."
_NEEDED = (MANIFEST, CONFIG, PACKED)
_RUNS = (".pt", ".pth", ".bin", ".pkl", ".pickle", ".ckpt", ".joblib")
#: What a pickle begins with, from its second protocol on.
_PICKLED = tuple(bytes((0x80, protocol)) for protocol in range(2, 6))


def unpack(file: Path, folder: Path, *, encoder: str) -> None:
    """Lay the members of a checkpoint's file out, each found whole and of the right form.

    Args:
        folder: a new directory for its members.
        encoder: name of the text encoder of this installation.

    Raises:
        CheckpointError: it is no such zip, damaged, too large, of another encoder, or holds what could run.
    """
    try:
        with zipfile.ZipFile(file) as held:
            _require_members(held.infolist())
            held.extractall(folder)
    except (OSError, zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, zlib.error) as error:
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:
            raise
        raise _make_no_zip_error(file) from error
    _require_method(folder, encoder)
    read_config(folder)
    try:
        with safe_open(folder / PACKED, framework="numpy") as weights:
            weights.keys()
    except (SafetensorError, OSError) as error:
        raise CheckpointError(f"{PACKED} is no whole safetensors file.", hint=ANEW) from error


def read_config(folder: Path) -> TrainingConfig:
    """The settings of an unpacked checkpoint.

    Raises:
        CheckpointError: they cannot be read, or its method has no such settings.
    """
    try:
        settings: Any = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
        if not isinstance(settings, dict):
            raise ValueError("no object")
        return registry.parse(read_manifest(folder).method, settings)
    except (ValueError, RecursionError, ClewError) as error:
        reason = f"{error.message} {error.hint}" if isinstance(error, ClewError) else f"{error}."
        raise CheckpointError(f"{CONFIG} cannot be read: {reason}".strip(), hint=ANEW) from error


def _make_no_zip_error(file: Path) -> CheckpointError:
    """What a file is that is no whole zip, as far as its first bytes tell."""
    with file.open("rb") as opened:
        head = opened.read(9)
    if head.startswith(_PICKLED):
        return _make_unsafe_error("The file is a pickle")
    if head[8:] == b"{":
        return CheckpointError("The file holds weights alone: a checkpoint is a zip with its settings too.", hint=ANEW)
    return CheckpointError("The file is no checkpoint: it is no whole zip.", hint=ANEW)


def _make_unsafe_error(what: str) -> CheckpointError:
    return CheckpointError(
        f"{what}. Such weights can run code when they are opened, and are not taken.",
        hint=f"Give {PACKED}: Download on a checkpoint's page makes such a file.",
    )


def _require_members(members: list[zipfile.ZipInfo]) -> None:
    names = [member.filename for member in members]
    for member in members:
        name = member.filename
        if name.lower().endswith(_RUNS):
            raise _make_unsafe_error(f"The file holds {name[:100]!r}")
        if name not in MEMBERS:
            known = ", ".join(MEMBERS)
            raise CheckpointError(
                f"The file holds {name[:100]!r}, which no checkpoint has.",
                hint=f"A checkpoint holds: {known}.",
            )
        if names.count(name) > 1:
            raise CheckpointError(f"The file holds {name} more than once.", hint=ANEW)
        if member.file_size > MEMBERS[name]:
            raise CheckpointError(
                f"{name} is larger than {MEMBERS[name] >> 20:,} MB.", hint="Train a smaller checkpoint."
            )
    missing = [name for name in _NEEDED if name not in names]
    if missing:
        raise CheckpointError(f"The file lacks {', '.join(missing)}.", hint=ANEW)


def _require_method(folder: Path, encoder: str) -> None:
    manifest = read_manifest(folder)
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
