"""``import-questions`` and ``label``."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from retrieval import environment
from retrieval.cli.console import Bars, ProblemList, print_note, print_result, watch_interrupts
from retrieval.cli.options import Encoding, QuestionOptions
from retrieval.errors import ConfigError, SourceError, TrainingDataError
from retrieval.kg import snapshot as snapshots
from retrieval.kg.readers.options import ReadOptions
from retrieval.kg.snapshot.cache import get_cache_folder
from retrieval.questions import files as question_files
from retrieval.questions.formats import FORMATS
from retrieval.questions.splits import SPLITS, assign_splits

if TYPE_CHECKING:
    from retrieval.supervision.labels import Labelling
    from retrieval.types import QuestionRecord


Format = Annotated[str, Parameter(name="--format", help=f"One of: {', '.join(FORMATS)}; detected when left out.")]


def import_questions(file: tuple[Path, ...], /, *, out: Path, fmt: Format = "auto", about: str | None = None) -> int:
    """Read question files of any known format and write them as one JSONL file, with splits.

    Args:
        about: of questions that name their graphs, only those about this one.
        file: gzipped or not; several become one set.
        out: JSONL; gzipped when it ends in .gz.
    """
    read_all = [question for path in file for question in read(path, fmt, about)]
    distinct = {question.id: question for question in read_all}
    if len(distinct) < len(read_all):
        raise SourceError("Two of the files use the same question ids.", hint="Import them one by one.")
    questions = assign_splits(read_all)
    question_files.write_questions(out, questions)
    counts = Counter(question.split for question in questions)
    shares = ", ".join(f"{counts[name]:,} {name}" for name in SPLITS if counts[name])
    print_result(f"{out}: {len(questions):,} questions ({shares})")
    return 0


def check(graph: Path, questions: Path, /) -> int:
    """Say what a graph knows of a question set.

    Args:
        graph: its directory.
        questions: of any known format.
    """
    from retrieval.questions.checking import check_questions  # noqa: PLC0415 - numpy

    with watch_interrupts() as stop:
        result = check_questions(snapshots.open(graph), read(questions), cancelled=stop.is_set)
    counts = (
        ("questions", result.questions, ", ".join(f"{count:,} {name}" for name, count in result.splits)),
        ("askable", result.askable, "name a topic that is there, or none"),
        ("measurable", result.measurable, "have answers, all of which are there"),
        ("topics", result.topics_found, f"of {result.topics:,}"),
        ("answers", result.answers_found, f"of {result.answers:,}"),
        ("relations", result.relations_found, f"of {result.relations:,}"),
        ("passages", result.passages_found, f"of {result.passages:,}"),
        *([("programs", result.programs_found, f"of {result.programs:,}")] if result.programs else []),
    )
    for name, count, about in counts:
        print_result(f"{name}\t{count:,}\t{about}")
    for kind, missing in (("topic", result.topics_missing), ("answer", result.answers_missing)):
        for name_report in missing:
            near = f"near: {', '.join(name_report.nearest)}" if name_report.nearest else "nothing near"
            print_result(f"missing {kind}\t{name_report.name}\t{name_report.questions:,} questions; {near}")
    for program in result.programs_missing:
        print_result(f"missing program\t{program.question}\t{program.message} {program.hint}".rstrip())
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

    questions = sample_questions(snapshots.open(graph), count, seed)
    if not questions:
        raise TrainingDataError("No question could be made of this graph.", hint="It needs facts with names.")
    if out is not None:
        question_files.write_questions(out, questions)
        print_result(f"{out}: {len(questions):,} questions")
        return 0
    for question in questions:
        print_result(json.dumps(question_files.to_json(question), ensure_ascii=False))
    return 0


def export_dataset(questions: Path, /, *, out: Path, labels: Path | None = None, name: str | None = None) -> int:
    """Write a folder that ``datasets.load_dataset`` and readers of Croissant load.

    Args:
        questions: of any known format.
        out: the folder.
        labels: of these questions, JSONL.
        name: of the dataset (default: the folder's name).
    """
    from retrieval.questions import dataset_folder  # noqa: PLC0415
    from retrieval.supervision.labels import read_labels  # noqa: PLC0415 - imports torch

    tables = [dataset_folder.make_questions_table(map(question_files.to_json, assign_splits(read(questions))))]
    if labels is not None:
        tables.append(dataset_folder.make_labels_table(map(asdict, read_labels(labels))))
    dataset_folder.write_dataset(out, name or out.name, "Questions over a knowledge graph.", tables)
    print_result(f"{out}: load it with datasets.load_dataset({str(out)!r})")
    return 0


def label(
    *,
    graph: Path,
    question_options: QuestionOptions,
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
        raise ConfigError("--prompt and --candidates are for --strategy llm.", hint="Add it, or leave them out.")
    work = rationalizers.LLMWork(
        environment.read_llm_settings(),
        replies or get_cache_folder(graph) / "replies",
        prompt or "reg",
        candidates,
        concurrency,
    )
    rationalizer = rationalizers.get(strategy, work, max_hops=max_hops)
    if verdicts:
        rationalizer = VerdictRationalizer(read_verdicts(verdicts), rationalizer)
    snapshot = snapshots.open(graph)
    grounded, skipped = grounding.resolve_questions(
        snapshot, filter_split(read(question_options.questions), question_options.split)
    )
    grounding.require(grounded, skipped)
    with watch_interrupts() as stop, Bars() as bars:
        labelling = rationalizer.label(
            snapshot, grounded, encoder=encoding.load(), progress=bars, cancelled=stop.is_set
        )
    if skipped.total:
        print_note(f"Skipped: {skipped}.")
    for line in labelling.notes:
        print_note(line)
    if labelling.unlabelled == len(grounded):
        raise TrainingDataError(
            f"None of the {len(grounded):,} questions could be labelled; {out} is not written.",
            hint="Use another strategy, or a question set that belongs to this graph.",
        )
    count = write_labels(out, labelling.labels)
    for line in format_summary(labelling, len(grounded)):
        print_result(line)
    print_result(f"{out}: {count:,} labels")
    return 0


def combine_labels(first: Path, second: Path, *, out: Path, how: Literal["union", "intersection"] = "union") -> int:
    """Write the labels that either of two files has, or both have (ReG Table 6).

    Args:
        first: labels, JSONL.
        second: labels of the same questions.
        out: JSONL; gzipped when it ends in .gz.
        how: union keeps what either says, intersection what both say.

    Raises:
        TrainingDataError: a file cannot be read, or nothing is left.
    """
    from retrieval.supervision.labels import merge_labels, read_labels, write_labels  # noqa: PLC0415

    kept = merge_labels(read_labels(first), read_labels(second), how)
    if not kept:
        raise TrainingDataError(
            f"The two files agree on no label; {out} is not written.", hint="Take the union, or one of them."
        )
    print_result(f"{out}: {write_labels(out, kept):,} labels")
    return 0


def format_summary(labelling: Labelling, questions: int) -> list[str]:
    """Coverage, fit, compression and cost of a labelling, a line each."""
    labelled = questions - labelling.unlabelled
    lines = [
        f"coverage\t{labelled / questions:.4f}\t{labelled:,} of {questions:,} questions have a path",
        f"fit\t{labelling.fit:.4f}\tmean F1 of what the labelled questions' best paths reach",
    ]
    small = labelling.compression
    if small is not None:
        raw, merged = small.raw / max(small.pools, 1), small.merged / max(small.pools, 1)
        lines += [
            f"candidates\t{raw:.2f} -> {merged:.2f}\taverage a question, before and after merging",
            f"compression\t{small.ratio:.4f}\tof the average; of the largest pool {small.ratio_max:.4f} "
            f"({small.raw_max:,} -> {small.merged_max:,})",
        ]
    usage = labelling.usage
    if usage.llm_calls or labelling.kept_replies:
        lines.append(
            f"usage\t{usage.llm_calls:,} calls\t{usage.prompt_tokens:,} prompt and {usage.completion_tokens:,} "
            f"completion tokens; {labelling.kept_replies:,} replies were kept from before"
        )
    return lines


def read(path: Path, fmt: str = "auto", about: str | None = None) -> list[QuestionRecord]:
    """The good questions of a file; rows that cannot be used are listed on stderr."""
    problems = ProblemList()
    try:
        return question_files.read_questions(path, ReadOptions(format=fmt), problems=problems, graph=about)
    finally:
        problems.print_problems()


def filter_split(questions: list[QuestionRecord], split: str | None) -> list[QuestionRecord]:
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
