"""Questions about routes between two named places: edges with measures, and rows of tables."""

import pytest

from retrieval.kg.build.from_files import build_from_files
from retrieval.pretrained import PROGRAMS
from retrieval.programs.reader import ProgramReader
from tests.retrieval.programs.asking import answers

PIERS = {
    "p1": ("North Pier", "Oster"),
    "p2": ("Old Quay", "Oster"),
    "p3": ("Long Jetty", "Wick"),
    "p4": ("Mill Dock", "Tarn"),
}
LINKS = [("p1", "p3", 41, 90), ("p3", "p1", 41, 95), ("p2", "p4", 12, 30), ("p3", "p4", 77, 140)]


@pytest.fixture(scope="module")
def ferries(tmp_path_factory):
    """Piers as nodes with the town of each, ferries as edges with two measures."""
    folder = tmp_path_factory.mktemp("ferries")
    keys = "".join(
        f'<key id="{name}" for="{of}" attr.name="{name}" attr.type="string"/>'
        for name, of in (("labelV", "node"), ("title", "node"), ("town", "node"), ("labelE", "edge"), ("dist", "edge"),
                         ("time (min)", "edge"))
    )  # fmt: skip
    nodes = "".join(
        f'<node id="{key}"><data key="labelV">pier</data><data key="title">{title}</data>'
        f'<data key="town">{town}</data></node>'
        for key, (title, town) in PIERS.items()
    )
    edges = "".join(
        f'<edge source="{start}" target="{end}"><data key="labelE">ferry</data><data key="dist">{far}</data>'
        f'<data key="time (min)">{long}</data></edge>'
        for start, end, far, long in LINKS
    )
    path = folder / "ferries.graphml"
    path.write_text(f'<graphml xmlns="http://graphml.graphdrawing.org/xmlns">{keys}<graph edgedefault="directed">'
                    f"{nodes}{edges}</graph></graphml>")  # fmt: skip
    snapshot, _ = build_from_files([path], folder / "graph", problems=print)
    return ProgramReader(snapshot, None, PROGRAMS)


@pytest.fixture(scope="module")
def trains(tmp_path_factory):
    """A table of trains."""
    folder = tmp_path_factory.mktemp("trains")
    path = folder / "trains.csv"
    path.write_text(
        "train,origin,destination,km,fare\nT1,Alba,Brack,120,14\nT2,Brack,Corve,60,9\nT3,Alba,Corve,180,21\nT4,Corve,Alba,180,22\n"
    )
    snapshot, _ = build_from_files([path], folder / "graph", problems=print)
    return ProgramReader(snapshot, None, PROGRAMS)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How far is it from Oster to Wick?", ["41"]),
        ("How far is Tarn from Wick?", ["77"]),
        ("What is the distance between North Pier and Long Jetty?", ["41"]),
        ("How long does it take from Wick to Oster?", ["95"]),
        ("How long is the crossing from Old Quay to Mill Dock?", ["30"]),
        ("Is there a ferry from Oster to Tarn?", ["yes"]),
        ("Is there a ferry from North Pier to Mill Dock?", ["no"]),
        ("Is there a ferry from Tarn to Oster?", ["no"]),
    ],
)
def test_measures_of_edges_between_two_places(ferries, question, expected):
    assert answers(ferries, question) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How far is it from Alba to Corve?", ["180"]),
        ("How many km is it from Brack to Corve?", ["60"]),
        ("What is the fare from Corve to Alba?", ["22"]),
        ("Is there a train from Corve to Brack?", ["no"]),
        ("Is there a train from Alba to Brack?", ["yes"]),
    ],
)
def test_measures_of_rows_between_two_places(trains, question, expected):
    assert answers(trains, question) == expected
