"""Checks of a source before it is saved, and what becomes of its password when its address changes."""

from __future__ import annotations

from webapp.api.errors import InvalidError
from webapp.sources import buckets, connections
from webapp.sources.connections import Connection, parse_database
from webapp.sources.models import QUERIED, SourceKind
from webapp.uploads import remote_sources


def require_valid(connection: Connection) -> None:
    """Refuse a source that could never be read.

    Raises:
        InvalidError: a part is missing, or the query is of the wrong kind.
        NotAllowedError: the operator does not allow an address.
        SourceError: there is no such file on the server.
    """
    if not connection.addresses:
        raise InvalidError("A source needs an address.", hint="Enter where it is.")
    if connection.kind != SourceKind.FILES and len(connection.addresses) > 1:
        raise InvalidError("A source of this kind has one address.", hint="Keep one of them.")
    if connection.kind in QUERIED and not connection.query.strip():
        raise InvalidError("A query is missing.", hint="Write the query whose answer becomes the graph.")
    match connection.kind:
        case SourceKind.FILES | SourceKind.SQLITE:
            for address in connection.addresses:
                remote_sources.require_allowed(address)
        case SourceKind.S3:
            buckets.require_secret(connection)
        case SourceKind.POSTGRESQL:
            parse_database(connection.address)
        case SourceKind.SPARQL:
            remote_sources.require_host(connection.address, "SPARQL endpoints may not be queried at")
            _require_construct(connection.query)


def split_password(kind: SourceKind, address: str) -> tuple[str, str | None]:
    """An address without its password or secret key, and that; None where it has none.

    Raises:
        InvalidError, NotAllowedError: as :func:`require_valid`.
    """
    return buckets.split_secret(address) if kind == SourceKind.S3 else connections.split_password(address)


def is_same_account(kind: SourceKind, first: str, second: str) -> bool:
    """Whether two addresses lead to the same server as the same user, so that a password may stay."""
    return (
        buckets.is_same_account(first, second) if kind == SourceKind.S3 else connections.is_same_server(first, second)
    )


def _require_construct(query: str) -> None:
    """Refuse a query that does not answer with facts.

    Raises:
        InvalidError: it cannot be read, or is no CONSTRUCT or DESCRIBE query.
    """
    import pyoxigraph  # noqa: PLC0415 - loaded on use

    hint = "Write a CONSTRUCT query, such as CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }."
    try:
        answer = pyoxigraph.Store().query(query)
    except (SyntaxError, ValueError) as error:
        raise InvalidError(f"The query cannot be read: {str(error).splitlines()[0]}.", hint=hint) from None
    if not isinstance(answer, pyoxigraph.QueryTriples):
        raise InvalidError("The query does not answer with facts.", hint=hint)
