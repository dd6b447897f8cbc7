"""The error tree's contract: stable codes that name one error each, and a status for all of them."""

from collections import Counter

import pytest

import webapp.api.errors as web
from retrieval import errors
from tests.contracts.test_error_codes import list_classes


def test_codes_are_unique():
    counts = Counter(cls.code for cls in set(list_classes()))
    assert [code for code, n in counts.items() if n > 1] == []


def test_every_web_error_names_its_own_code():
    for cls in set(list_classes()):
        assert "code" in vars(cls), cls


@pytest.mark.parametrize(
    ("cls", "status"),
    [
        (web.BadLoginError, 401),
        (web.ForbiddenError, 403),
        (web.CsrfError, 403),
        (web.GraphNotReadyError, 409),
        (web.NameTakenError, 409),
        (web.TooLargeError, 413),
        (web.TooManyLoginsError, 429),
        (web.GoneError, 410),
        (web.ProtocolError, 412),
        (web.BusyError, 423),
        (web.ChecksumError, 460),
        (errors.StorageFullError, 507),
        (errors.QuestionError, 400),
        (errors.EmptySourceError, 400),
        (errors.LLMTimeoutError, 502),
        (errors.EndpointError, 502),
        (errors.SnapshotError, 500),
        (errors.DamagedError, 503),
        (errors.NotIndexedError, 409),
    ],
)
def test_status(cls, status):
    assert web.get_status(cls("m")) == status


def test_every_error_has_a_status():
    for cls in set(list_classes()):
        assert 400 <= web.get_status(cls("m")) <= 599
