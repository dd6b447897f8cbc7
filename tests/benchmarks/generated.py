"""A made-up graph of any size with names of words and Zipf-distributed degrees; the same facts every time."""

from __future__ import annotations

import os
import random
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import polars as pl

#: Entities for so many triples.
TRIPLES_PER_ENTITY = 10
RELATIONS = 200
CHUNK = 1_000_000
_SYLLABLES = ("ka", "lo", "mi", "ren", "tas", "vor", "shi", "du", "pel", "ona", "bri", "zu")


@contextmanager
def tsv(triples: int) -> Iterator[Path]:
    """A file of :func:`write_tsv`: removed in the end, unless ``CLEW_BENCH_CACHE`` says where to keep it."""
    cache = os.environ.get("CLEW_BENCH_CACHE")
    with tempfile.TemporaryDirectory() as name:
        path = Path(cache or name) / f"zipf-{triples}.tsv"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            write_tsv(path.with_suffix(".part"), triples)
            path.with_suffix(".part").rename(path)
        yield path


def write_tsv(out: Path, triples: int) -> None:
    """Write ``triples`` rows of head, relation, tail.

    The n-th most frequent tail is drawn with a probability in proportion to 1/n (Zipf), heads by 1/sqrt(n): with ten
    million rows the biggest hub has some hundred thousand facts.
    """
    entities = max(triples // TRIPLES_PER_ENTITY, 100)
    names, relations = _names(entities), pl.Series([f"relation_{i:03}" for i in range(RELATIONS)])
    drawn = np.random.default_rng(0)
    # A step that shares no factor with the number of entities puts frequent ones all over the alphabet.
    step = next(s for s in range(int(entities * 0.618), 2 * entities) if np.gcd(s, entities) == 1)
    with out.open("wb") as file:
        for start in range(0, triples, CHUNK):
            size = min(CHUNK, triples - start)
            heads = (entities * drawn.random(size) ** 2).astype(np.int64)
            tails = (entities ** drawn.random(size)).astype(np.int64) - 1
            kinds = (RELATIONS ** drawn.random(size)).astype(np.int64) - 1
            rows = pl.DataFrame(
                {
                    "head": names.gather((heads * step + 7) % entities),
                    "relation": relations.gather(kinds),
                    "tail": names.gather((tails * step) % entities),
                }
            )
            rows.write_csv(file, include_header=False, separator="\t", quote_style="never")


def _names(count: int) -> pl.Series:
    """Distinct names of two or three words, such as people, films and places have."""
    drawn = random.Random(0)
    words: dict[str, None] = {}
    while len(words) < 4096:
        words["".join(drawn.choices(_SYLLABLES, k=drawn.randint(2, 4))).capitalize()] = None
    vocabulary = pl.Series(list(words))
    place = np.arange(count)
    first, second, third = (vocabulary.gather((place // 4096**i * 97 + place * i) % 4096) for i in range(3))
    frame = pl.DataFrame({"a": first, "b": second, "c": third, "n": place})
    third_word = pl.when(pl.col("n") % 3 == 0).then(pl.lit(" ") + pl.col("c")).otherwise(pl.lit(""))
    named = frame.select(pl.col("a") + " " + pl.col("b") + third_word)["a"]
    assert named.n_unique() == count, "names are distinct"
    return named
