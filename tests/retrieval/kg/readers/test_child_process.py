"""Reading in a process of its own: results and reports come back, and whatever it does ends in a typed error."""

from __future__ import annotations

import ctypes
import os
import signal
import threading
import time
from pathlib import Path

import pytest

from retrieval.errors import Cancelled, ConfigError, SourceError
from retrieval.kg.readers import child_process, read_preview
from retrieval.kg.readers.child_process import MB, Limits, TooMuchError

LIMITS = Limits(memory=500 * MB, seconds=20.0)


@pytest.fixture(autouse=True)
def nothing_is_left(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    child_process._Child.stop_idle()
    yield
    child_process._Child.stop_idle()
    assert not list(tmp_path.glob("clew-reading-*"))


def call(function, *args, limits=LIMITS, **more):
    return child_process.call(function, *args, what="a.tsv", limits=limits, **more)


# What a child does; it imports this module by its name.


def add(one, two):
    return one + two


def pid():
    return os.getpid()


def report(*, problems, progress):
    progress("half")
    problems("bad")
    progress("done")
    return "read"


def refuse():
    raise ConfigError("The columns do not fit.", hint="Choose others.")


def vanish():
    raise FileNotFoundError(2, "No such file")


def break_down():
    return {}["missing"]


def loop():
    while True:
        pass


def hold_the_interpreter():
    return sum(range(10**12))


def hoard():
    return len(bytearray(2000 * MB))


def crash():
    ctypes.string_at(0)


def abort():
    os.write(2, b"memory allocation of 2305843009213693952 bytes failed\n")
    os.abort()


def leave():
    os._exit(3)


def say_nothing(*, progress):
    progress("begun")
    time.sleep(60)


def environment():
    return sorted(os.environ)


def kept_files():
    import tempfile

    Path(tempfile.mkdtemp(), "unpacked").write_text("left")
    return tempfile.gettempdir()


def report_pid(progress):
    progress(os.getpid())
    time.sleep(0.5)
    return "read"


def modules():
    import sys

    return {"torch", "django", "celery"} & set(sys.modules)


def test_a_result_comes_back_and_the_child_serves_again():
    assert call(add, 1, two=2) == 3
    first = call(pid)
    assert first != os.getpid()
    assert call(pid) == first


def test_reports_come_as_they_are_made():
    said = []
    assert call(report, callbacks={"problems": said.append, "progress": said.append}) == "read"
    assert said == ["half", "bad", "done"]


def test_a_file_is_guessed_as_it_is_here(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text("Jaws\tdirected_by\tSpielberg\n")
    assert call(read_preview, path) == read_preview(path)


def test_errors_of_the_reader_are_raised_as_they_are():
    with pytest.raises(ConfigError, match="do not fit") as caught:
        call(refuse)
    assert (caught.value.message, caught.value.hint) == ("The columns do not fit.", "Choose others.")
    with pytest.raises(FileNotFoundError) as gone:
        call(vanish)
    assert gone.value.errno == 2


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (break_down, r"a\.tsv could not be read: its reader broke \(KeyError\)"),
        (crash, r"a\.tsv could not be read: its reader broke \(SIGSEGV\)"),
        (leave, r"a\.tsv could not be read: its reader broke \(exit 3\)"),
        (abort, r"Reading a\.tsv took more than 0\.488 GB of memory"),
        (hoard, r"Reading a\.tsv took more than 0\.488 GB of memory"),
    ],
)
def test_a_child_that_breaks_is_told_and_replaced(function, says):
    with pytest.raises(SourceError, match=says) as caught:
        call(function)
    assert caught.value.hint
    assert call(add, 1, 2) == 3


@pytest.mark.parametrize("function", [loop, hold_the_interpreter])
def test_a_child_that_does_not_end_is_killed(function):
    child = call(pid)
    with pytest.raises(TooMuchError, match=r"Reading a\.tsv took more than 0\.5 s"):
        call(function, limits=Limits(seconds=0.5))
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


def test_a_child_that_gets_no_further_is_killed():
    with pytest.raises(TooMuchError, match=r"0\.3 s without getting any further"):
        call(say_nothing, limits=Limits(seconds=0, silence=0.3), callbacks={"progress": lambda _: None})


def test_who_waits_may_break_it_off():
    def stop(*_):
        raise Cancelled("Stopped.")

    with pytest.raises(Cancelled):
        call(loop, check=stop)
    with pytest.raises(Cancelled):
        call(report, callbacks={"problems": stop, "progress": lambda _: None})


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_to_all_processes_does_not_break_the_file_off(number):
    assert call(report_pid, callbacks={"progress": lambda child: os.kill(child, number)}) == "read"


def test_others_go_on_meanwhile():
    done = threading.Event()

    def wait():
        with pytest.raises(TooMuchError):
            call(hold_the_interpreter, limits=Limits(seconds=3.0))
        done.set()

    waiting = threading.Thread(target=wait)
    waiting.start()
    turns = 0
    while not done.wait(0.01):
        turns += 1
    waiting.join()
    assert turns > 20


def test_what_it_leaves_is_removed():
    assert not Path(call(kept_files)).exists()


def test_it_is_light_and_knows_no_secrets(monkeypatch):
    monkeypatch.setenv("LLM_API_KEY", "secret")
    assert call(modules) == set()
    assert "LLM_API_KEY" not in call(environment)


def test_one_that_has_ended_while_it_waited_is_replaced():
    os.kill(call(pid), signal.SIGKILL)
    assert call(add, 1, 2) == 3


def test_one_that_waits_for_too_long_ends_by_itself(monkeypatch):
    child = child_process._Child()
    assert child.process.stdin is not None
    child.process.stdin.close()
    assert child.process.wait(timeout=20) == 0
    child.stop()
