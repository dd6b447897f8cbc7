"""Keys of providers at rest: encrypted with a key that is derived from the installation's secret."""

from __future__ import annotations

import base64
import hashlib

from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings

from retrieval.errors import ConfigError

PURPOSE = b"clew provider keys v1"


def encrypt(text: str) -> str:
    """The text, encrypted and authenticated (Fernet: AES-128-CBC with HMAC-SHA256)."""
    return _make_fernet().encrypt(text.encode()).decode()


def decrypt(sealed: str) -> str:
    """What :func:`encrypt` was given.

    Raises:
        ConfigError: it was sealed with another secret.
    """
    try:
        return _make_fernet().decrypt(sealed.encode()).decode()
    except InvalidToken:
        raise ConfigError(
            "The key of the language model cannot be read: it was stored with another secret key.",
            hint="Enter the key again, or restore CLEW_HOME/secret-key.",
        ) from None


def _make_fernet() -> Fernet:
    derived = hashlib.blake2b(PURPOSE, key=hashlib.sha256(settings.SECRET_KEY.encode()).digest(), digest_size=32)
    return Fernet(base64.urlsafe_b64encode(derived.digest()))
