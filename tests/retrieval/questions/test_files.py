"""Question sets of every format become the same questions, and bad rows are named."""

import gzip
import json
from collections import Counter

import pytest

from retrieval.errors import ConfigError, EmptySourceError, SourceError
from retrieval.kg.readers.options import ReadOptions
from retrieval.questions.files import read_questions, to_json, write_questions
from retrieval.questions.format_detection import detect_format
from retrieval.questions.splits import assign_splits, sample_training, split_of
from retrieval.types import Problem, QuestionRecord
from tests.benchmarks.data import DATA

PATHQUESTION = DATA / "pathquestion"


@pytest.fixture
def read(tmp_path):
    def reader(name, content, hops=None, **options):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        problems: list[Problem] = []
        return read_questions(path, ReadOptions(**options), problems=problems.append, hops=hops), problems

    return reader


FULL = QuestionRecord(
    id="q1",
    question="who directed Jaws?",
    topic_entities=("Jaws",),
    answers=("Steven Spielberg",),
    paths=((("Jaws", "directed_by", "Steven Spielberg"),),),
    triples=(("Jaws", "release_year", "1975"),),
    hops=1,
    split="dev",
    program={
        "op": "Walk",
        "source": {"op": "Entities", "ids": ["Jaws"]},
        "relation": {"name": "directed_by"},
    },
    operators=("look-up",),
    also=(("Spielberg",), ("Steven Spielberg", "S. Spielberg")),
)
BARE = QuestionRecord(id="q2", question="who knows?")


@pytest.mark.parametrize("name", ["q.jsonl", "q.jsonl.gz"])
def test_what_is_written_is_read(tmp_path, name):
    path = tmp_path / name
    write_questions(path, [FULL, BARE])
    first = path.read_bytes()
    assert read_questions(path, problems=pytest.fail) == [FULL, BARE]
    write_questions(path, [FULL, BARE])
    assert path.read_bytes() == first
    assert [p.name for p in tmp_path.iterdir()] == [name]
    assert set(to_json(BARE)) == {"id", "question", "topic_entities", "answers"}


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ('{"question": "q?", "answers": ["a"]}\n', "jsonl"),
        ('[{"question": "q?", "q_entity": ["a"], "a_entity": ["b"]}]', "rog"),
        ("who directed [Jaws]\tSpielberg\n", "metaqa"),
        ("where was she born ?\tulm(ulm/)\n", "pathquestion"),
    ],
)
def test_the_format_is_detected_gzipped_or_not(tmp_path, content, expected):
    plain, packed = tmp_path / "questions", tmp_path / "questions.gz"
    plain.write_text(content)
    packed.write_bytes(gzip.compress(content.encode()))
    assert (detect_format(plain), detect_format(str(packed))) == (expected, expected)


def test_metaqa(read):
    text = "what films did [Tom Hanks] act in\tBig|Cast Away|Big\nis [[REC]] scary\tyes\r\n\n[A] or [B]?\tA\n"
    questions, problems = read("2-hop/qa_dev.txt.gz", gzip.compress(text.encode()))
    assert problems == []
    assert questions == [
        QuestionRecord(
            "2-hop-qa_dev-1", "what films did Tom Hanks act in", ("Tom Hanks",), ("Big", "Cast Away"), hops=2
        ),
        QuestionRecord("2-hop-qa_dev-2", "is [REC] scary", ("[REC]",), ("yes",), hops=2),
        QuestionRecord("2-hop-qa_dev-4", "A or B?", ("A", "B"), ("A",), hops=2),
    ]
    assert read("qa.txt", text)[0][0].hops is None
    assert read("qa.txt", text, hops=3)[0][0].hops == 3


def test_pathquestion_and_its_large_variant(read):
    text = (
        "the parent of anna 's son ?\tenno(enno/rolf/)\tanna#children#rudolf#parents#enno#<end>#enno\n"
        " what is the genre of Let_(Me) 's artist ?\tPop_(x)(Pop_(x)/)\tLet_(Me)#a#B#b#Pop_(x)\n"
        "where was she born ?\tulm(ulm/)\n"
        "broken ?\tulm(ulm/)\tanna#children\n"
    )
    questions, problems = read("PQ-2H.txt", text)
    assert questions[0] == QuestionRecord(
        "PQ-2H-1",
        "the parent of anna 's son ?",
        ("anna",),
        ("enno", "rolf"),
        ((("anna", "children", "rudolf"), ("rudolf", "parents", "enno")),),
        hops=2,
    )
    assert questions[1].answers == ("Pop_(x)",)
    assert questions[1].paths == ((("Let_(Me)", "a", "B"), ("B", "b", "Pop_(x)")),)
    assert (questions[2].topic_entities, questions[2].paths, questions[2].hops) == ((), (), 2)
    assert [(p.file, p.line) for p in problems] == [("PQ-2H.txt", 4)]


