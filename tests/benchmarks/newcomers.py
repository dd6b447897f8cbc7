"""The whole engine without a checkpoint, over graphs and tables as newcomers bring them: any folder of yours."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from retrieval.evaluation.outcomes import Outcome
from retrieval.evaluation.report import score
from retrieval.kg.values import parse
from retrieval.weights.suites import UNANSWERABLE, SuiteQuestion, list_lot, load_newcomer
from tests.benchmarks.operators import TRAINING_DATA
from tests.benchmarks.report import Section
from tests.benchmarks.sets import CACHE
from tests.benchmarks.unseen import GUESS, HEAD, SURE, answered, figures, sure_of

COMMAND = "python -m tests.benchmarks newcomers"
#: What authors wrote who knew nothing of how questions are read; a folder for each lot.
HOME = TRAINING_DATA.own / "newcomers"
#: Numbers that are shown rounded are right.
_CLOSE = 0.002


def measure(data: Sequence[str], *, show: bool = False) -> list[Section]:
    """Build a graph of each folder's files and ask its questions, as somebody who just uploaded them.

    Args:
        data: folders of folders, those of ``HOME`` where none is named; each with files of a graph and a
            ``questions.jsonl``: rows with ``question``, ``answers``, ``kind`` ("unanswerable" for what the graph does
            not hold) and maybe ``also``, further answer sets that are right. Of "how many orders per customer"
            answers are "Ann: 3", or the numbers alone.
        show: print each question that goes wrong.
    """
    section = Section(
        "Newcomers",
        COMMAND,
        "Each folder of tests/newcomers is uploaded alone and asked its questions. Topic entities are linked by "
        'Clew; extractive reasoner, no training, no checkpoint, no language model. Columns as in the result "All '
        'suites, untrained". Rows in italics are kinds of questions over all lots. All lots have been looked at by '
        "now.",
        head=("graphs and tables", *HEAD[1:]),
    )
    homes = [Path(name) for name in data] or sorted(path for path in HOME.iterdir() if path.is_dir())
    by_kind: dict[str, list[tuple[SuiteQuestion, Outcome]]] = defaultdict(list)
    for home in homes:
        rows = judged(answered(questions_of(home)))
        for one, outcome in rows:
            by_kind[one.operators[0]].append((one, outcome))
            if show:
                _show(one, outcome)
        for folder in list_lot(home) if show else ():
            section.add(folder.name, *figures([row for row in rows if row[0].suite == folder.name]))
        section.add(f"all of {home.name}", *figures(rows))
    for kind in sorted(set(by_kind) - {UNANSWERABLE}):
        section.add(f"*{kind}*", *figures(by_kind[kind]))
    return [section]


def questions_of(home: Path) -> list[SuiteQuestion]:
    """The questions of a folder of folders, with the graphs of their files."""
    return [one for folder in list_lot(home) for one in asked_of(folder)]


def asked_of(folder: Path) -> list[SuiteQuestion]:
    """The questions of one folder, with the graph of its files."""
    return list(load_newcomer(folder, CACHE, partial(print, folder.name, flush=True)))


def judged(rows: Sequence[tuple[SuiteQuestion, Outcome]]) -> list[tuple[SuiteQuestion, Outcome]]:
    """Questions with what is shown to people as their outcomes: numbers of rows, values of a ranking."""
    return [(one, _with_values(_by_number(outcome))) for one, outcome in rows]


def _by_number(outcome: Outcome) -> Outcome:
    """The outcome with "sale 1009" as "1009", where that is how the files number their sales."""
    right, found = set(outcome.question.answers), list[tuple[str, float]]()
    for label, sure in outcome.predicted:
        kind, _, number = label.rpartition(" ")
        plain = number in right and kind.isalpha() and kind.islower() and number.isdecimal()
        found.append((number if plain else label, sure))
    return replace(outcome, predicted=tuple(found))


def _with_values(outcome: Outcome) -> Outcome:
    """The outcome of a ranking with what is shown beside each thing as its answer, where that is what is right."""
    right = outcome.question.answers
    pairs = [answer.rpartition(": ") for answer in right]
    given = [(label, value) for label, text in outcome.values if (value := parse(text)) is not None]
    if not given or len(given) != len(right):
        return outcome
    found = list[str]()
    for label, value in given:
        for (name, _, number), answer in zip(pairs, right, strict=True):
            wanted = parse(number)
            if (
                name in ("", label)
                and wanted is not None
                and abs(wanted.value - value.value) <= _CLOSE * abs(value.value)
            ):
                found.append(answer)
                break
    if sorted(found) != sorted(right):
        return outcome
    return replace(outcome, predicted=tuple((answer, outcome.predicted[0][1]) for answer in right))


def _show(one: SuiteQuestion, outcome: Outcome) -> None:
    sure, given = sure_of(outcome), [label for label, _ in outcome.predicted][:8]
    if UNANSWERABLE in one.operators:
        if sure >= GUESS:
            print(f"UNTOLD {sure:.2f} {one.suite}: {one.text} -> {given} | {outcome.program}", flush=True)
    elif score(outcome).exact < 1.0:
        word = "WRONG AND SURE" if sure >= SURE else "WRONG"
        print(
            f"{word} {sure:.2f} {one.suite} [{one.operators[0]}] {one.text}\n    want {list(one.right[0])[:8]}\n"
            f"    got  {given} {outcome.no_answer or ''} | {outcome.program} | {outcome.chains[:1]}",
            flush=True,
        )
