"""``import-questions`` and ``label``."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from retrieval import environment
from retrieval.cli.console import Bars, ProblemList, note, say, stoppable
from retrieval.cli.options import Asked, Encoding
from retrieval.errors import ConfigError, SourceError, TrainingDataError
from retrieval.kg import snapshot as snapshots
from retrieval.kg.readers.options import ReadOptions
from retrieval.kg.snapshot.cache import cache_of
from retrieval.questions import files as question_files
from retrieval.questions.formats import FORMATS, SPLITS

if TYPE_CHECKING:
    from retrieval.supervision.labels import Labelling
    from retrieval.types import Question


Format = Annotated[
    str, Parameter(name="--format", help=f"One of: {', '.join(FORMATS)}; detected when left out.")
]


def import_questions(
    file: tuple[Path, ...], /, *, out: Path, fmt: Format = "auto", about: str | None = None
) -> int:
    """Read question files of any known format and write them as one JSONL file, with splits.

    Args:
        about: of questions that name their graphs, only those about this one.
        file: gzipped or not; several become one set.
        out: JSONL; gzipped when it ends in .gz.
    """
    read_all = [question for one in file for question in read(one, fmt, about)]
    distinct = {question.id: question for question in read_all}
    if len(distinct) < len(read_all):
        raise SourceError("Two of the files use the same question ids.", hint="Import them one by one.")
    found = question_files.with_splits(read_all)
    question_files.write_questions(out, found)
    counts = Counter(question.split for question in found)
    shares = ", ".join(f"{counts[name]:,} {name}" for name in SPLITS if counts[name])
    say(f"{out}: {len(found):,} questions ({shares})")
    return 0


def check(graph: Path, questions: Path, /) -> int:
    """Say what a graph knows of a question set.

    Args:
        graph: its directory.
        questions: of any known format.
    """
    from retrieval.questions.checking import check_questions  # noqa: PLC0415 - numpy

    with stoppable() as stop:
        found = check_questions(snapshots.open(graph), read(questions), cancelled=stop.is_set)
    counts = (
        ("questions", found.questions, ", ".join(f"{count:,} {name}" for name, count in found.splits)),
        ("askable", found.askable, "name a topic that is there, or none"),
        ("measurable", found.measurable, "have answers, all of which are there"),
        ("topics", found.topics_found, f"of {found.topics:,}"),
        ("answers", found.answers_found, f"of {found.answers:,}"),
        ("relations", found.relations_found, f"of {found.relations:,}"),
        ("passages", found.passages_found, f"of {found.passages:,}"),
        *([("programs", found.programs_found, f"of {found.programs:,}")] if found.programs else []),
    )
    for name, count, about in counts:
        say(f"{name}\t{count:,}\t{about}")
    for kind, missing in (("topic", found.topics_missing), ("answer", found.answers_missing)):
        for one in missing:
            near = f"near: {', '.join(one.nearest)}" if one.nearest else "nothing near"
            say(f"missing {kind}\t{one.name}\t{one.questions:,} questions; {near}")
    for program in found.programs_missing:
        say(f"missing program\t{program.question}\t{program.message} {program.hint}".rstrip())
    return 0


def sample(graph: Path, /, *, count: int = 20, seed: int = 0, out: Path | None = None) -> int:
    """Write questions made from a graph.

    Args:
        graph: its directory.
        count: at most so many.
        seed: of what is drawn at random.
        out: JSONL; printed when left out.

    Raises:
        TrainingDataError: the graph has no walk that makes a question.
    """
    from retrieval.questions.sampling import sample_questions  # noqa: PLC0415 - numpy

    found = sample_questions(snapshots.open(graph), count, seed)
    if not found:
        raise TrainingDataError("No question could be made of this graph.", hint="It needs facts with names.")
    if out is not None:
        question_files.write_questions(out, found)
        say(f"{out}: {len(found):,} questions")
        return 0
    for question in found:
        say(json.dumps(question_files.to_json(question), ensure_ascii=False))
    return 0


def label(
    *,
    graph: Path,
    asked: Asked,
    out: Path,
    strategy: str = "answer-set",
    prompt: Literal["reg", "rapl", "rel-rag"] | None = None,
    candidates: Literal["reg", "rapl", "shortest"] | None = None,
    max_hops: int | None = None,
    verdicts: Path | None = None,
    replies: Path | None = None,
    concurrency: int = 4,
    encoding: Encoding = Encoding(),
) -> int:
    """Write the rational relation paths of each question that some can be found for.

    Args:
        graph: the graph's directory.
        out: JSONL; gzipped when it ends in .gz.
        strategy: answer-set, shortest-path, all-shortest or llm.
        prompt: llm: the paper whose prompt is used (default: reg).
        candidates: llm: paths to choose from (default: those of the prompt's paper).
        max_hops: longest path (default: 3, of a language model 4, which questions as CWQ's want).
        verdicts: analysts' verdicts, which win.
        replies: llm: where replies are kept (default: in the graph's cache).
        concurrency: llm: requests at a time.

    Raises:
        ConfigError: options that do not go together, an unknown strategy, or no language model.
        TrainingDataError: no question can be labelled, or the verdicts cannot be read.
    """
    from retrieval.supervision import grounding, rationalizers  # noqa: PLC0415 - imports torch
    from retrieval.supervision.labels import write_labels  # noqa: PLC0415
    from retrieval.supervision.verdicts import VerdictRationalizer, read_verdicts  # noqa: PLC0415

    if strategy != "llm" and (prompt or candidates):
        raise ConfigError(
            "--prompt and --candidates are for --strategy llm.", hint="Add it, or leave them out."
        )
    work = rationalizers.LLMWork(
        environment.language_model(),
        replies or cache_of(graph) / "replies",
        prompt or "reg",
        candidates,
        concurrency,
    )
    rationalizer = rationalizers.get(strategy, work, max_hops=max_hops)
    if verdicts:
        rationalizer = VerdictRationalizer(read_verdicts(verdicts), rationalizer)
    snapshot = snapshots.open(graph)
    grounded, skipped = grounding.ground(snapshot, of_split(read(asked.questions), asked.split))
    grounding.require(grounded, skipped)
    with stoppable() as stop, Bars() as bars:
        found = rationalizer.label(
            snapshot, grounded, encoder=encoding.load(), progress=bars, cancelled=stop.is_set
        )
    if skipped.total:
        note(f"Skipped: {skipped}.")
    for line in found.notes:
        note(line)
    if found.unlabelled == len(grounded):
        raise TrainingDataError(
            f"None of the {len(grounded):,} questions could be labelled; {out} is not written.",
            hint="Use another strategy, or a question set that belongs to this graph.",
        )
    count = write_labels(out, found.labels)
    for line in summary(found, len(grounded)):
        say(line)
    say(f"{out}: {count:,} labels")
    return 0


def combine_labels(
    first: Path, second: Path, *, out: Path, how: Literal["union", "intersection"] = "union"
) -> int:
    """Write the labels that either of two files has, or both have (ReG Table 6).

    Args:
        first: labels, JSONL.
        second: labels of the same questions.
        out: JSONL; gzipped when it ends in .gz.
        how: union keeps what either says, intersection what both say.

    Raises:
        TrainingDataError: a file cannot be read, or nothing is left.
    """
    from retrieval.supervision.labels import combined, read_labels, write_labels  # noqa: PLC0415

    kept = combined(read_labels(first), read_labels(second), how)
    if not kept:
        raise TrainingDataError(
            f"The two files agree on no label; {out} is not written.", hint="Take the union, or one of them."
        )
    say(f"{out}: {write_labels(out, kept):,} labels")
    return 0


def summary(found: Labelling, questions: int) -> list[str]:
    """Coverage, fit, compression and cost of a labelling, a line each."""
    labelled = questions - found.unlabelled
    lines = [
        f"coverage\t{labelled / questions:.4f}\t{labelled:,} of {questions:,} questions have a path",
        f"fit\t{found.fit:.4f}\tmean F1 of what the labelled questions' best paths reach",
    ]
    small = found.compression
    if small is not None:
        raw, merged = small.raw / max(small.pools, 1), small.merged / max(small.pools, 1)
        lines += [
            f"candidates\t{raw:.2f} -> {merged:.2f}\taverage a question, before and after merging",
            f"compression\t{small.ratio:.4f}\tof the average; of the largest pool {small.ratio_max:.4f} "
            f"({small.raw_max:,} -> {small.merged_max:,})",
        ]
    usage = found.usage
    if usage.llm_calls or found.kept_replies:
        lines.append(
            f"usage\t{usage.llm_calls:,} calls\t{usage.prompt_tokens:,} prompt and {usage.completion_tokens:,} "
            f"completion tokens; {found.kept_replies:,} replies were kept from before"
        )
    return lines


def read(path: Path, fmt: str = "auto", about: str | None = None) -> list[Question]:
    """The good questions of a file; rows that cannot be used are listed on stderr."""
    problems = ProblemList()
    try:
        return question_files.read_questions(path, ReadOptions(format=fmt), problems=problems, graph=about)
    finally:
        problems.report()


def of_split(questions: list[Question], split: str | None) -> list[Question]:
    """The questions of one split; all when none is named.

    Raises:
        TrainingDataError: the split is empty.
    """
    if split is None:
        return questions
    chosen = [question for question in questions if question.split == split]
    if not chosen:
        known = ", ".join(sorted({question.split for question in questions if question.split})) or "none"
        raise TrainingDataError(f"No question is of split {split!r}.", hint=f"Splits of this file: {known}.")
    return chosen
