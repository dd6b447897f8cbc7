"""The one place that reads the environment: every setting, its default, and what is expected of it.

An empty value counts as unset. A wrong one raises :class:`ConfigError` naming the setting and what is expected.
"""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import parse_qsl, urlsplit

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from retrieval import environment
from retrieval.environment import LLMSettings
from retrieval.errors import ConfigError
from webapp.accounts.passwords import VISIBLE_MIN, count_visible

ROOT = Path(__file__).resolve().parents[2]
"""The folder of the packages: a checkout, or where pip installed them."""

IN_CHECKOUT = (ROOT / "manage.py").is_file()
COMMAND = "python manage.py" if IN_CHECKOUT else "clew"
"""What messages call the command that starts Clew and looks after it."""

GIB = 1024**3
SECRET = ("CLEW_ADMIN_PASSWORD", "CLEW_MAIL_PASSWORD", "CLEW_SECRET_KEY", "DATABASE_URL", "REDIS_URL")
"""Settings whose values hold passwords, so that no message repeats them."""


def _parse_home(path: Path) -> Path:
    path = path.expanduser()
    if path.exists() and not path.is_dir():
        raise ValueError
    return path.resolve()


def _split_list(value: object) -> object:
    """What stands between commas."""
    return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value


def _check_directory(path: Path) -> Path:
    if not path.is_absolute() or not path.is_dir():
        raise ValueError
    return path.resolve()


def _check_host(name: str) -> str:
    if set(name) & set("/@*"):
        raise ValueError
    return name.lower()


def _check_database(name: str) -> str:
    if set(name) & set("@*?") or ("/" in name and not name.startswith("/")):
        raise ValueError
    return name if name.startswith("/") else name.lower()


def _check_server(name: str) -> str:
    host, _, port = _check_host(name).partition(":")
    if bool(name) != bool(host) or (port and not 0 < int(port) < 1 << 16):
        raise ValueError
    return name


def _check_mail_address(text: str) -> str:
    if text.count("@") != 1 or not text.isprintable() or " " in text:
        raise ValueError
    return text


def _check_network(text: str) -> str:
    ipaddress.ip_network(text)
    return text


def _check_password(text: str) -> str:
    if count_visible(text) < VISIBLE_MIN:
        raise ValueError
    return text


def _make_url_check(*schemes: str) -> AfterValidator:
    def check(text: str) -> str:
        parts = urlsplit(text)
        _ = parts.port  # raises ValueError where it is none
        if parts.scheme not in schemes or not (parts.netloc or parts.path):
            raise ValueError
        return text

    return AfterValidator(check)


def _check_storage(text: str) -> str:
    if text == "file":
        return text
    parts = urlsplit(text)
    query = dict(parse_qsl(parts.query))
    if parts.scheme != "s3" or not parts.netloc or parts.username or set(query) - {"endpoint", "region"}:
        raise ValueError
    if "endpoint" in query:
        TypeAdapter(Annotated[str, _make_url_check("http", "https")]).validate_python(query["endpoint"])
    return text


def _compute_memory() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") * 3 // 4


def _parse_bytes(value: object) -> object:
    """Gigabytes of the environment in bytes."""
    return int(TypeAdapter(Number).validate_python(value) * GIB) if isinstance(value, str) else value


ANSWER_PROCESSES_MAX = 4
"""Processes that answer questions where no setting says how many: each takes about 0.8 GB of memory."""

EXPECTED: dict[str, str] = {}
"""All settings of the web application by name, with what is expected of each."""


def make_setting(name: str, expected: str, **options: Any) -> Any:
    """A setting of this name in the environment; ``expected`` is what a wrong value is answered with."""
    EXPECTED[name] = expected
    return Field(alias=name, **options)


Number = Annotated[float, Field(ge=0, lt=1e9, allow_inf_nan=False)]
Networks = Annotated[tuple[Annotated[str, AfterValidator(_check_network)], ...], BeforeValidator(_split_list)]
Hosts = Annotated[tuple[Annotated[str, AfterValidator(_check_host)], ...], BeforeValidator(_split_list)]
Databases = Annotated[tuple[Annotated[str, AfterValidator(_check_database)], ...], BeforeValidator(_split_list)]
Directories = Annotated[tuple[Annotated[Path, AfterValidator(_check_directory)], ...], BeforeValidator(_split_list)]


