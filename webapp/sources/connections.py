"""How a source is read; addresses of PostgreSQL databases, checked against what the operator allows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

import psycopg
from django.conf import settings
from psycopg import conninfo

from webapp.api.errors import InvalidError, NotAllowedError
from webapp.sources.models import SourceKind

PORT = "5432"
PARAMETERS = frozenset({"host", "port", "dbname", "user", "password", "sslmode"})
"""Parts of a database's address that may be set: others make the server read files or follow other addresses."""


@dataclass(frozen=True, slots=True)
class Connection:
    """How a source is read. The ``password`` of a database, or secret key of a storage, is not part of its address."""

    kind: SourceKind
    addresses: tuple[str, ...]
    query: str = ""
    file_name: str = ""
    password: str = ""

    @property
    def address(self) -> str:
        """The only address of what is not a list of files."""
        return self.addresses[0]


def parse_database(address: str) -> dict[str, Any]:
    """The parameters of a database's address.

    Raises:
        InvalidError: it is no such address.
        NotAllowedError: the operator has not listed its host.
    """
    if not address.startswith(("postgresql://", "postgres://")):
        raise _make_address_error("it does not begin with postgresql://")
    try:
        parameters = conninfo.conninfo_to_dict(address)
    except psycopg.ProgrammingError as error:
        raise _make_address_error(str(error).replace(address, "").strip()) from None
    if unknown := sorted(set(parameters) - PARAMETERS):
        raise _make_address_error(f"it may not set {', '.join(unknown)}")
    _require_database_host(parameters)
    return parameters


def _require_database_host(parameters: Mapping[str, Any]) -> None:
    host, port = str(parameters.get("host", "")), str(parameters.get("port", PORT))
    host = host if host.startswith("/") else host.lower()
    shown = host if port == PORT else f"{host}:{port}"
    allowed = settings.CLEW.import_databases
    if not host or shown not in allowed:
        listed = ", ".join(allowed) or "nothing so far"
        raise NotAllowedError(
            f"Databases may not be read at {shown or 'an address without a host'}.",
            hint=f"The operator allows: {listed} (CLEW_IMPORT_DATABASES).",
        )


def split_password(address: str) -> tuple[str, str | None]:
    """An address of a database without its password, and the password; None where it has none.

    Raises:
        InvalidError, NotAllowedError: as :func:`parse_database`.
    """
    parameters = parse_database(address)
    password = parameters.pop("password", None)
    user = f"{quote(parameters['user'], safe='')}@" if "user" in parameters else ""
    rest = urlencode([(name, parameters[name]) for name in ("host", "port", "sslmode") if name in parameters])
    return f"postgresql://{user}/{quote(parameters.get('dbname', ''), safe='')}?{rest}", password


def is_same_server(first: str, second: str) -> bool:
    """Whether two addresses lead to the same database server as the same user, so that a password may stay."""
    left, right = (conninfo.conninfo_to_dict(address) for address in (first, second))
    return all(left.get(name) == right.get(name) for name in ("host", "port", "user"))


def _make_address_error(reason: str) -> InvalidError:
    return InvalidError(
        f"The address of the database cannot be used: {reason}.",
        hint="Write it as postgresql://user:password@host:5432/database.",
    )
