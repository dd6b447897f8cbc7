"""The files under ``deploy/`` are valid, name only commands and settings that exist, and agree with each other."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.support import deployment
from tests.support.clew import ROOT
from tests.support.deployment import DEPLOY, UNITS, load_compose, load_unit
from tests.support.s3_server import connect, run_s3_server
from webapp.project import env, supervisor
from worker.command_line import SERVER

CONTAINERFILE = DEPLOY / "Containerfile"
PAGES = [(ROOT / "docs" / name).read_text(encoding="utf-8") for name in ("settings.md", "language-models.md")]
SETTINGS = {name for page in PAGES for name in re.findall(r"`([A-Z][A-Z0-9_]+)`", page)}
STARTS = sorted(["start", role] for role in supervisor.ROLES)


def read_environment_file(path: Path) -> dict[str, str]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


def list_images():
    services = load_compose()["services"].values()
    stages = re.findall(r"^FROM (\S+)(?: AS (\S+))?$", CONTAINERFILE.read_text(encoding="utf-8"), re.MULTILINE)
    names = {name for _, name in stages}
    return [service["image"] for service in services] + [image for image, _ in stages if image not in names]


@pytest.mark.parametrize("list_commands", [deployment.list_compose_commands, deployment.list_unit_commands])
def test_every_role_is_started_and_the_database_prepared(list_commands):
    commands = list_commands()
    assert {words[0] for words in commands} == {"prepare", "start"} <= set(SERVER)
    assert sorted(words[:2] for words in commands if words[0] == "start") == STARTS
    assert ["prepare"] in commands


def test_images_are_pinned():
    images = list_images()
    assert len(images) == 13
    assert [image for image in images if not re.search(r":v?\d+\.\d+", image)] == []


# --- the image ----------------------------------------------------------------------------------------------


def test_linter_accepts_the_containerfile():
    pytest.importorskip("compose_spec", reason="requirements-dev.txt is not installed")
    program = shutil.which("hadolint", path=str(Path(sys.executable).parent)) or shutil.which("hadolint")
    assert program is not None
    done = subprocess.run([program, str(CONTAINERFILE)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


def test_image_is_built_from_files_that_are_there():
    text = CONTAINERFILE.read_text(encoding="utf-8")
    sources = [words.split()[:-1] for words in re.findall(r"^COPY (?!--)(.+)$", text, re.MULTILINE)]
    missing = [name for words in sources for name in words if not list(ROOT.glob(name))]
    assert len(sources) == 8
    assert missing == []
    ignored = (DEPLOY / "Containerfile.dockerignore").read_text(encoding="utf-8").splitlines()
    kept = {line[1:] for line in ignored if line.startswith("!")}
    assert {name.split("/")[0].replace("s.txt", "s*.txt") for words in sources for name in words} | kept == kept


def test_image_runs_as_nobody_on_the_port_of_the_settings():
    last = CONTAINERFILE.read_text(encoding="utf-8").rpartition("\nFROM ")[2]
    assert "\nUSER 10001:10001\n" in last
    assert f"\nEXPOSE {env.read({}).port}\n" in last
    assert f"http://127.0.0.1:{env.read({}).port}/healthz" in last
    assert '\nENTRYPOINT ["clew"]\nCMD ["start", "web", "--host", "0.0.0.0"]\n' in last


def test_developers_get_their_container_from_the_same_file():
    settings = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text(encoding="utf-8"))
    build = settings["build"]
    assert (ROOT / ".devcontainer" / build["dockerfile"]).resolve() == CONTAINERFILE
    assert f" AS {build['target']}\n" in CONTAINERFILE.read_text(encoding="utf-8")
    assert settings["forwardPorts"] == [env.read({}).port]
    assert "install-dev:" in (ROOT / "Makefile").read_text(encoding="utf-8")


# --- compose ------------------------------------------------------------------------------------------------


def test_compose_file_follows_the_specification():
    compose_spec = pytest.importorskip("compose_spec", reason="requirements-dev.txt is not installed")
    content = load_compose()
    compose_spec.PyCompose.from_yaml(yaml.safe_dump(content)).validate()
    services = content["services"]
    mounted = {volume.split(":")[0] for service in services.values() for volume in service["volumes"]}
    assert mounted == content["volumes"].keys()
    assert {other for service in services.values() for other in service.get("depends_on", ())} < services.keys()
    services["web"]["comand"] = []
    with pytest.raises(ValueError, match="comand"):
        compose_spec.PyCompose.from_yaml(yaml.safe_dump(content))


def test_compose_reads_settings_that_exist():
    text = (DEPLOY / "compose.yaml").read_text(encoding="utf-8")
    example = read_environment_file(DEPLOY / "env.example")
    required = set(re.findall(r"\$\{([A-Z_]+):\?", text))
    assert required - example.keys() == set()
    servers = {"POSTGRES_PASSWORD", "REDIS_PASSWORD"}
    assert example.keys() - servers - SETTINGS == set()
    assert [name for name in sorted(required - {"AWS_ACCESS_KEY_ID"}) if example[name]] == [], "no secret is known"
    web = load_compose(dict.fromkeys(required, "x" * 32))["services"]["web"]
    read = env.read({**web["environment"], "CLEW_ADMIN_PASSWORD": "x" * 32})
    assert read.database_url == f"postgresql://clew:{'x' * 32}@postgres:5432/clew"
    assert read.storage == "s3://clew?endpoint=http://s3:8333&region=us-east-1"
    assert web["environment"].keys() - SETTINGS == set()


def test_services_wait_for_what_they_need_and_are_closed():
    services = load_compose()["services"]
    for name in ("web", "answers", "jobs", "long"):
        assert services[name]["depends_on"].keys() == {"migrate", "redis", "s3"}
        assert services[name]["read_only"] is True
        assert services[name]["cap_drop"] == ["ALL"]
    assert services["migrate"]["depends_on"].keys() == {"bucket", "postgres"}
    published = {name: service["ports"] for name, service in services.items() if "ports" in service}
    assert published == {"web": ["127.0.0.1:8000:8000"]}
    waited_for = {other for service in services.values() for other, how in service.get("depends_on", {}).items()
                  if how["condition"] == "service_healthy"}  # fmt: skip
    assert all("test" in services[name]["healthcheck"] for name in waited_for)


def test_bucket_is_made_once(monkeypatch):
    compose = load_compose({"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret"})
    (script,) = compose["services"]["bucket"]["command"]
    (keys,) = json.loads(compose["configs"]["s3"]["content"])["identities"][0]["credentials"]
    assert keys == {"accessKey": "key", "secretKey": "secret"}
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", keys["accessKey"])
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", keys["secretKey"])
    with run_s3_server() as address:
        code = script.replace("http://s3:8333", address)
        assert code != script
        for _ in range(2):
            exec(code, {})
        assert [bucket.name for bucket in connect(address).buckets.all()] == ["clew"]


# --- systemd ------------------------------------------------------------------------------------------------


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
def test_systemd_accepts_the_units(tmp_path):
    for path in (*UNITS, DEPLOY / "systemd" / "clew.target"):
        text = path.read_text(encoding="utf-8").replace("/opt/clew/bin/clew", shutil.which("true"))
        (tmp_path / path.name).write_text(text, encoding="utf-8")
    command = ["systemd-analyze", "verify", "--man=no", *map(str, tmp_path.iterdir())]
    environ = {"SYSTEMD_UNIT_PATH": f"{tmp_path}:", "PATH": "/usr/bin:/bin"}
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
    command = ["systemd-analyze", "security", "--offline=true", "--threshold=20", *map(str, UNITS)]
    subprocess.run(command, check=True, capture_output=True)


def test_units_belong_together():
    target = load_unit(DEPLOY / "systemd" / "clew.target")
    wanted = {name.replace("@1", "@") for name in target["Unit"]["Wants"].split()}
    assert {path.name for path in UNITS} - wanted == {"clew-prepare.service"}
    for path in UNITS:
        unit = load_unit(path)
        (home, _) = unit["Service"]["Environment"].split()
        assert home == f"CLEW_HOME=/var/lib/{unit['Service']['StateDirectory']}/home"
        assert unit["Unit"].get("Requires") == (None if "prepare" in path.name else "clew-prepare.service")