def test_rog_as_lines_and_as_parquet(read, tmp_path):
    rows = [
        {
            "id": "WebQTest-0",
            "question": "what does jamaican people speak",
            "answer": ["Jamaican English"],
            "q_entity": ["Jamaica"],
            "a_entity": ["Jamaican English"],
            "graph": [["Jamaica", "location.country.languages_spoken", "Jamaican English"]],
        }
    ]
    expected = QuestionRecord(
        "WebQTest-0",
        "what does jamaican people speak",
        ("Jamaica",),
        ("Jamaican English",),
        triples=(("Jamaica", "location.country.languages_spoken", "Jamaican English"),),
    )
    assert read("webqsp.jsonl", json.dumps(rows[0])) == ([expected], [])
    assert read("webqsp.json", json.dumps(rows)) == ([expected], [])
    import polars as pl

    pl.DataFrame(rows).write_parquet(tmp_path / "webqsp.parquet")
    assert read_questions(tmp_path / "webqsp.parquet", problems=pytest.fail) == [expected]


def test_suites_of_questions_with_operators(read):
    program = {"op": "Count", "source": {"op": "Entities", "ids": ["Chad", "Togo"]}}
    rows = [
        {
            "id": 7,
            "question": "How many?",
            "answers": [2],
            "operators": ["count"],
            "graph": "land",
            "sql": "SELECT 2",
        },
        {
            "id": "b",
            "question": "Is it?",
            "answers": [True],
            "operators": "truth",
            "program": "(exists land)",
        },
        {
            "id": "c",
            "question": "Which?",
            "answers": ["Chad"],
            "also": [["Togo", "Chad"], "Mali"],
            "split": "test",
        },
        {"id": "d", "question": "How many?", "answers": ["2"], "program": program, "program_version": 3},
        {"id": "e", "question": "How?", "program": [{"function": "Find"}], "also": None},
    ]
    questions, problems = read("suite.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    assert [one.message for one in problems] == [
        "The program of 2 questions is in another language and was left out; answers and operators are used.",
        "Not read: sql (1), program_version (1).",
    ]
    assert questions == [
        QuestionRecord("7", "How many?", answers=("2",), operators=("count",)),
        QuestionRecord("b", "Is it?", answers=("True",), operators=("truth",)),
        QuestionRecord("c", "Which?", answers=("Chad",), also=(("Togo", "Chad"), ("Mali",)), split="test"),
        QuestionRecord("d", "How many?", answers=("2",), program=program),
        QuestionRecord("e", "How?"),
    ]


def test_labels_that_cannot_be_used(read):
    large = {"op": "Entities", "ids": ["x" * 65_536]}
    rows = [
        {"question": "good?"},
        {"question": "q", "also": "Chad"},
        {"question": "q", "also": [[["nested"]]]},
        {"question": "q", "operators": [["count"]]},
        {"question": "q", "program": large},
        {"question": "q", "program": {"op": "Entities", "ids": ["a\0"]}},
    ]
    _, problems = read("suite.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    assert [(p.line, p.message) for p in problems] == [
        (2, "also must be a list of answer sets"),
        (3, "also must be a list of strings"),
        (4, "operators must be a list of strings"),
        (5, "the program is larger than 65,536 bytes"),
        (6, "the program holds a NUL character"),
    ]


