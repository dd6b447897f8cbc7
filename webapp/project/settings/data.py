"""PostgreSQL, stored files and the built front end."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import drf_spectacular_sidecar

from webapp.project.settings.environment import DATABASE_ADDRESS, ENV

_POOL = {
    "min_size": 1,
    "max_size": 20,
    "timeout": 10,
    # The pool waits twice as long after each try that fails: given up soon, the next request begins anew, and what
    # was away for a minute is found a moment after it came back, not half a minute later.
    "reconnect_timeout": 2.0,
}


def _parse_database(url: str) -> dict[str, Any]:
    parts = urlsplit(url)
    options: dict[str, Any] = dict(parse_qsl(parts.query))
    host = options.pop("host", parts.hostname or "")
    return {
        "ENGINE": "webapp.project.database",
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": host,
        "PORT": str(parts.port or ""),
        # Threads of the web process and of the workers share few connections, kept open between uses.
        "OPTIONS": {**options, "pool": _POOL},
    }


def build_remote_storage(address: str) -> dict[str, Any]:
    """Django's settings of the storage that ``s3://bucket/prefix?endpoint=...&region=...`` names."""
    parts = urlsplit(address)
    query = dict(parse_qsl(parts.query))
    options = {
        "bucket_name": parts.netloc,
        "location": parts.path.strip("/"),
        "endpoint_url": query.get("endpoint"),
        "region_name": query.get("region"),
        "addressing_style": "path" if "endpoint" in query else None,
    }
    return {"BACKEND": "storages.backends.s3.S3Storage", "OPTIONS": options}


DATABASES = {"default": _parse_database(DATABASE_ADDRESS)}

MEDIA_ROOT = str(ENV.home / "storage")
STORAGES: dict[str, dict[str, Any]] = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
if ENV.storage != "file":
    STORAGES["remote"] = build_remote_storage(ENV.storage)
_TEMP = ENV.home / "tmp"  # beside the storage: keeping an upload is a rename
_TEMP.mkdir(parents=True, exist_ok=True)
FILE_UPLOAD_TEMP_DIR = str(_TEMP)
FILE_UPLOAD_PERMISSIONS = 0o600

STATIC_URL = "/static/"
FRONTEND_DIST = Path(__file__).parents[1] / "frontend"  # in a checkout a link to where `make build` writes
# The build puts a hash into the names of its assets, so that they never change.
WHITENOISE_IMMUTABLE_FILE_TEST = r"^/assets/.+-[A-Za-z0-9_-]{8,}\.[a-z0-9.]+$"
WHITENOISE_MAX_AGE = 3600
WHITENOISE_ALLOW_ALL_ORIGINS = False
WHITENOISE_USE_FINDERS = True
STATICFILES_FINDERS = ["django.contrib.staticfiles.finders.FileSystemFinder"]
_SIDECAR = Path(drf_spectacular_sidecar.__file__).parent / "static" / "drf_spectacular_sidecar"
STATICFILES_DIRS = [("swagger-ui", str(_SIDECAR / "swagger-ui-dist"))]
WHITENOISE_ROOT = FRONTEND_DIST if FRONTEND_DIST.is_dir() else None
