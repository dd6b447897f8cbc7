"""``extract``: a graph from the passages of a corpus, read by the configured language model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

from retrieval import environment
from retrieval.cli.console import Bars, print_note, print_result, watch_interrupts
from retrieval.cli.options import Encoding
from retrieval.errors import ConfigError, EmptySourceError
from retrieval.kg.snapshot.cache import get_cache_folder


def extract(
    *,
    corpus: Path,
    out: Path,
    replies: Path | None = None,
    max_tokens: int | None = None,
    max_cost: float | None = None,
    merge: float = 0.93,
    form: Literal["own", "graphrag", "kggen"] = "own",
    concurrency: int = 4,
    encoding: Encoding = Encoding(),
) -> int:
    """Read the facts of every passage, merge names, build the graph, and say what was done and spent.

    Stopped or failed work is gone on with by running the same command again: replies are kept.

    Args:
        corpus: made by build-corpus.
        out: the graph's directory.
        replies: where replies are kept (default: in the corpus's cache).
        max_tokens: stop when so many tokens are used.
        max_cost: stop when it has cost so much.
        merge: names with at least this cosine are one entity; 1 merges equal names only.
        form: whose questions are asked: Clew's own, or in GraphRAG's or KGGen's form (the latter asks twice).
        concurrency: requests at a time.
    """
    from retrieval.extraction import extract as extraction  # noqa: PLC0415
    from retrieval.kg import snapshot  # noqa: PLC0415
    from retrieval.kg.build import build_snapshot  # noqa: PLC0415 - loads polars
    from retrieval.llm.metering import Limit, Meter, use_meter  # noqa: PLC0415
    from retrieval.llm.replies import Asker, ReplyStore  # noqa: PLC0415

    settings = environment.read_llm_settings()
    if settings is None:
        raise ConfigError(
            "Facts are read by a language model, and none is configured.",
            hint="Set LLM_BASE_URL and LLM_MODEL. Without one, the passages can be asked with --method text-rag.",
        )
    read = snapshot.open(corpus)
    if read.passages is None:
        raise EmptySourceError(f"{corpus} holds no passages.", hint="Give a corpus that build-corpus has made.")
    passages = [read.passages.get_passage(i) for i in range(len(read.passages))]
    encode = encoding.load().encode if merge < 1 else None
    store = ReplyStore(replies or get_cache_folder(corpus) / "replies")
    asker = Asker(extraction.allow_long_replies(settings), store, concurrency=concurrency)
    meter = Meter(Limit(max_tokens, max_cost), whose="this extraction")
    with watch_interrupts() as stop, Bars() as bars, use_meter(meter):
        made = extraction.extract(
            passages, asker, encode, form=form, threshold=merge, progress=bars, cancelled=stop.is_set
        )
        graph = build_snapshot(made.table, out, progress=bars)
    report = out.with_name(f"{out.name}.extraction.json")
    report.write_text(json.dumps(made.report, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    spent = made.report["usage"]
    cost = "" if spent["cost"] is None else f", cost {spent['cost']:.4f}"
    print_result(
        f"{out}: {graph.num_triples:,} triples, {graph.num_entities:,} entities from "
        f"{len(passages):,} passages; snapshot {graph.hash[:12]}"
    )
    print_result(
        f"usage\t{spent['llm_calls']:,} calls\t{spent['prompt_tokens']:,} prompt and "
        f"{spent['completion_tokens']:,} completion tokens{cost}; {asker.kept:,} replies were kept from before"
    )
    print_result(
        f"merged\t{made.report['names']:,} names to {made.report['entities']:,} entities\t"
        f"{made.report['merged_by_spelling']:,} by spelling, {made.report['merged_by_meaning']:,} by meaning"
    )
    if made.unread or made.failed:
        print_note(
            f"{len(made.unread):,} replies could not be read; {len(made.failed):,} passages got none, "
            "run again to ask for them"
        )
    print_note(f"wrote {report}")
    return 0
