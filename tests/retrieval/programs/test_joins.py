"""Tables that only join two others, and things that are called as numbers are written."""

from pathlib import Path

import pytest

from retrieval.kg import snapshot as snapshots
from retrieval.kg.build.from_files import build_from_files
from retrieval.pretrained import PROGRAMS
from retrieval.programs.reader import ProgramReader
from tests.retrieval.programs.asking import answers

_FILES = {
    "clubs.csv": "club id,name,town\n1,Rowers,Oslo\n2,Climbers,Bern\n3,Divers,Rome\n",
    "members.csv": "member id,name,age\n1,Ann,30\n2,1984,40\n3,Cy,50\n4,Dee,60\n",
    "memberships.csv": "id,club id,member id\n1,1,1\n2,1,2\n3,2,1\n4,2,3\n5,2,4\n6,3,4\n",
}


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> ProgramReader:
    folder = tmp_path_factory.mktemp("clubs")
    for name, text in _FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    files: list[Path] = [folder / name for name in _FILES]
    build_from_files(files, folder / "graph", problems=lambda _: None)
    return ProgramReader(snapshots.open(folder / "graph"), None, PROGRAMS)


def test_a_table_that_joins_two_others_is_a_relation_between_their_things(reader: ProgramReader) -> None:
    graph = reader.snapshot
    assert {graph.get_entity_label(node) for node in range(graph.num_entities)}.isdisjoint(
        {"membership 1", "membership"}
    )
    assert answers(reader, "Who are the members of Climbers?") == ["Ann", "Cy", "Dee"]
    assert answers(reader, "Which clubs is Ann a member of?") == ["Climbers", "Rowers"]


def test_what_is_called_as_a_number_is_counted_with_the_others(reader: ProgramReader) -> None:
    assert answers(reader, "Which club has the most members?") == ["Climbers"]
    assert answers(reader, "How many members does Rowers have?") == ["2"]
