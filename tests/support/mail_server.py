"""An SMTP server on the loopback interface: with STARTTLS, or TLS from the start, and a password."""

from __future__ import annotations

import datetime
import ipaddress
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import Message
from pathlib import Path
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.handlers import Message as MessageHandler
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

USER, PASSWORD = "clew", "mail secret"


class _Mailbox(MessageHandler):
    def __init__(self) -> None:
        super().__init__()
        self.messages: list[Message] = []

    def prepare_message(self, session: Session, envelope: Envelope) -> Message:
        """The message, refused before log-in."""
        assert session.authenticated
        return super().prepare_message(session, envelope)

    def handle_message(self, message: Message) -> None:
        """Keep a message."""
        self.messages.append(message)


def _authenticate(_server: Any, _session: Any, _envelope: Any, _mechanism: str, data: Any) -> AuthResult:
    good = LoginPassword(USER.encode(), PASSWORD.encode())
    return AuthResult(success=data == good, handled=False)


@contextmanager
def run_mail_server(tls: str, certificate: Path) -> Iterator[tuple[int, list[Message]]]:
    """A server that takes mail after log-in over TLS.

    Args:
        tls: ``starttls`` or ``tls``.
        certificate: as written by :func:`write_certificate`.

    Yields:
        Its port, and the messages that it took.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    mailbox = _Mailbox()
    rules: dict[str, Any] = {"authenticator": _authenticate}
    if tls == "starttls":
        rules |= {"tls_context": context, "require_starttls": True}
    else:
        rules |= {"auth_require_tls": False}  # the connection is encrypted below the protocol
    running = _Controller(mailbox, rules, context if tls == "tls" else None)
    running.start()
    try:
        yield running.port, mailbox.messages
    finally:
        running.stop()


class _Controller(Controller):
    """A controller of a free port, which it asks the socket for."""

    def __init__(self, handler: _Mailbox, rules: dict[str, Any], context: ssl.SSLContext | None) -> None:
        super().__init__(handler, hostname="127.0.0.1", port=0, ssl_context=context)
        self._rules = rules

    def factory(self) -> SMTP:
        """The protocol of one connection."""
        return SMTP(self.handler, **self._rules)

    def _trigger_server(self) -> None:
        """Try the port that the server has by now."""
        self.port = self.server.sockets[0].getsockname()[1]
        super()._trigger_server()


def write_certificate(path: Path) -> Path:
    """Write a key and a certificate of 127.0.0.1, signed by itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.datetime.now(datetime.UTC)
    address = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    builder = builder.not_valid_before(now - datetime.timedelta(days=1)).not_valid_after(
        now + datetime.timedelta(days=1)
    )
    builder = builder.add_extension(address, critical=False)
    builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    signed = builder.sign(key, hashes.SHA256())
    form = serialization.PrivateFormat.PKCS8
    secret = key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption())
    path.write_bytes(secret + signed.public_bytes(serialization.Encoding.PEM))
    return path
