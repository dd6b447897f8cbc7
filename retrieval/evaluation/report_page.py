"""A report as people read it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from retrieval.evaluation.pages import Block, Entry, Heading, PageTable, Text
from retrieval.methods.retriever_loading import FOREIGN
from retrieval.metrics.names import NAMES, format_number

GROUPS = {
    "hops": "By hops",
    "topics": "By number of topic entities",
    "answers": "By size of the answer set",
    "operators": "By operator",
    "shift": "By distance from training: topic entities, relations and relation paths",
    "shift_of_relations": "By distance from training: relations and relation paths alone",
}
#: What a language model may be asked of a report, and the figures of each.
JUDGED = {
    "judge": {"llm_judge": "right, by the judge"},
    "verify": {"hit": "Hit, answers verified", "macro_f1": "Macro-F1, answers verified"},
    "faithfulness": {"hallucination_score": "rests on what was read, of right answers"},
    "sufficiency": {"sufficient": "states what is right, of what was read"},
}
#: Wrong or partly wrong answers that are shown one by one.
FAILURES = 200
_SHOWN = 20
_TIES = (
    "Predicted answers are a set; where several share the best score, Hit@1 is the share of them that are right, "
    "what a random order among them gives on average. Names are compared without case, accents and punctuation."
)


def build_blocks(report: Mapping[str, Any]) -> list[Block]:
    """The page of one report."""
    page: list[Block] = [Text(_format_summary(report))]
    if report["manifest"].get("cross_dataset"):
        page.append(Text("The checkpoint was trained on another graph: this is a cross-dataset result."))
    if report["manifest"].get("stood_in"):
        page.append(Text(FOREIGN))
    page += [
        Heading("Metrics"),
        _build_metrics_table(report),
        Text(_TIES),
        *(_build_confidence_blocks(report["risk"], report.get("guarantee")) if report.get("risk") else []),
        Heading("Cost"),
        *_build_cost_blocks(report),
    ]
    page += [Heading("How questions ended"), _build_endings_table(report)]
    if any(report.get("causes", {}).values()):
        page += [Heading("Where right answers were lost"), _build_causes_table(report["causes"])]
    for name, groups in report["breakdowns"].items():
        if groups:
            page += [Heading(GROUPS.get(name, name)), _build_groups_table(groups)]
    if report.get("judged"):
        page += [
            Heading("What a language model says of the answers"),
            *_build_judgement_blocks(report["judged"]),
        ]
    if report.get("programs", {}).get("given"):
        page += [Heading("Programs"), _build_programs_text(report["programs"])]
    page += [Heading("What the graph lacks"), *_build_coverage_blocks(report)]
    page += [Heading("How it was asked"), _build_settings_table(report["manifest"])]
    return page + _build_failure_blocks(report["per_question"])


def _build_causes_table(causes: Mapping[str, int]) -> PageTable:
    return PageTable(("stage", "questions"), [(name, f"{count:,}") for name, count in causes.items()])


def _build_guarantee_text(guarantee: Mapping[str, Any]) -> Text:
    measured, limit = guarantee["measured"], guarantee["at_most_wrong"]
    calibrated = (
        f"Limit: at most {limit} of 100 answers wrong. Calibrated on {guarantee['questions']:,} questions, "
        f"{guarantee['reviewed']:,} of them reviewed by people."
    )
    if guarantee["threshold"] is None:
        few = " These are too few to show it." if guarantee["too_few"] else ""
        return Text(f"{calibrated} No confidence is known to keep the limit, so nothing is answered.{few}")
    if not measured["answered"]:
        return Text(f"{calibrated} None of the {measured['n']:,} questions was answered so surely.")
    outcomes = {"kept": "was kept", "broken": "was broken", "unclear": "was exceeded, which may be chance"}
    return Text(
        f"{calibrated} Answers of a confidence from {guarantee['threshold']:.3f} are given: "
        f"{measured['answered']:,} of {measured['n']:,} here, {measured['wrong']:,} of them wrong "
        f"({measured['share']:.1%}, 95% interval {measured['low']:.1%} to {measured['high']:.1%}). "
        f"The limit {outcomes[measured['held']]}."
    )


def build_title(report: Mapping[str, Any]) -> str:
    """Its headline."""
    return f"Evaluation of {report['method']}"


def _format_summary(report: Mapping[str, Any]) -> str:
    config = report["manifest"]["config"]
    split = f"the {config['split']} split" if config["split"] else "the whole set"
    zero_shot = "" if report["manifest"]["checkpoint"] else " without training (zero-shot)"
    return (
        f"{report['n']:,} questions of {split}, asked of {report['method']}{zero_shot} with the {config['reasoner']} "
        f"reasoner and at most {config['budget']} triples a question."
    )


def _build_metrics_table(report: Mapping[str, Any]) -> PageTable:
    rows = []
    for name, value in report["metrics"].items():
        bounds = report["intervals"].get(name)
        between = f"{format_number(bounds[0], name)} to {format_number(bounds[1], name)}" if bounds else ""
        rows.append((NAMES.get(name, name), format_number(value, name), between))
    return PageTable(("metric", "value", "95% interval"), rows)


def _build_confidence_blocks(risk: Mapping[str, Any], guarantee: Mapping[str, Any] | None) -> list[Block]:
    """Whether a limit was kept, and as tables the risk-coverage curve, thinned, and the reliability diagram."""
    curve = risk["curve"]
    shown = curve if len(curve) <= _SHOWN else [curve[i * (len(curve) - 1) // (_SHOWN - 1)] for i in range(_SHOWN)]
    answered = f"{risk['answered']:,} of {risk['n']:,} questions were answered, {risk['wrong']:,} of them wrongly."
    return [
        Heading("How confidence and errors go together"),
        *([_build_guarantee_text(guarantee)] if guarantee else []),
        Text(f"{answered} Wrong is what is not the whole answer set and nothing else."),
        PageTable(
            ("answers of a confidence from", "share answered", "share wrong of these"),
            [tuple(format_number(point[name]) for name in ("confidence", "coverage", "error")) for point in shown],
        ),
        PageTable(
            ("confidence", "answers", "mean confidence", "share right"),
            [
                (
                    f"{row['low']:.1f} to {row['high']:.1f}",
                    f"{row['n']:,}",
                    format_number(row["confidence"]),
                    format_number(row["right"]),
                )
                for row in risk["bins"]
            ],
        ),
    ]


def _build_cost_blocks(report: Mapping[str, Any]) -> list[Block]:
    count, usage = max(report["n"], 1), report["usage"]
    rows = [
        (what, f"{times['p50']:.1f} ms", f"{times['p95']:.1f} ms")
        for what, times in (("a question", report["latency_ms"]), ("retrieval alone", report["retrieval_ms"]))
    ]
    spent = (
        f"Language-model calls: {usage['llm_calls']:,} in all, {usage['llm_calls'] / count:.2f} a question; "
        f"tokens: {usage['tokens']:,} in all, {usage['tokens'] / count:.1f} a question."
    )
    if usage.get("reasoning_tokens"):
        thought = usage["reasoning_tokens"]
        spent += f" Of these {thought:,} were reasoning, {thought / count:.1f} a question."
    if usage.get("cost") is not None:
        spent += f" Cost: {usage['cost']:.4f} in all."
    return [PageTable(("warm", "p50", "p95"), rows), Text(spent)]


def _build_endings_table(report: Mapping[str, Any]) -> PageTable:
    rows = [(name.replace("_", " "), f"{count:,}") for name, count in report["outcomes"].items()]
    reasons = report["no_answers"]
    rows += [(f"no answer: {name}", f"{count:,}") for name, count in reasons["reasons"].items()]
    rows += [(f"failed: {name}", f"{count:,}") for name, count in reasons["failed"].items()]
    return PageTable(("outcome", "questions"), rows)


def _build_programs_text(programs: Mapping[str, Any]) -> Text:
    fitting = programs["given"] - len(programs["unfit"])
    text = (
        f"{programs['given']:,} questions bring a program. Of the {fitting:,} that fit the graph, "
        f"{programs['exact']:,} were read as just that, {programs['same_answers']:,} were answered as it answers them, "
        f"and for {programs['none_run']:,} no program was run."
    )
    if programs["unfit"]:
        text += f" Programs that do not fit the graph: {_join_names(programs['unfit'])}."
    return Text(text)


def _build_judgement_blocks(judged: Mapping[str, Any]) -> list[Block]:
    rows = []
    for name, figures in JUDGED.items():
        judgement = judged.get(name)
        if judgement is None:
            continue
        if "why" in judgement:
            rows.append((name, judgement["why"], "", ""))
        for figure, says in figures.items() if "why" not in judgement else ():
            rows.append((says, format_number(judgement[figure]), f"{judgement['n']:,}", f"{judgement['unsaid']:,}"))
    usage = judged["usage"]
    usage_text = f"Asked {judged['model']}: {usage['llm_calls']:,} calls, {usage['tokens']:,} tokens."
    return [PageTable(("judgement", "value", "questions", "does not say"), rows), Text(usage_text)]


def _build_groups_table(groups: Mapping[str, Mapping[str, Any]]) -> PageTable:
    names = [name for name in NAMES if any(row.get(name) is not None for row in groups.values())]
    rows = [
        (group, f"{row['n']:,}", *(format_number(row[name], name) for name in names)) for group, row in groups.items()
    ]
    return PageTable(("group", "questions", *(NAMES[name] for name in names)), rows)


def _build_coverage_blocks(report: Mapping[str, Any]) -> list[Block]:
    coverage, subgraphs = report["coverage"], report["own_subgraphs"]
    sentences = [
        f"{coverage['topics_missing']:,} of {coverage['with_topics']:,} questions name a topic entity that the graph "
        f"lacks "
        f"({coverage['no_topic']:,} name none that it has).",
        f"{coverage['answers_missing']:,} of {coverage['with_answers']:,} have an answer that it lacks "
        f"({coverage['no_answer']:,} none that it has).",
    ]
    if subgraphs["questions"]:
        lost = ", ".join(f"{count:,} by {what}" for what, count in subgraphs["unknown_triples"].items()) or "none"
        sentences.append(
            f"{subgraphs['questions']:,} were asked on their own subgraphs of {subgraphs['mean_facts']:,} facts on "
            f"average; "
            f"triples of these that the graph lacks: {lost}."
        )
    return [Text(" ".join(sentences))]


def _build_settings_table(manifest: Mapping[str, Any]) -> PageTable:
    rows = [(name, str(value)) for name, value in manifest.items() if name != "config" and value is not None]
    rows += [(name, str(value)) for name, value in manifest["config"].items() if value is not None]
    return PageTable(("setting", "value"), rows)


def _build_failure_blocks(rows: Sequence[Mapping[str, Any]]) -> list[Block]:
    wrong = [row for row in rows if row["outcome"] != "right"]
    if not wrong:
        return [Heading("Questions not answered right"), Text("None.")]
    shown = f"{len(wrong):,} of {len(rows):,}"
    if len(wrong) > FAILURES:
        shown += f"; the first {FAILURES} are listed"
    return [
        Heading("Questions not answered right"),
        Text(f"{shown}."),
        *(
            Entry(f"{row['outcome'].replace('_', ' ')}: {row['question']}", _list_details(row))
            for row in wrong[:FAILURES]
        ),
    ]


def _list_details(row: Mapping[str, Any]) -> list[tuple[str, str]]:
    linked = " (found by the linker)" if row["linked"] else ""
    lines = [
        ("topic", (", ".join(row["topics"]) or "none") + linked),
        ("predicted", _join_names(row["predicted"]) or row["no_answer"] or row["error"] or "nothing"),
        ("right", _join_names(row["answers"]) or "there is no answer"),
        *(("or", _join_names(labels)) for labels in row.get("also", ())),
        *([("operators", ", ".join(row["operators"]))] if row.get("operators") else []),
        ("F1", format_number(row["f1"])),
    ]
    if row["paths"]:
        lines.append(("paths", "\n".join(f"{p['score']:.2f}  {p['path']}" for p in row["paths"])))
    for name, what in (("passages", "passages"), ("gold_passages", "supporting passages")):
        if row.get(name):
            lines.append((what, _join_names(row[name])))
    if row["gold_paths"]:
        facts = ["; ".join(" – ".join(fact) for fact in path) for path in row["gold_paths"]]
        lines.append(("gold paths", "\n".join(facts)))
    return lines


def _join_names(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
