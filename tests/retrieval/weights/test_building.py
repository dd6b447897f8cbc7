"""Building a file of weights: its record, its model card, and the data that it needs."""

import json

import pytest

from retrieval import pretrained
from retrieval.__main__ import main
from retrieval.answering.loading import load_encoder
from retrieval.errors import SourceError
from retrieval.weights.builder import FigureRow, HeldOutFigures, WeightBuilder
from retrieval.weights.building import build_weights
from retrieval.weights.data import DataSource, TrainingData
from retrieval.weights.model_card import DATA, extract_section, render_card, render_sources
from retrieval.weights.record import BuildRecord
from retrieval.weights.registry import BUILDERS

LETTERS = DataSource("letters", ("letters/a.txt",), "an alphabet (example.org, CC0 1.0)")
OPTIONAL = DataSource("more letters", ("letters/b.txt",), "another alphabet", required=False)
CARD = pretrained.PROGRAMS.with_name("README.md")


class LetterBuilder(WeightBuilder[str, str]):
    """Repeats the text of a file."""

    name = "letters"
    file = pretrained.PROGRAMS.with_name("letters.txt")
    about = "repeats letters"
    sources = (LETTERS, OPTIONAL)

    def prepare(self, data, encoder, seed):
        return data.find(*LETTERS.paths).read_text()

    def build(self, examples, seed):
        return examples * (seed + 1)

    def evaluate(self, examples, seed):
        rows = (FigureRow("vowels", {"questions": 1200, "right": 0.75}), FigureRow("all", {"questions": 2600}))
        return HeldOutFigures("Held out by lot.", rows)

    def write(self, built, out):
        out.write_text(built)


@pytest.fixture
def data(tmp_path):
    (tmp_path / "public" / "letters").mkdir(parents=True)
    (tmp_path / "public" / "letters" / "a.txt").write_text("ab")
    return TrainingData(tmp_path / "public", tmp_path / "cache")


def test_the_file_its_record_and_its_card_are_written(data, tmp_path):
    out = tmp_path / "out"
    record = build_weights(LetterBuilder(), data, load_encoder(), seed=1, out=out)
    assert (out / "letters.txt").read_text() == "abab"
    assert BuildRecord.load(out / "records" / "letters.json") == record
    assert record.data == {"letters": "an alphabet (example.org, CC0 1.0)"}, (
        "optional data that is missing is not named"
    )
    assert record.command == "python -m retrieval build-weights letters --seed 1"
    assert sorted(path.name for path in out.iterdir()) == ["README.md", "letters.txt", "records"]
    assert extract_section(out / "README.md", "letters") == render_card(record)


def test_a_card_is_replaced_where_it_stands(data, tmp_path):
    page = tmp_path / "README.md"
    page.write_text("# Mine\n\n<!-- build-weights letters -->\nold\n<!-- end of build-weights letters -->\n\nmore\n")
    record = build_weights(LetterBuilder(), data, load_encoder(), out=tmp_path)
    assert page.read_text() == f"# Mine\n\n{render_card(record)}\n\nmore\n"
    assert "| vowels | 1,200 | 0.750 |\n| all | 2,600 |  |" in page.read_text()


def test_missing_data_is_named_before_anything_is_built(tmp_path):
    with pytest.raises(SourceError) as refused:
        build_weights(LetterBuilder(), TrainingData(tmp_path, tmp_path), load_encoder(), out=tmp_path / "out")
    assert "letters" in refused.value.message
    assert "letters/a.txt (letters: an alphabet (example.org, CC0 1.0))" in refused.value.hint
    assert not (tmp_path / "out").exists()


def test_the_command_names_missing_data_and_unknown_weights(tmp_path, capsys):
    assert main(["build-weights", "reader", "--data", str(tmp_path)]) == 2
    assert "reading/xquad.en.json" in capsys.readouterr().err
    assert main(["build-weights", "letters", "--data", str(tmp_path)]) == 2
    assert f"There are: {', '.join(BUILDERS)}." in capsys.readouterr().err


def test_the_model_card_of_the_shipped_weights_says_which_data_is_needed_and_how_they_were_built():
    sources = [source for builder in BUILDERS.values() for source in builder.sources]
    assert extract_section(CARD, DATA) == render_sources(sources)
    for builder in BUILDERS.values():
        record = builder.file.parent / "records" / f"{builder.name}.json"
        section = extract_section(builder.file.parent / builder.page, builder.name)
        assert section == (render_card(BuildRecord.load(record)) if record.is_file() else "")


def test_records_are_plain_json(data, tmp_path):
    build_weights(LetterBuilder(), data, load_encoder(), out=tmp_path / "out")
    content = json.loads((tmp_path / "out" / "records" / "letters.json").read_text())
    assert content["figures"]["rows"][0] == {"group": "vowels", "values": {"questions": 1200, "right": 0.75}}
