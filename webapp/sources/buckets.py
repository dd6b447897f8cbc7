"""Objects in S3-compatible storage: one object, or all below a prefix."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlencode

from retrieval.errors import SourceError
from retrieval.types import Progress
from webapp.api.errors import InvalidError
from webapp.sources.connections import Connection
from webapp.uploads import remote_sources

CONNECT_S = 10
READ_S = 60
OBJECTS_MAX = 50
PIECE = 1 << 20
FORM = "s3://ACCESS_KEY:SECRET_KEY@bucket/folder/?endpoint=https://storage.example.org&region=NAME"
_ADDRESS = re.compile(
    r"s3://(?:(?P<user>[^:@/]+)(?::(?P<secret>[^@]*))?@)?(?P<bucket>[a-z0-9][a-z0-9.-]+)"
    r"(?:/(?P<path>.*?))?(?:\?(?P<options>(?:endpoint|region)=.*))?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Location:
    """The parts of an address; ``path`` is a key or a prefix, and without ``user`` requests are not signed."""

    bucket: str
    path: str
    endpoint: str
    region: str
    user: str
    secret: str | None

    @property
    def server(self) -> str:
        """The address of the storage itself: Amazon's where no endpoint is set."""
        region = f".{self.region}" if self.region else ""
        return self.endpoint or f"https://s3{region}.amazonaws.com"

    def __str__(self) -> str:
        user = f"{quote(self.user, safe='')}@" if self.user else ""
        options = urlencode(
            [(name, value) for name in ("endpoint", "region") if (value := getattr(self, name))], safe=":/"
        )
        return f"s3://{user}{self.bucket}/{self.path}" + (f"?{options}" if options else "")


@dataclass(frozen=True, slots=True)
class StoredObject:
    """An object: its key, its size in bytes, and a tag that changes with its content."""

    key: str
    size: int
    tag: str


def parse_location(address: str) -> Location:
    """The parts of an address.

    Raises:
        InvalidError: it is no such address.
        NotAllowedError: the operator has not listed the host of the storage.
    """
    match = _ADDRESS.fullmatch(address)
    options = dict(parse_qsl(match["options"] or "")) if match else {}
    if match is None or set(options) - {"endpoint", "region"} or not address.isprintable():
        raise InvalidError("The address of the storage cannot be used.", hint=f"Write it as {FORM}.")
    region = options.get("region", "")
    if not re.fullmatch(r"[a-zA-Z0-9-]*", region):
        raise InvalidError(f"There is no region {region}.", hint="A region is called eu-west-1, for example.")
    location = Location(
        bucket=match["bucket"],
        path=match["path"] or "",
        endpoint=options.get("endpoint", "").rstrip("/"),
        region=region,
        user=unquote(match["user"] or ""),
        secret=None if match["secret"] is None else unquote(match["secret"]),
    )
    remote_sources.require_host(location.server, "S3 storage may not be read at")
    return location


def require_secret(connection: Connection) -> None:
    """Refuse an access key without its secret key.

    Raises:
        InvalidError, NotAllowedError: as :func:`parse_location`; or the secret key is missing.
    """
    if parse_location(connection.address).user and not connection.password:
        raise InvalidError("The secret key is missing.", hint=f"Write the address as {FORM}.")


def split_secret(address: str) -> tuple[str, str | None]:
    """An address without its secret key, and the secret key; None where it has none.

    Raises:
        InvalidError, NotAllowedError: as :func:`parse_location`.
    """
    location = parse_location(address)
    return str(location), location.secret


def is_same_account(first: str, second: str) -> bool:
    """Whether two addresses lead to the same storage with the same access key."""
    left, right = parse_location(first), parse_location(second)
    return (left.server, left.user) == (right.server, right.user)


def list_objects(connection: Connection) -> list[StoredObject]:
    """The object at the address of a source, or those below it, without empty ones, sorted by key.

    Raises:
        SourceError: the storage does not answer or refuses, nothing is there, or there are too many objects.
        InvalidError, NotAllowedError: as :func:`parse_location`.
    """
    with _open_client(connection) as (client, location):
        if location.path and not location.path.endswith("/"):
            stored = _find_object(client, location)
            if stored is not None:
                return [stored]
        prefix = f"{location.path.rstrip('/')}/" if location.path else ""
        stored_objects = []
        pages = client.get_paginator("list_objects_v2").paginate(Bucket=location.bucket, Prefix=prefix)
        for row in (row for page in pages for row in page.get("Contents", ())):
            if row["Size"] and not row["Key"].endswith("/"):
                stored_objects.append(StoredObject(row["Key"], row["Size"], row["ETag"]))
            if len(stored_objects) > OBJECTS_MAX:
                raise SourceError(
                    f"More than {OBJECTS_MAX} objects lie in {location.bucket}/{prefix}.",
                    hint="Give the address of a folder with fewer.",
                )
    if not stored_objects:
        raise SourceError(
            f"There are no objects with content in {location.bucket}/{prefix}.", hint="Check the address."
        )
    return stored_objects


