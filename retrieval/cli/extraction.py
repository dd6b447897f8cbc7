"""``extract``: a graph from the passages of a corpus, read by the configured language model."""

from __future__ import annotations

import argparse
import json
import os

from retrieval.cli.console import Bars, note, say, stoppable
from retrieval.errors import ConfigError, EmptySourceError
from retrieval.kg.snapshot.cache import cache_of
from retrieval.llm.settings import LLMSettings
from retrieval.loading import load_encoder


def extract(args: argparse.Namespace) -> int:
    """Read the facts of every passage, merge names, build the graph, and say what was done and spent.

    Stopped or failed work is gone on with by running the same command again: replies are kept.
    """
    from retrieval.extraction import extract as extraction  # noqa: PLC0415
    from retrieval.kg import snapshot  # noqa: PLC0415
    from retrieval.kg.build import build_snapshot  # noqa: PLC0415 - loads polars
    from retrieval.llm.metering import Limit, Meter, metered  # noqa: PLC0415
    from retrieval.llm.replies import Asker, ReplyStore  # noqa: PLC0415

    settings = LLMSettings.from_mapping(os.environ)
    if settings is None:
        raise ConfigError(
            "Facts are read by a language model, and none is configured.",
            hint="Set LLM_BASE_URL and LLM_MODEL. Without one, the passages can be asked with --method text-rag.",
        )
    corpus = snapshot.open(args.corpus)
    if corpus.passages is None:
        raise EmptySourceError(
            f"{args.corpus} holds no passages.", hint="Give a corpus that build-corpus has made."
        )
    passages = [corpus.passages.passage(i) for i in range(len(corpus.passages))]
    encode = load_encoder(args.encoder, args.device).encode if args.merge < 1 else None
    store = ReplyStore(args.replies or cache_of(args.corpus) / "replies")
    asker = Asker(extraction.patient(settings), store, concurrency=args.concurrency)
    meter = Meter(Limit(args.max_tokens, args.max_cost), whose="this extraction")
    with stoppable() as stop, Bars() as bars, metered(meter):
        made = extraction.extract(
            passages, asker, encode, threshold=args.merge, progress=bars, cancelled=stop.is_set
        )
        graph = build_snapshot(made.table, args.out, progress=bars)
    report = args.out.with_name(f"{args.out.name}.extraction.json")
    report.write_text(json.dumps(made.report, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    spent = made.report["usage"]
    cost = "" if spent["cost"] is None else f", cost {spent['cost']:.4f}"
    say(
        f"{args.out}: {graph.num_triples:,} triples, {graph.num_entities:,} entities from "
        f"{len(passages):,} passages; snapshot {graph.hash[:12]}"
    )
    say(
        f"usage\t{spent['llm_calls']:,} calls\t{spent['prompt_tokens']:,} prompt and "
        f"{spent['completion_tokens']:,} completion tokens{cost}; {asker.kept:,} replies were kept from before"
    )
    say(
        f"merged\t{made.report['names']:,} names to {made.report['entities']:,} entities\t"
        f"{made.report['merged_by_spelling']:,} by spelling, {made.report['merged_by_meaning']:,} by meaning"
    )
    if made.unread or made.failed:
        note(
            f"{len(made.unread):,} replies could not be read; {len(made.failed):,} passages got none, "
            "run again to ask for them"
        )
    note(f"wrote {report}")
    return 0
