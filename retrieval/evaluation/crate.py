"""The RO-Crate metadata of a capsule, by which repositories and other tools know what its files are."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import Any

from rocrate.model import SoftwareApplication
from rocrate.rocrate import ROCrate

METADATA = "ro-crate-metadata.json"
_PROFILE = "https://w3id.org/ro/wfrun/process/0.5"
_TYPES = {
    ".json": "application/json",
    ".jsonl": "application/jsonl",
    ".gz": "application/gzip",
    ".md": "text/markdown",
    ".safetensors": "application/octet-stream",
}


def describe_crate(index: Mapping[str, Any], files: Iterable[str]) -> str:
    """Describe a capsule as a Process Run Crate: each cell is an action from questions to a report.

    Args:
        index: the capsule's ``capsule.json``.
        files: names of all files in it.
    """
    crate = ROCrate()
    data, cells = index["plan"]["data"], index["cells"]
    crate.name = index["name"]
    crate.description = f"Question answering over {', '.join(data)}: questions, checkpoints, and a report of each cell."
    crate.root_dataset["conformsTo"] = {"@id": _PROFILE}
    texts = {"capsule.json": "Plan, hashes of the data, and all figures"}
    for name, of in data.items():
        texts[of["questions"]] = f"Questions of {name}, over the graph with the content hash {of['graph']}"
        texts |= {of["labels"]: f"Labels of {name}"} if "labels" in of else {}
    texts |= {cell["report"]: f"Report of {_name_cell(cell['cell'])}" for cell in cells}
    parts = {name: _add_file(crate, name, texts.get(name)) for name in files}
    clew = crate.add(
        SoftwareApplication(crate, "#clew", properties={"name": "Clew", "softwareVersion": index["code_version"]})
    )
    for number, cell in enumerate(cells):
        action = crate.add_action(
            clew,
            identifier=f"#cell-{number}",
            object=parts[data[cell["cell"]["test"]]["questions"]],
            result=parts[cell["report"]],
            properties={"name": f"Evaluate {_name_cell(cell['cell'])}"},
        )
        crate.root_dataset.append_to("mentions", action)
    return json.dumps(crate.metadata.generate(), ensure_ascii=False, indent=1) + "\n"


def _add_file(crate: ROCrate, name: str, text: str | None) -> Any:
    path = PurePosixPath(name)
    described = {"description": text} if text else {}
    kind = {"encodingFormat": _TYPES[path.suffix]} if path.suffix in _TYPES else {}
    return crate.add_file(dest_path=name, properties={"name": path.name, **described, **kind})


def _name_cell(cell: Mapping[str, Any]) -> str:
    return f"{cell['variant']} on {cell['test']}, trained on {cell['train']}, seed {cell['seed']}"
