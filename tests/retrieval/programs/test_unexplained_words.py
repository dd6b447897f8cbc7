"""Words that no part of a graph explains are not taken for something else, and values are read by short forms."""

from pathlib import Path

from retrieval.answering.loading import load_encoder
from retrieval.kg import snapshot as snapshots
from retrieval.kg.build.from_files import build_from_files
from retrieval.language.question import Question
from retrieval.pretrained import PROGRAMS
from retrieval.programs.calibration import list_unread_words
from retrieval.programs.parser import Parser
from retrieval.programs.reader import ProgramReader
from retrieval.programs.weights import Weights
from tests.retrieval.programs.asking import answers

_REIGNS = """name,start,end,house
Anselm,1301-03-01,1320-05-02,Ardent
Bertha,1320-05-02,1355-01-20,Ardent
Conrad,1355-01-20,1371-11-11,Vale
Dagmar,1371-11-11,1390-07-30,Vale
"""
_BIRDS = """name,diet,state,weight in g
Kestrel,carni,gas,200
Goshawk,carni,solid,1100
Linnet,grani,gas,20
Siskin,grani,solid,14
Magpie,omni,gas,220
"""


def _build(folder: Path, name: str, text: str) -> Path:
    (folder / f"{name}.csv").write_text(text, encoding="utf-8")
    build_from_files([folder / f"{name}.csv"], folder / "graph", problems=lambda _: None)
    return folder / "graph"


def test_a_time_is_within_what_has_a_beginning_and_an_end(tmp_path: Path) -> None:
    reader = ProgramReader(snapshots.open(_build(tmp_path, "rulers", _REIGNS)), None, PROGRAMS)
    assert answers(reader, "Who was ruler in 1340?") == ["Bertha"]
    assert answers(reader, "Which ruler reigned in June 1360?") == ["Conrad"]
    assert answers(reader, "Which rulers of Ardent were there in 1310?") == ["Anselm"]
    assert answers(reader, "Who was ruler during the 1340s?") == ["Bertha"]


def test_plurals_stand_for_the_short_values_that_begin_them(tmp_path: Path) -> None:
    reader = ProgramReader(snapshots.open(_build(tmp_path, "birds", _BIRDS)), None, PROGRAMS)
    assert answers(reader, "How many carnivores are there?") == ["2"]
    assert answers(reader, "Which granivores are there?") == ["Linnet", "Siskin"]
    assert answers(reader, "Which birds are gases?") == ["Kestrel", "Linnet", "Magpie"]


def test_a_word_beside_the_name_of_a_relation_is_unread(tmp_path: Path) -> None:
    parser = Parser(snapshots.open(_build(tmp_path, "birds", _BIRDS)), load_encoder().encode, Weights.load(PROGRAMS))
    reading = parser.read(Question("What is the average weight of purple birds?"))
    assert [word.text for word in list_unread_words(reading, reading.candidates[0])] == ["purple"]
    reading = parser.read(Question("Which birds are marsupials?"))
    assert [word.text for word in list_unread_words(reading, reading.candidates[0])] == ["marsupials"]
