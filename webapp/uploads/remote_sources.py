"""Files that are not uploaded: on the server's own disk, or at an address, as far as the operator allows.

Nothing is allowed unless ``CLEW_IMPORT_PATHS`` or ``CLEW_IMPORT_HOSTS`` say so. A path is looked at as it really is, so
that a link does not lead out; of an address the host must be listed, and of each address that it sends on to as well.
"""

from __future__ import annotations

import email.message
import http.client
import ssl
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, Any
from urllib.parse import quote, unquote, urlsplit

from django.conf import settings
from django.core.files.base import File

from retrieval.errors import SourceError
from retrieval.types import Progress
from webapp.api.concurrency import release_connection
from webapp.api.errors import NotAllowedError

PIECE = 1 << 20
TIMEOUT_S = 30.0
REDIRECTS_MAX = 5
SCHEMES = ("http", "https")
#: Characters that stand in an address as they are; letters of other scripts are spelt by their bytes.
_OF_ADDRESSES = "%/:=&?~#+!$,;'@()*[]"


def is_address(source: str) -> bool:
    """Whether it is meant as an address rather than a path."""
    return "://" in source


def require_allowed(source: str) -> None:
    """Refuse what the operator has not allowed.

    Raises:
        NotAllowedError: it leads outside of the listed directories or hosts.
        SourceError: there is no such file.
    """
    if is_address(source):
        require_host(source)
    else:
        resolve_file(source)


def _is_readable(address: str) -> bool:
    """Whether it could be one: no spaces or control characters, which no address has and no server is sent."""
    return address.isprintable() and " " not in address


def extract_name(source: str) -> str:
    """What its owner would call the file."""
    path = unquote(urlsplit(source).path) if is_address(source) else source
    return "".join(char for char in PurePosixPath(path).name if char.isprintable()) or "file"


def resolve_file(source: str) -> Path:
    """The file at a path on the server, without links.

    Raises:
        NotAllowedError: it lies outside of the listed directories.
        SourceError: there is no such file.
    """
    allowed = settings.CLEW.import_paths
    if not source.isprintable():
        raise SourceError("The path holds control characters.", hint="Check how it is written.")
    path = Path(source)
    real = path.resolve()
    if not path.is_absolute() or not any(real.is_relative_to(root) for root in allowed):
        raise NotAllowedError(
            f"Files may not be imported from {source}.", hint=_describe_allowed("CLEW_IMPORT_PATHS", allowed)
        )
    if not real.is_file():
        raise SourceError(f"There is no file {source}.", hint="Check its name on the server.")
    return real


def require_host(address: str, what: str = "Files may not be imported from") -> None:
    """Refuse an address whose host the operator has not listed.

    Raises:
        NotAllowedError: it is not, or the address holds a user's name.
    """
    allowed = settings.CLEW.import_hosts
    try:
        parts = urlsplit(address if _is_readable(address) else "")
        host, port = (parts.hostname or "").lower(), parts.port
    except ValueError:
        host, port, parts = "", None, urlsplit("")
    host_name = host if port is None else f"{host}:{port}"
    if parts.scheme not in SCHEMES or not host or parts.username or host_name not in allowed:
        raise NotAllowedError(
            f"{what} {parts.scheme}://{host_name}.",
            hint=_describe_allowed("CLEW_IMPORT_HOSTS", allowed),
        )


def _describe_allowed(setting: str, allowed: Any) -> str:
    listed = ", ".join(map(str, allowed)) or "nothing so far"
    return f"The operator allows: {listed} ({setting})."


class _Checked(urllib.request.HTTPRedirectHandler):
    """Follows a redirect only to where one may go."""

    max_redirections = REDIRECTS_MAX

    def redirect_request(  # noqa: PLR0917 - the signature is urllib's
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: email.message.Message,
        newurl: str,
    ) -> urllib.request.Request | None:
        """The next request.

        Raises:
            NotAllowedError: its host is not listed.
        """
        require_host(newurl)
        return super().redirect_request(req, fp, code, msg, headers, newurl)  # type: ignore[arg-type]


@contextmanager
def open_source(source: str) -> Iterator[tuple[IO[bytes], int]]:
    """A source open for reading, and how many bytes it has (0: not known).

    Raises:
        NotAllowedError: the operator has not allowed it.
        SourceError: it is not there, or does not answer.
    """
    if not is_address(source):
        real = resolve_file(source)
        with real.open("rb") as file:
            yield file, real.stat().st_size
        return
    with _send(source) as answer:
        size = answer.headers.get("Content-Length") or ""
        yield answer, int(size) if size.isascii() and size.isdigit() and len(size) < 20 else 0


