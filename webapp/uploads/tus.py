"""What the tus 1.0 protocol writes in headers (https://tus.io/protocols/resumable-upload)."""

from __future__ import annotations

import base64
import binascii
from datetime import datetime

from django.conf import settings
from django.http import HttpRequest
from django.utils.http import http_date

from webapp.api.errors import InvalidError, ProtocolError
from webapp.uploads.models import Upload
from webapp.uploads.services import ALGORITHMS, Checksum

VERSION = "1.0.0"
EXTENSIONS = ("creation", "termination", "expiration", "checksum")
CONTENT_TYPE = "application/offset+octet-stream"


def require_version(request: HttpRequest) -> None:
    """Refuse another version of the protocol.

    Raises:
        ProtocolError: the request names another, or none.
    """
    if request.headers.get("Tus-Resumable") != VERSION:
        raise ProtocolError(f"Uploads speak tus {VERSION}.", hint=f"Send the header Tus-Resumable: {VERSION}.")


def parse_number(request: HttpRequest, name: str) -> int:
    """A header as a number from 0.

    Raises:
        InvalidError: it is absent or something else.
    """
    text = request.headers.get(name, "")
    if not text.isascii() or not text.isdigit() or len(text) > 15:
        raise InvalidError(f"The header {name} is not a number.", hint="Give it as a whole number from 0.")
    return int(text)


def parse_metadata(text: str) -> dict[str, str]:
    """The pairs of ``Upload-Metadata``: keys, each with a value in base64, with commas between.

    Raises:
        InvalidError: it is not of this form, or names a key twice.
    """
    pairs: dict[str, str] = {}
    for pair in filter(None, (part.strip() for part in text.split(","))):
        key, _, coded = pair.partition(" ")
        try:
            value = base64.b64decode(coded, validate=True).decode()
        except (binascii.Error, UnicodeDecodeError):
            raise InvalidError(
                f"Upload-Metadata has a value for {key!r} that is not UTF-8 in base64.",
                hint="Encode the values.",
            ) from None
        if key in pairs:
            raise InvalidError(f"Upload-Metadata names {key!r} twice.", hint="Name each key once.")
        pairs[key] = value
    return pairs


def parse_checksum(request: HttpRequest) -> Checksum | None:
    """What ``Upload-Checksum`` says; None when it is absent.

    Raises:
        InvalidError: it is malformed, or of an algorithm that is not offered.
    """
    text = request.headers.get("Upload-Checksum", "")
    if not text:
        return None
    algorithm, _, coded = text.partition(" ")
    try:
        digest = base64.b64decode(coded, validate=True)
    except binascii.Error:
        digest = b""
    if algorithm not in ALGORITHMS or not digest:
        raise InvalidError(
            "Upload-Checksum cannot be read.", hint=f"Expected one of {', '.join(ALGORITHMS)}, and base64."
        )
    return Checksum(algorithm, digest)


def build_offer_headers() -> dict[str, str]:
    """The headers that say what this server can do."""
    return {
        "Tus-Version": VERSION,
        "Tus-Extension": ",".join(EXTENSIONS),
        "Tus-Max-Size": str(settings.RESUMABLE_MAX_BYTES),
        "Tus-Checksum-Algorithm": ",".join(ALGORITHMS),
    }


def build_state_headers(upload: Upload) -> dict[str, str]:
    """The headers that say how far an upload is."""
    shown = {
        "Upload-Offset": str(upload.offset),
        "Upload-Length": str(upload.length),
        "Cache-Control": "no-store",
        **build_expiry_header(upload.expires_at),
    }
    return {**shown, "Upload-Metadata": upload.metadata} if upload.metadata else shown


def build_expiry_header(expires_at: datetime) -> dict[str, str]:
    """The header that says until when an upload is kept."""
    return {"Upload-Expires": http_date(expires_at.timestamp())}