def test_bad_rows_are_named_and_good_ones_go_in(read):
    lines = [
        '{"question": "gööd?", "answers": "one"}'.encode(),
        b"{not json",
        b'{"id": "x"}',
        b'"text"',
        b'{"question": "  "}',
        b'{"question": "q", "answers": [["nested"]]}',
        b'{"question": "q", "paths": [[["a", "b"]]]}',
        b'{"question": "q", "split": "validation"}',
        b'{"question": "caf\xe9?"}',
        '{"id": "twice", "question": "fïrst?"}'.encode(),
        b'{"id": "twice", "question": "second?"}',
        json.dumps({"question": "long" * 600}).encode(),
    ]
    questions, problems = read("set.jsonl", b"\n".join(lines))
    assert [(q.id, q.answers) for q in questions] == [("set-1", ("one",)), ("twice", ())]
    assert [p.line for p in problems] == [2, 3, 4, 5, 6, 7, 8, 9, 11, 12]
    messages = " / ".join(p.message for p in problems)
    for part in (
        "not JSON",
        "no question",
        "not a JSON object",
        "question is empty",
        "answers must be a list",
    ):
        assert part in messages
    for part in ("[head, relation, tail]", "'validation'", "not UTF-8", "on line 10", "longer than 2000"):
        assert part in messages


def test_files_that_cannot_be_used_are_refused(read, tmp_path):
    with pytest.raises(EmptySourceError, match="line 1: not JSON"):
        read("a.jsonl", "{oops\n")
    for text, fmt in (("", None), ("\n \n", None), ("", "metaqa"), ("[]", "jsonl")):
        with pytest.raises(EmptySourceError, match=r"no question in b\.jsonl: the file is empty") as error:
            read("b.jsonl", text, format=fmt)
        assert "holds questions" in error.value.hint
    with pytest.raises(SourceError, match="could not be recognised"):
        read("c.txt", "just\nprose\n")
    with pytest.raises(SourceError, match="broken gzip"):
        read("d.jsonl.gz", gzip.compress(b'{"question": "who?"}\n' * 9999)[:-20])
    with pytest.raises(SourceError, match="broken JSON"):
        read("e.json", '[{"question": "who?"},')
    with pytest.raises(SourceError, match="broken Parquet"):
        read("f.parquet", b"PAR1 and nothing else")
    with pytest.raises(SourceError, match="cannot be opened"):
        read_questions(tmp_path / "missing", problems=pytest.fail)
    with pytest.raises(ConfigError, match="'csv'"):
        read("g.jsonl", "{}", format="csv")


def test_splits_are_fixed_by_id_and_seed():
    ids = [f"q{i}" for i in range(5000)]
    splits = [split_of(i) for i in ids]
    assert splits == [split_of(i) for i in ids]
    assert splits != [split_of(i, seed=1) for i in ids]
    assert 3900 < splits.count("train") < 4100
    assert 430 < splits.count("dev") < 570
    assert [q.split for q in assign_splits([FULL, BARE])] == ["dev", split_of("q2")]


@pytest.mark.skipif(not PATHQUESTION.is_dir(), reason="set CLEW_BENCH_DATA to where PathQuestion is")
@pytest.mark.parametrize(("name", "count"), [("PQ-2H", 1541), ("PQ-3H", 4198), ("PQL-2H", 1245), ("PQL-3H", 832)])
def test_every_row_of_pathquestion_is_understood(name, count):
    questions = read_questions(PATHQUESTION / f"{name}.txt.gz", problems=pytest.fail)
    assert len(questions) == count
    assert all(q.paths[0][-1][2] in q.answers and q.hops == int(name[-2]) for q in questions)


def test_a_smaller_training_sample_lies_within_a_larger_one():
    everything = [QuestionRecord(str(i), "?", split=("train", "dev", "test")[i % 3]) for i in range(300)]
    small, large = (sample_training(everything, share, seed=3) for share in (0.05, 0.4))
    counts = [Counter(q.split for q in part) for part in (small, large)]
    assert counts == [{"train": 5, "dev": 5, "test": 100}, {"train": 40, "dev": 40, "test": 100}]
    assert {q.id for q in small} < {q.id for q in large}
    assert [q.id for q in large] == [q.id for q in everything if q in large]
    assert sample_training(everything, 1.0) == everything
    assert {q.id for q in sample_training(everything, 0.05, seed=4)} != {q.id for q in small}
    for wrong in (0, 1.5, -1):
        with pytest.raises(ConfigError, match="fraction"):
            sample_training(everything, wrong)


def test_a_set_without_splits_is_divided_before_it_is_sampled():
    plain = [QuestionRecord(str(i), "?") for i in range(200)]
    divided = {q.id: q.split for q in assign_splits(plain)}
    found = sample_training(plain, 0.1)
    assert all(divided[q.id] == q.split for q in found)
    assert sum(q.split == "test" for q in found) == sum(split == "test" for split in divided.values())
