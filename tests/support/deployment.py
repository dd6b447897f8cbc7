"""What the files under ``deploy/`` say, as data."""

from __future__ import annotations

import configparser
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

from tests.support.clew import ROOT

DEPLOY = ROOT / "deploy"
CHART = DEPLOY / "helm" / "clew"
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))

_RENDER = """
import json, sys
import helm_python
with helm_python.Chart.load(sys.argv[1]) as chart:
    for values in json.load(sys.stdin):
        try:
            print(json.dumps(chart.render(values, name="demo", namespace="prod")))
        except helm_python.HelmError as error:
            print(json.dumps({"error": str(error)}))
"""


def load_compose(environ: dict[str, str] | None = None) -> dict[str, Any]:
    """The compose file with its variables replaced and its anchors merged."""

    def replace(match: re.Match[str]) -> str:
        if match[1] is None:
            return "$"
        name, _, otherwise = match[1].partition(":")
        return (environ or {}).get(name) or (otherwise[1:] if otherwise.startswith("-") else f"the-{name}")

    text = (DEPLOY / "compose.yaml").read_text(encoding="utf-8")
    content: dict[str, Any] = yaml.safe_load(re.sub(r"\$\$|\$\{([^}]+)\}", replace, text))
    return content


def load_unit(path: Path) -> dict[str, dict[str, str]]:
    """Sections of a systemd unit."""
    parser = configparser.ConfigParser(interpolation=None, strict=True)
    parser.optionxform = str  # type: ignore[method-assign,assignment]
    parser.read(path, encoding="utf-8")
    return {section: dict(parser[section]) for section in parser.sections()}


def list_unit_commands() -> list[list[str]]:
    """Words of each unit's command line, after the program."""
    return [shlex.split(load_unit(path)["Service"]["ExecStart"])[1:] for path in UNITS]


def list_compose_commands() -> list[list[str]]:
    """Words that each container of Clew gives to ``clew``."""
    services = load_compose()["services"].values()
    return [service["command"] for service in services if "build" in service and "entrypoint" not in service]


def render_chart(*values: dict[str, Any]) -> list[dict[str, str]]:
    """For each set of values the rendered templates by file name, or only ``error``.

    Helm is loaded in a process of its own: it is written in Go, whose threads do not outlive a fork.
    """
    command = [sys.executable, "-c", _RENDER, str(CHART)]
    done = subprocess.run(command, input=json.dumps(values), capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def parse_manifests(rendered: dict[str, str]) -> list[dict[str, Any]]:
    """The Kubernetes resources of rendered templates."""
    files = [text for name, text in rendered.items() if name.endswith(".yaml")]
    return [resource for text in files for resource in yaml.safe_load_all(text) if resource]
