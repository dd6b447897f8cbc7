"""Seconds from dropping files in the browser until a question about them is answered, with one click on Import.

The folders of ``--data`` hold files and ``questions.jsonl``, whose questions are asked until an answer is right. A
table of 100,000 people is generated.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from tests.benchmarks import child
from tests.benchmarks.report import Section
from tests.support.browser import open_browser, open_page
from tests.support.clew import Clew

COMMAND = "python -m tests.benchmarks first_answer"
ABOUT = (
    "Files are chosen in the upload dialog of a running instance, in Chromium. Import is pressed when the data model "
    "is shown, the only click, and a question is asked as soon as the graph can be asked (Ctrl+K). Each upload is the "
    "first of its instance. Seconds of a core are those of the server and the workers until the right answer, "
    "indexing beside it included."
)
HEAD = (
    "files",
    "data model shown (s)",
    "can be asked (s)",
    "answered (s)",
    "answered rightly (s)",
    "clicks",
    "questions",
    "goal",
)
GOAL = "15 s"
ROWS = 100_000
QUESTIONS = "questions.jsonl"
#: Milliseconds that anything may take before the measurement is given up.
PATIENCE_MS = 120_000
_SYLLABLES = (
    "ba",
    "de",
    "fi",
    "go",
    "ka",
    "le",
    "mi",
    "no",
    "pa",
    "re",
    "si",
    "to",
    "va",
    "we",
    "zi",
    "lu",
    "ro",
    "ta",
)


@dataclass
class Upload:
    """Files with a question about them and its answers."""

    name: str
    files: list[Path]
    questions: list[tuple[str, list[str]]]
    asked: int = 0
    seconds: list[float] = field(default_factory=list)


def measure(folders: Sequence[str]) -> list[Section]:
    """One table."""
    section = Section("From files to the first answer", COMMAND, ABOUT, head=HEAD, theme="Speed and size")
    section.add("load of the machine before (1 min)", child.load())
    with tempfile.TemporaryDirectory() as home, open_browser() as browser:
        for number, upload in enumerate((*map(_read_folder, map(Path, folders)), _write_people(Path(home)))):
            with Clew(Path(home) / f"clew{number}", options=("--no-demo",)) as clew:
                clew.wait_for_workers()
                before = clew.measure_processor_time()
                _run(browser, clew, upload)
                spent = clew.measure_processor_time() - before
            times = (f"{seconds:.1f}" for seconds in upload.seconds)
            section.add(upload.name, *times, str(upload.asked), f"{spent:.1f}", GOAL)
            print(section.rows[-1], flush=True)
    return [section]


def _read_folder(folder: Path) -> Upload:
    rows = [json.loads(line) for line in (folder / QUESTIONS).open(encoding="utf-8")]
    questions = [(row["question"], row["answers"]) for row in rows if row["answers"]]
    files = sorted(path for path in folder.iterdir() if path.is_file() and path.suffix not in (".jsonl", ".md"))
    return Upload(folder.name, files, questions)


def _write_people(folder: Path) -> Upload:
    names = [f"{_write_name(i % 331)} {_write_name(331 + i // 331)}" for i in range(ROWS)]
    path = folder / "people.csv"
    rows = (
        f"{name},{_write_name(5 * i % 907)}ville,{_write_name(7 * i % 411)} Ltd,{1950 + i % 50},{20_000 + i % 9_000}\n"
        for i, name in enumerate(names)
    )
    path.write_text("name,city,employer,birth year,salary\n" + "".join(rows), encoding="utf-8")
    person = 77_777
    question = f"Who is the employer of {names[person]}?"
    return Upload(f"a table of {ROWS:,} people", [path], [(question, [f"{_write_name(7 * person % 411)} Ltd"])])


def _write_name(number: int) -> str:
    """Another name for each number."""
    size = len(_SYLLABLES)
    parts = [_SYLLABLES[number % size], _SYLLABLES[number // size % size], _SYLLABLES[number // size**2 % size]]
    return "".join(parts).capitalize()


def _run(browser: Browser, clew: Clew, upload: Upload) -> None:
    """Upload, and ask until an answer is right.

    Raises:
        RuntimeError: none is.
    """
    page = open_page(browser, clew)
    page.set_default_timeout(PATIENCE_MS)
    expect.set_options(timeout=PATIENCE_MS)
    page.goto("/graphs")
    page.get_by_role("button", name="Upload a graph").first.click()
    dialog = page.get_by_role("dialog")
    started = time.monotonic()
    dialog.locator("input[type=file]").set_input_files(upload.files)
    expect(dialog.get_by_role("region", name="Data model", exact=True)).to_have_attribute("aria-busy", "false")
    upload.seconds.append(time.monotonic() - started)
    name = dialog.get_by_label("Name", exact=True)
    if not name.input_value():
        name.fill(upload.name)
    dialog.get_by_role("button", name="Import", exact=True).click()
    page.get_by_text("ready", exact=True).first.wait_for()
    upload.seconds.append(time.monotonic() - started)
    page.keyboard.press("Control+k")
    page.keyboard.type("?")
    page.keyboard.press("Enter")
    page.wait_for_url("**/?q=*")
    for question, answers in upload.questions:
        upload.asked += 1
        is_right = _ask(page, question, answers)
        if is_right or upload.asked == 1:
            upload.seconds.append(time.monotonic() - started)
        if is_right:
            break
        print("wrong:", question, flush=True)
        page.goto("/")
    else:
        raise RuntimeError(f"no question about {upload.name} was answered rightly")
    if upload.asked == 1:
        upload.seconds.append(upload.seconds[-1])
    page.context.close()


def _ask(page: Page, question: str, answers: list[str]) -> bool:
    """Whether the answers are right."""
    address = page.url
    page.get_by_role("combobox", name="Question").fill(question)
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: "/runs/" in url and url != address)
    shown = page.get_by_role("region", name="Answers").get_by_role("listitem")
    expect(shown.or_(page.locator(".no-answer")).first).to_be_visible()
    labels = shown.all_inner_texts()
    return len(labels) == len(answers) and all(any(answer in label for label in labels) for answer in answers)
