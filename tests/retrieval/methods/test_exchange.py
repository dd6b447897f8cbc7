"""Checkpoints as files: each comes back as it went; what is foreign, broken or could run is refused."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import torch
from safetensors.torch import load, save

from retrieval.errors import CheckpointError
from retrieval.linking import encoder as encoders
from retrieval.methods import checkpoint_zip, exchange, registry
from retrieval.methods.checkpoints import open_checkpoint
from retrieval.supervision import distribution_shift, program_learning
from retrieval.training.manifest import read_manifest
from tests.retrieval.methods.conftest import SETTINGS


@pytest.fixture(autouse=True)
def words(monkeypatch, trained):
    monkeypatch.setattr(encoders, "load", lambda name: trained.encoder)


def sent(trained, tmp_path, method="rel-rag-path"):
    out = tmp_path / "checkpoint.zip"
    exchange.export_checkpoint(trained.checkpoint(method), out)
    return out


def rewritten(file, tmp_path, **changes):
    """The file with members changed: bytes, JSON, or None to leave one out."""
    with zipfile.ZipFile(file) as held:
        members = {name: held.read(name) for name in held.namelist()}
    for name, value in changes.items():
        members[name] = value if isinstance(value, bytes) or value is None else json.dumps(value).encode()
    out = tmp_path / "changed.zip"
    with zipfile.ZipFile(out, "w") as held:
        for name, content in members.items():
            if content is not None:
                held.writestr(name, content)
    return out


def taken(file, out):
    """What the server does with a file, in one process."""
    with TemporaryDirectory() as folder:
        checkpoint_zip.unpack(file, Path(folder) / "held", encoder="words")
        return exchange.take(Path(folder) / "held", out)


def json_of(file, member):
    with zipfile.ZipFile(file) as held:
        return json.loads(held.read(member))


@pytest.mark.parametrize("method", sorted(SETTINGS))
def test_a_checkpoint_comes_back_as_it_went(trained, tmp_path, method):
    was = trained.checkpoint(method)
    made = taken(sent(trained, tmp_path, method), tmp_path / "in" / "c")
    assert made["manifest"]["fingerprint"] == read_manifest(was).fingerprint
    assert made["manifest"]["method"] == method
    before, after = (open_checkpoint(each, method=method, encoder="words") for each in (was, tmp_path / "in" / "c"))
    assert before.config == after.config
    assert before.weights.keys() == after.weights.keys()
    assert all(torch.equal(before.weights[name], after.weights[name]) for name in before.weights)
    assert (tmp_path / "in" / "c" / "seen.json.gz").read_bytes() == (was / "seen.json.gz").read_bytes()


def test_every_trained_method_says_what_its_weights_are_of():
    assert all(registry.get_method(name).model for name in registry.TRAINED)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"weights.safetensors": None, "weights.pt": b"x"}, "can run code"),
        ({"weights.safetensors": None}, "lacks weights.safetensors"),
        ({"../manifest.json": b"{}"}, "which no checkpoint has"),
        ({"run.sh": b"rm"}, "which no checkpoint has"),
        ({"weights.safetensors": b"\x08\x00\x00\x00\x00\x00\x00\x00{"}, "no whole safetensors"),
        ({"manifest.json": b"{"}, "manifest.json is missing or damaged"),
        ({"config.json": {"hiden": 3}}, "config.json cannot be read: rel-rag-path has no setting 'hiden'"),
        ({"config.json": {"hidden": 64}}, "do not fit"),
        ({"seen.json.gz": b"x"}, "damaged"),
        ({"programs.json": {"weights": 1}}, "beside the weights"),
    ],
)
def test_what_is_no_checkpoint_is_refused_and_leaves_nothing(trained, tmp_path, changes, said):
    file = rewritten(sent(trained, tmp_path), tmp_path, **changes)
    (tmp_path / "in").mkdir()
    with pytest.raises(CheckpointError) as refused:
        taken(file, tmp_path / "in" / "c")
    assert said in refused.value.message
    assert refused.value.hint
    assert not list((tmp_path / "in").iterdir())


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("method", "gnn-rag", "does not train"),
        ("encoder", "other", "trained with the encoder other"),
        ("text_features", 7, "reads vectors of 7 numbers"),
    ],
)
def test_what_its_manifest_says_must_hold_here(trained, tmp_path, field, value, said):
    file = sent(trained, tmp_path)
    manifest = {**json_of(file, "manifest.json"), field: value}
    file = rewritten(file, tmp_path, **{"manifest.json": manifest})
    with pytest.raises(CheckpointError, match=said):
        taken(file, tmp_path / "c")


def test_numbers_must_be_numbers_and_a_fingerprint_is_made_of_them(trained, tmp_path):
    file = sent(trained, tmp_path)
    with zipfile.ZipFile(file) as held:
        weights = load(held.read("weights.safetensors"))
    name = sorted(weights)[0]
    manifest = {**json_of(file, "manifest.json"), "fingerprint": "f" * 64}
    changed = {**weights, name: weights[name] + 1}
    other = rewritten(file, tmp_path, **{"weights.safetensors": save(changed), "manifest.json": manifest})
    made = taken(other, tmp_path / "c")["manifest"]["fingerprint"]
    assert made not in ("f" * 64, read_manifest(trained.checkpoint()).fingerprint)
    broken = {**weights, name: weights[name] * float("nan")}
    with pytest.raises(CheckpointError, match="no numbers"):
        taken(rewritten(file, tmp_path, **{"weights.safetensors": save(broken)}), tmp_path / "d")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"PK nothing", "no whole zip"),
        (b"", "no whole zip"),
        (pickle.dumps({"weights": 1}), "The file is a pickle. Such weights can run code"),
        (save({"weights": torch.ones(2)}), "holds weights alone"),
    ],
)
def test_what_is_no_zip_is_refused(tmp_path, content, said):
    (tmp_path / "x.zip").write_bytes(content)
    with pytest.raises(CheckpointError, match=said):
        taken(tmp_path / "x.zip", tmp_path / "c")


def test_a_file_of_torch_is_refused_though_it_is_a_zip(tmp_path):
    torch.save({"weights": torch.ones(2)}, tmp_path / "x.zip")
    with pytest.raises(CheckpointError, match=r"data.pkl'. Such weights can run code"):
        taken(tmp_path / "x.zip", tmp_path / "c")


def test_a_file_that_was_cut_or_changed_is_refused_wherever_that_happened(trained, tmp_path):
    content = sent(trained, tmp_path).read_bytes()
    with zipfile.ZipFile(tmp_path / "checkpoint.zip") as held:
        weights = held.getinfo("weights.safetensors").header_offset + 200
    changed = content[:weights] + bytes([content[weights] ^ 1]) + content[weights + 1 :]
    for broken in (*(content[: len(content) * tenths // 10] for tenths in range(10)), content[:-1], changed):
        (tmp_path / "x.zip").write_bytes(broken)
        with pytest.raises(CheckpointError, match="no whole zip"):
            taken(tmp_path / "x.zip", tmp_path / "c")


def test_a_member_is_taken_once_and_not_above_its_size(trained, tmp_path, monkeypatch):
    file = sent(trained, tmp_path)
    monkeypatch.setitem(checkpoint_zip.MEMBERS, "weights.safetensors", 1 << 10)
    with pytest.raises(CheckpointError, match=r"weights.safetensors is larger than 0 MB"):
        taken(file, tmp_path / "c")
    monkeypatch.undo()
    with zipfile.ZipFile(file, "a") as held, pytest.warns(UserWarning, match="Duplicate"):
        held.writestr("config.json", b"{}")
    with pytest.raises(CheckpointError, match=r"config\.json more than once"):
        taken(file, tmp_path / "c")


def test_a_file_is_looked_through_without_torch(trained, tmp_path):
    file, out = sent(trained, tmp_path), tmp_path / "held"
    code = (
        "import sys; from pathlib import Path; from retrieval.methods import checkpoint_zip as z;"
        f"z.unpack(Path({str(file)!r}), Path({str(out)!r}), encoder='words'); assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    assert {path.name for path in out.iterdir()} >= {"manifest.json", "config.json", "weights.safetensors"}


def test_the_members_are_named_as_those_who_read_them_do():
    assert (checkpoint_zip.SEEN, checkpoint_zip.PROGRAMS) == (distribution_shift.FILE, program_learning.FILE)
