"""A little of the fuzz benchmark: every reader, its valid files and some broken at random, and nothing uncaught."""

import pytest

from tests.benchmarks import fuzz
from tests.benchmarks.fuzz_seeds import BAD, SEEDS

INPUTS = 25


@pytest.mark.slow
@pytest.mark.parametrize("reader", [reader for reader in SEEDS if reader != "parquet"])
def test_a_broken_file_ends_in_words(reader, tmp_path):
    small = set(range(len(SEEDS[reader]), len(SEEDS[reader]) + len(BAD.get(reader, []))))
    for number, name, data in fuzz.inputs(reader, 1, 0, INPUTS):
        if number in small:
            continue  # tests of their own have them
        path = tmp_path / name
        path.write_bytes(data)
        fuzz.tried(reader, path, built=True)


def test_inputs_follow_from_their_number():
    first = list(fuzz.inputs("html", 1, 0, 30))
    assert list(fuzz.inputs("html", 1, 20, 30)) == first[20:]
    assert set(SEEDS) >= set(BAD)
    assert len(SEEDS) == 22
