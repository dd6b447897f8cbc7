"""``clew`` gives a command to the engine or to the server."""

import sys

import pytest

from webapp.project import commands
from worker.command_line import run


def run_words(monkeypatch, *words):
    monkeypatch.setattr(sys, "argv", ["/usr/bin/clew", *words])
    return run()


def test_help_lists_commands_of_both(monkeypatch, capsys):
    assert run_words(monkeypatch) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "Usage: clew COMMAND" in shown
    for command in ("up", "start", "changepassword", "migrate"):
        assert command in shown.partition("Of the server: ")[2].partition(".")[0].split(", ")
    assert "Ask one question." in shown


def test_unknown_command_is_the_engines_error(monkeypatch, capsys):
    assert run_words(monkeypatch, "upp") == 2
    assert 'Unknown command "upp".' in capsys.readouterr().err


@pytest.mark.parametrize("words", [("up", "--no-demo"), ("doctor",), ("doctor", "--fix"), ("unlock", "ada")])
def test_command_of_the_server(monkeypatch, words):
    monkeypatch.setattr(commands, "run", lambda argv: argv)
    assert run_words(monkeypatch, *words) == ["clew", *words]


def test_doctor_of_a_folder_is_the_engines(monkeypatch, capsys, tmp_path):
    assert run_words(monkeypatch, "doctor", str(tmp_path)) == 1
    assert "damaged" in capsys.readouterr().out