def _find_object(client: Any, location: Location) -> StoredObject | None:
    """The object of exactly this key; None where it cannot be seen, as below a prefix."""
    from botocore.exceptions import ClientError  # noqa: PLC0415 - loads for a while, and only where it is used

    try:
        head = client.head_object(Bucket=location.bucket, Key=location.path)
    except ClientError as error:
        if error.response["ResponseMetadata"]["HTTPStatusCode"] in (403, 404):
            return None
        raise
    return StoredObject(location.path, head["ContentLength"], head["ETag"])


def list_file_names(connection: Connection, stored: Sequence[StoredObject]) -> list[str]:
    """File names of objects: the last part of a key, or its path below the prefix where several end alike."""
    if len(stored) == 1 and connection.file_name:
        return [connection.file_name]
    ends = [item.key.rpartition("/")[2] for item in stored]
    folder = parse_location(connection.address).path.rstrip("/")
    counts = Counter(ends)
    return [
        end if counts[end] == 1 else item.key.removeprefix(folder).strip("/").replace("/", " ")
        for end, item in zip(ends, stored, strict=True)
    ]


def fetch_object(
    connection: Connection, stored: StoredObject, target: Path, *, limit: int, progress: Callable[[Progress], None]
) -> None:
    """Write the content of an object to a file.

    Raises:
        SourceError: as :func:`list_objects`; or the object has more bytes than ``limit``.
        InvalidError, NotAllowedError: as :func:`parse_location`.
    """
    done = 0
    if stored.size > limit:
        raise SourceError(f"{stored.key} has more than {limit:,} bytes.", hint="Split or compress it.")
    with _open_client(connection) as (client, location), target.open("wb") as file:
        answer = client.get_object(Bucket=location.bucket, Key=stored.key)
        for piece in answer["Body"].iter_chunks(PIECE):
            done += len(piece)
            if done > limit:
                raise SourceError(f"{stored.key} has more than {limit:,} bytes.", hint="Split or compress it.")
            file.write(piece)
            progress(Progress(f"fetching {stored.key}", done, max(stored.size, done), "bytes"))


def sample_object(connection: Connection, stored: StoredObject, *, most: int) -> bytes:
    """The first bytes of an object.

    Raises:
        SourceError, InvalidError, NotAllowedError: as :func:`list_objects`.
    """
    with _open_client(connection) as (client, location):
        answer = client.get_object(Bucket=location.bucket, Key=stored.key, Range=f"bytes=0-{most - 1}")
        content: bytes = answer["Body"].read(most)
        return content


@contextmanager
def _open_client(connection: Connection) -> Iterator[tuple[Any, Location]]:
    """A client that uses the keys of the source alone, never those of the installation."""
    from boto3.session import Session  # noqa: PLC0415 - loads for a while, and only where it is used
    from botocore import UNSIGNED  # noqa: PLC0415
    from botocore.client import Config  # noqa: PLC0415
    from botocore.exceptions import BotoCoreError, ClientError  # noqa: PLC0415

    location = parse_location(connection.address)
    config = Config(
        connect_timeout=CONNECT_S,
        read_timeout=READ_S,
        retries={"mode": "standard", "total_max_attempts": 2},
        proxies={},
        s3={"addressing_style": "path" if location.endpoint else "auto"},
        signature_version="s3v4" if location.user else UNSIGNED,
    )
    keys = {  # without any, the client would look for those of the machine
        "aws_access_key_id": location.user or "none",
        "aws_secret_access_key": connection.password or "none",
        "region_name": location.region or "us-east-1",
    }
    try:
        yield Session().client("s3", endpoint_url=location.server, config=config, **keys), location
    except ClientError as error:
        detail = error.response.get("Error", {})
        raise SourceError(
            f"The storage at {location.server} refuses: {detail.get('Message') or error} ({detail.get('Code')}).",
            hint="Check bucket, region and keys; the access key must be allowed to list and read them.",
        ) from None
    except BotoCoreError as error:
        raise SourceError(
            f"The storage at {location.server} does not answer: {error}.", hint="Check the address, and try again."
        ) from None