def compute_fingerprint(source: str) -> str:
    """What stays the same while a source does: time and size of a file, validators of an address; empty where unknown.

    Raises:
        NotAllowedError: the operator has not allowed it.
        SourceError: there is no such file.
    """
    if not is_address(source):
        status = resolve_file(source).stat()
        return f"{status.st_mtime_ns} {status.st_size}"
    try:
        with _send(source, "HEAD") as answer:
            validators = [answer.headers.get(name, "") for name in ("ETag", "Last-Modified")]
            return " ".join([*validators, answer.headers.get("Content-Length", "")]) if any(validators) else ""
    except SourceError:  # not every server answers HEAD; reading it says what is wrong
        return ""


def make_opener(*handlers: urllib.request.BaseHandler) -> urllib.request.OpenerDirector:
    """What sends requests by HTTP alone, without proxies; redirects are followed only with a handler for them."""
    opener = urllib.request.OpenerDirector()
    usual = (
        urllib.request.HTTPHandler,
        urllib.request.HTTPSHandler,
        urllib.request.HTTPDefaultErrorHandler,
        urllib.request.HTTPErrorProcessor,
    )
    for handler in (*(make() for make in usual), *handlers):
        opener.add_handler(handler)
    return opener


@contextmanager
def _send(source: str, method: str = "GET") -> Iterator[Any]:
    """The answer to a request for a source."""
    require_host(source)
    release_connection()  # the host may take as long as it needs
    request = urllib.request.Request(quote(source, safe=_OF_ADDRESSES), method=method)
    try:
        with make_opener(_Checked()).open(request, timeout=TIMEOUT_S) as answer:
            yield answer
    except urllib.error.HTTPError as error:
        error.close()
        raise SourceError(f"{source} answers {error.code}.", hint="Check the address.") from None
    except (
        urllib.error.URLError,
        http.client.HTTPException,
        ssl.SSLError,
        TimeoutError,
        ConnectionError,
    ) as error:
        raise SourceError(f"{source} does not answer: {error}.", hint="Check the address, and try again.") from None


def sample(source: str, *, most: int, within: float) -> bytes:
    """The first bytes of a source, at most ``most``: to look at it.

    Raises:
        NotAllowedError, SourceError: as :func:`open_source`; or they have not come ``within`` so many seconds.
    """
    content, until = bytearray(), time.monotonic() + within
    with open_source(source) as (file, _):
        while len(content) < most and (piece := file.read1(min(PIECE, most - len(content)))):  # type: ignore[attr-defined]
            content += piece
            if time.monotonic() > until:
                raise SourceError(
                    f"{source} sends too slowly to be looked at.",
                    hint="Import it as it is, or upload the file.",
                )
    return bytes(content)


def fetch(source: str, target: Path, *, limit: int, progress: Callable[[Progress], None]) -> int:
    """Copy a source to a file of our own, written beside and renamed into place; its size.

    Args:
        source: a path or an address.
        target: where it goes.
        limit: bytes that it may have.
        progress: told how far it is; may break it off.

    Raises:
        NotAllowedError, SourceError: as :func:`open_source`; or it is larger than ``limit``, or cut short.
    """
    part = target.with_name(f".{target.name}.part")
    part.parent.mkdir(parents=True, exist_ok=True)
    done = 0
    try:
        with open_source(source) as (file, size), part.open("wb") as out:
            while piece := file.read(PIECE):
                done += len(piece)
                if done > limit:
                    raise SourceError(
                        f"{extract_name(source)} has more than {limit:,} bytes.", hint="Split or compress it."
                    )
                out.write(piece)
                progress(Progress(f"fetching {extract_name(source)}", done, max(size, done), "bytes"))
        if done < size:
            raise SourceError(f"{source} broke off after {done:,} of {size:,} bytes.", hint="Try again.")
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
    return done


@contextmanager
def open_copy(source: str, *, limit: int) -> Iterator[File[Any]]:
    """A copy of a source, as a form's file would be; it goes afterwards.

    Raises:
        NotAllowedError, SourceError: as :func:`fetch`.
    """
    with tempfile.TemporaryDirectory(dir=settings.FILE_UPLOAD_TEMP_DIR) as directory:
        path = Path(directory) / "file"
        fetch(source, path, limit=limit, progress=lambda _: None)
        with path.open("rb") as file:
            yield File(file, name=extract_name(source))
