"""Failures of refreshes are mailed by a real SMTP server, over TLS and after log-in."""

import json
import os
import subprocess
import sys
from contextlib import contextmanager

import pytest

from tests.support.mail_server import PASSWORD, USER, run_mail_server, write_certificate
from webapp.sources.models import GraphSource

NAMES = tuple(f"EMAIL_{name}" for name in ("HOST", "PORT", "USE_TLS", "USE_SSL", "HOST_USER", "HOST_PASSWORD"))


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """The certificate of the server."""
    return write_certificate(tmp_path_factory.mktemp("mail") / "server.pem")


@pytest.fixture
def mail(settings, certificate, monkeypatch):
    """``with mail(tls, ...)`` runs a server, and sets Clew up to send mail to it; yields the messages that it takes."""

    @contextmanager
    def set_up(tls, password=PASSWORD, trust=True):
        if trust:
            monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        with run_mail_server("tls" if tls == "tls" else "starttls", certificate) as (port, messages):
            environ = {"HOST": f"127.0.0.1:{port}", "TLS": tls, "USER": USER, "PASSWORD": password}
            for name, value in read_settings(environ).items():
                setattr(settings, name, value)
            yield messages

    return set_up


def read_settings(environ):
    """The settings of Django that a fresh process makes of the environment."""
    code = "import json; from webapp.project.settings import core; "
    code += f"print(json.dumps({{n: getattr(core, n) for n in {NAMES!r}}}))"
    given = {**os.environ, **{f"CLEW_MAIL_{name}": value for name, value in environ.items()}}
    shown = subprocess.run([sys.executable, "-c", code], env=given, capture_output=True, text=True, check=True)
    return json.loads(shown.stdout)


@pytest.fixture
def failing(source, refresh, web):
    """``failing()`` refreshes a source that is gone; how it ended."""
    made = source(kind="files", addresses=[f"http://{web.host}/gone.csv"], notify="owner@films.test")
    assert made.status_code == 201, made.content
    return lambda: refresh().outcome


@pytest.mark.parametrize("tls", ["starttls", "tls"])
@pytest.mark.django_db(transaction=True)
def test_a_failure_is_mailed_over_tls_after_log_in(failing, mail, tls):
    with mail(tls) as messages:
        assert failing() == "failed"
    [message] = messages
    headers = (message["From"], message["To"], message["Subject"])
    assert headers == ("clew@localhost", "owner@films.test", "Clew: Tiny was not refreshed")
    assert "answers 404" in message.get_payload()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"password": "wrong"}, "Authentication credentials invalid"),
        ({"trust": False}, "certificate verify failed"),
        ({"tls": "none"}, "extension not supported"),
    ],
)
@pytest.mark.django_db(transaction=True)
def test_mail_that_cannot_be_sent_is_logged_and_changes_nothing(failing, mail, caplog, changes, words):
    with mail(**{"tls": "starttls", **changes}) as messages:
        assert failing() == "failed"
    assert messages == []
    [record] = [record for record in caplog.records if record.name == "webapp.sources.outcomes"]
    assert record.getMessage().startswith("mail to owner@films.test could not be sent: ")
    assert words in record.getMessage()
    assert GraphSource.objects.get().failures == 1


def test_a_port_follows_from_the_kind_of_encryption():
    ports = {tls: read_settings({"HOST": "mail.test", "TLS": tls})["EMAIL_PORT"] for tls in ("none", "starttls", "tls")}
    assert ports == {"none": 25, "starttls": 587, "tls": 465}
