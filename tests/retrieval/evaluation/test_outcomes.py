"""An evaluation that was stopped finds what it has asked."""

from dataclasses import replace

from retrieval.evaluation.outcomes import Journal, Outcome, compute_fingerprint
from retrieval.types import QuestionRecord, Usage

QUESTIONS = [QuestionRecord("a", "who?", ("X",), ("Y",)), QuestionRecord("b", "what?"), QuestionRecord("c", "when?")]
FULL = Outcome(
    QUESTIONS[0], ("X",), True, (("Y", 0.9), ("Z", 0.1)), {("X", "r", "Y"), ("Y", "s", "Z")},
    (("X → Y", 0.5),), None, None, Usage(1, 20, 3, 2), 12.5, 3.25, 7, {"fact": 2},
)  # fmt: skip
SILENT = Outcome(QUESTIONS[1], no_answer="no_path")


def test_outcomes_come_back_as_they_were(tmp_path):
    journal = Journal(tmp_path / "deep" / "asked.jsonl", "k", QUESTIONS)
    assert journal.done == {}
    journal.add(FULL)
    journal.add(SILENT)
    again = Journal(tmp_path / "deep" / "asked.jsonl", "k", QUESTIONS)
    assert again.done == {"a": FULL, "b": SILENT}
    again.remove()
    assert not (tmp_path / "deep" / "asked.jsonl").exists()


def test_another_evaluation_and_a_damaged_line_are_not_taken_up(tmp_path):
    path = tmp_path / "asked.jsonl"
    Journal(path, "k", QUESTIONS).add(FULL)
    assert Journal(path, "other", QUESTIONS).done == {}
    journal = Journal(path, "k", QUESTIONS)
    journal.add(FULL)
    with path.open("a", encoding="utf-8") as file:
        file.write('{"question": "b", "topi')
    journal = Journal(path, "k", QUESTIONS)
    assert journal.done == {"a": FULL}
    journal.add(SILENT)
    assert Journal(path, "k", QUESTIONS).done == {"a": FULL, "b": SILENT}
    assert Journal(path, "k", QUESTIONS[1:]).done == {"b": SILENT}


def test_a_set_is_known_by_what_is_asked_and_expected():
    same = [replace(question, split="test", hops=2) for question in reversed(QUESTIONS)]
    assert compute_fingerprint(same) == compute_fingerprint(QUESTIONS)
    assert compute_fingerprint(QUESTIONS[:2]) != compute_fingerprint(QUESTIONS)
    assert compute_fingerprint([replace(QUESTIONS[0], answers=("Q",)), *QUESTIONS[1:]]) != compute_fingerprint(
        QUESTIONS
    )