@dataclass(frozen=True, config=ConfigDict(validate_by_name=True))
class Env:
    """The environment, read and checked; what each setting means stands in the README.

    ``database_url`` and ``redis_url`` are None when Clew runs its own; ``import_memory`` is in bytes, 0 without a
    limit, and three quarters of the machine's unless it is said.
    """

    home: Annotated[Path, AfterValidator(_parse_home)] = make_setting(
        "CLEW_HOME",
        "a directory, or a path where one can be made",
        default=(ROOT if IN_CHECKOUT else Path()) / ".clew",
        validate_default=True,
    )
    port: Annotated[int, Field(ge=1, le=65535)] = make_setting(
        "CLEW_PORT", "a whole number from 1 to 65535", default=8000
    )
    hosts: Annotated[tuple[str, ...], BeforeValidator(_split_list)] = make_setting(
        "CLEW_HOSTS", "names of hosts, with commas", default=()
    )
    trusted_proxies: Networks = make_setting(
        "CLEW_TRUSTED_PROXIES", "addresses such as 127.0.0.1 or networks such as 10.0.0.0/8", default=()
    )
    admin_password: Annotated[str, AfterValidator(_check_password)] | None = make_setting(
        "CLEW_ADMIN_PASSWORD", f"at least {VISIBLE_MIN} characters other than spaces", default=None
    )
    secret_key: Annotated[str, Field(min_length=32)] | None = make_setting(
        "CLEW_SECRET_KEY", "at least 32 characters", default=None
    )
    database_url: Annotated[str, _make_url_check("postgresql", "postgres")] | None = make_setting(
        "DATABASE_URL", "an address that begins with postgresql:// or postgres://", default=None
    )
    redis_url: Annotated[str, _make_url_check("redis", "rediss", "unix")] | None = make_setting(
        "REDIS_URL", "an address that begins with redis:// or rediss:// or unix://", default=None
    )
    storage: Annotated[str, AfterValidator(_check_storage)] = make_setting(
        "CLEW_STORAGE", "file, or s3://bucket/prefix?endpoint=https://host&region=name", default="file"
    )
    import_paths: Directories = make_setting(
        "CLEW_IMPORT_PATHS", "directories that are there, by their whole paths", default=()
    )
    import_hosts: Hosts = make_setting(
        "CLEW_IMPORT_HOSTS", "names of hosts such as data.example.org or data.example.org:8080", default=()
    )
    import_databases: Databases = make_setting(
        "CLEW_IMPORT_DATABASES",
        "hosts of PostgreSQL servers such as db.example.org or db.example.org:5433, or directories of their sockets",
        default=(),
    )
    mail_host: Annotated[str, AfterValidator(_check_server)] = make_setting(
        "CLEW_MAIL_HOST", "the name of an SMTP server such as mail.example.org or mail.example.org:587", default=""
    )
    mail_from: Annotated[str, AfterValidator(_check_mail_address)] = make_setting(
        "CLEW_MAIL_FROM", "an address such as clew@example.org", default="clew@localhost"
    )
    mail_tls: Literal["none", "starttls", "tls"] = make_setting(
        "CLEW_MAIL_TLS", "none, starttls or tls", default="none"
    )
    mail_user: str = make_setting("CLEW_MAIL_USER", "the name of a user", default="")
    mail_password: str = make_setting("CLEW_MAIL_PASSWORD", "a password", default="")
    import_memory: Annotated[int, BeforeValidator(_parse_bytes)] = make_setting(
        "CLEW_IMPORT_MEMORY_GB", "a number from 0 on", default_factory=_compute_memory
    )
    cache_gb: Number = make_setting("CLEW_CACHE_GB", "a number from 0 on", default=50.0)
    quota_gb: Number | None = make_setting("CLEW_QUOTA_GB", "a number from 0 on", default=None)
    trash_days: Number = make_setting("CLEW_TRASH_DAYS", "a number from 0 on", default=7.0)
    keep_files: bool = make_setting("CLEW_KEEP_FILES", "1 or 0", default=True)
    answer_processes: Annotated[int, Field(ge=1, le=64)] = make_setting(
        "CLEW_ANSWER_PROCESSES",
        "a whole number from 1 to 64",
        default_factory=lambda: min(environment.count_cores(), ANSWER_PROCESSES_MAX),
    )
    self_training: bool = make_setting("CLEW_SELF_TRAINING", "1 or 0", default=True)
    encoder: str = environment.DEFAULT_ENCODER
    device: str = environment.DEVICES[0]
    llm: LLMSettings | None = None


def read(environ: Mapping[str, str] = os.environ) -> Env:
    """Read and check the settings; those of the engine are read by :mod:`retrieval.environment`.

    Raises:
        ConfigError: a value is wrong.
    """
    values = {name: value for name in EXPECTED if (value := environ.get(name, "").strip())}
    try:
        env = TypeAdapter(Env).validate_python(values)
    except ValidationError as error:
        raise _make_error(error) from None
    environment.count_index_processes(environ)  # a wrong one stops the start, not the first index
    return replace(
        env,
        encoder=environment.get_encoder_name(environ),
        device=environment.get_device(environ),
        llm=environment.read_llm_settings(environ),
    )


def _make_error(error: ValidationError) -> ConfigError:
    detail = error.errors()[0]
    name = str(detail["loc"][0])
    value = "not usable" if name in SECRET else repr(detail["input"])
    return ConfigError(f"{name} is {value}.", hint=f"Expected {EXPECTED[name]}.")
