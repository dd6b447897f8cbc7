"""Archives: what they hold is read as if it were given by itself, and nothing in them can do harm."""

import errno
import gzip
import io
import stat
import tarfile
import tempfile
import zipfile
from pathlib import Path

import pytest
import zstandard

from retrieval.errors import EmptySourceError, SourceError
from retrieval.kg.readers import archives, read_graph, read_preview
from retrieval.kg.readers.archive_kinds import ArchiveLimits
from retrieval.kg.readers.options import ReadOptions
from retrieval.questions import preview_questions
from retrieval.questions.files import read_questions
from retrieval.questions.format_detection import detect_format

FACTS = b"Jaws\tdirected_by\tSpielberg\n"
MORE = b"Hook\tin_language\tFrench\n"
FILES = {"data/kb.txt": FACTS, "data/more.txt": MORE, "README.md": b"# About\n", "__MACOSX/._kb.txt": b"\0\0"}


def zipped(files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def tarred(files, *, change=None):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            if change:
                change(info)
            archive.addfile(info, io.BytesIO(content if info.isreg() else b""))
    return out.getvalue()


PACKERS = {
    "zip": zipped,
    "tar": tarred,
    "tar.gz": lambda files: gzip.compress(tarred(files)),
    "tar.zst": lambda files: zstandard.compress(tarred(files)),
}


@pytest.fixture
def scratch(tmp_path, monkeypatch):
    """A directory of temporary files of its own, so that what is left over would be seen."""
    place = tmp_path / "scratch"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    yield place
    assert list(place.iterdir()) == []


@pytest.fixture
def read(tmp_path, scratch):
    def reader(content, name="kb.archive", **options):
        path = tmp_path / name
        path.write_bytes(content)
        problems = []
        return read_graph(path, ReadOptions(**options), problems=problems.append), problems

    return reader


@pytest.mark.parametrize("kind", PACKERS)
def test_the_files_of_an_archive_become_one_graph(read, kind):
    table, problems = read(PACKERS[kind](FILES), "upload")
    assert table.facts.rows() == [
        ("Jaws", "directed_by", "Spielberg"),
        ("Hook", "in_language", "French"),
    ]
    assert table.sources == ("upload/data/kb.txt", "upload/data/more.txt")
    assert problems == []


@pytest.mark.parametrize("kind", PACKERS)
def test_an_archive_is_shown_before_it_is_imported(tmp_path, scratch, kind):
    path = tmp_path / "upload"
    path.write_bytes(PACKERS[kind](FILES))
    found = read_preview(path, "films.zip")
    assert found.name == "films.zip"
    assert found.members == (("data/kb.txt", len(FACTS)), ("data/more.txt", len(MORE)))
    assert found.rows == (("Jaws", "directed_by", "Spielberg"),)
    assert found.notes[0] == "The archive holds 2 files; this is data/kb.txt."


def test_one_compressed_file_is_read_as_it_is(read):
    frames = zstandard.compress(FACTS) + zstandard.compress(MORE)
    assert len(read(frames, "kb.txt.zst")[0]) == 2
    assert len(read(zipped({"kb.txt.gz": gzip.compress(FACTS)}))[0]) == 1
    with pytest.raises(SourceError, match="broken zstd file"):
        read(zstandard.compress(FACTS * 10_000)[:-30], "kb.txt.zst")
    with pytest.raises(SourceError, match="broken zstd file"):
        read(zstandard.compress(FACTS)[:6] + b"nonsense" * 10, "kb.txt.zst")


def test_files_without_facts_are_named_and_the_others_go_in(read):
    table, problems = read(zipped({"kb.txt": FACTS, "map.png": b"\x89PNG\r\n\x1a\n" + b"\0" * 90}))
    assert len(table) == 1
    assert [(p.file, p.line) for p in problems] == [("kb.archive/map.png", 0)]
    assert "is an image" in problems[0].message
    assert [(r.name, r.rows, r.problems) for r in table.reports] == [
        ("kb.archive/kb.txt", 1, 0),
        ("kb.archive/map.png", 0, 1),
    ]
    with pytest.raises(SourceError, match="is an image"):
        read(zipped({"map.png": b"\x89PNG\r\n\x1a\n" + b"\0" * 90}))
    with pytest.raises(EmptySourceError, match="no file of data"):
        read(zipped({"README.md": b"nothing"}))


@pytest.mark.parametrize(
    "name", ["../evil.txt", "/etc/passwd", "a/../../evil.txt", "..\\evil.txt", "C:\\evil.txt", "C:/evil.txt"]
)
@pytest.mark.parametrize("pack", [zipped, tarred])
def test_a_path_that_leads_out_is_refused(read, tmp_path, name, pack):
    with pytest.raises(SourceError, match="leads out of it") as caught:
        read(pack({"kb.txt": FACTS, name: MORE}))
    assert "Nothing of it was unpacked" in caught.value.hint
    assert not list(tmp_path.rglob("evil*"))


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE])
def test_links_and_devices_are_refused(read, kind):
    def change(info):
        if info.name == "kb.txt":
            info.type, info.linkname, info.size = kind, "/etc/passwd", 0

    with pytest.raises(SourceError, match=r"holds a link or a device, kb\.txt"):
        read(tarred({"a.txt": FACTS, "kb.txt": b""}, change=change))


def test_a_symlink_in_a_zip_is_refused(read):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        info = zipfile.ZipInfo("kb.txt")
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(info, "/etc/passwd")
    with pytest.raises(SourceError, match="holds a link or a device"):
        read(out.getvalue())


@pytest.mark.parametrize("pack", PACKERS.values())
def test_archives_in_archives_are_refused(read, pack):
    for inner in (zipped({"kb.txt": FACTS}), gzip.compress(tarred({"kb.txt": FACTS})), b"7z\xbc\xaf\x27\x1c"):
        with pytest.raises(SourceError, match=r"holds another archive, inner\.txt"):
            read(pack({"inner.txt": inner}))


@pytest.mark.parametrize("pack", [PACKERS["zip"], PACKERS["tar.gz"], PACKERS["tar.zst"]])
def test_a_bomb_is_refused_before_it_fills_the_disk(tmp_path, scratch, pack, monkeypatch):
    path = tmp_path / "bomb"
    path.write_bytes(pack({"kb.txt": b"\n" * 3_000_000}))
    limits = ArchiveLimits(easy=100_000, ratio=10)
    written = []
    monkeypatch.setattr(archives, "_PIECE", 10_000)
    copy = archives._Opened._copy

    def watched(self, file, out):
        try:
            copy(self, file, out)
        finally:
            written.append(out.stat().st_size)

    monkeypatch.setattr(archives._Opened, "_copy", watched)
    with (
        pytest.raises(SourceError, match="unpacks to more than 10 times its size"),
        archives.unpack_files([path], limits=limits),
    ):
        pytest.fail("it was unpacked")
    assert written[0] < 100_000 + 10 * path.stat().st_size
    with archives.unpack_files([path]) as files:  # the usual limits take it
        assert files[0].path.stat().st_size == 3_000_000


def test_a_bomb_of_one_compressed_file_is_refused(read, monkeypatch):
    monkeypatch.setattr("retrieval.kg.readers.compression.EASY", 50_000)
    monkeypatch.setattr("retrieval.kg.readers.compression.RATIO", 10)
    for packed in (gzip.compress(FACTS * 100_000), zstandard.compress(FACTS * 100_000)):
        with pytest.raises(SourceError, match="more than 10 times its size"):
            read(packed)


def test_an_archive_of_too_many_files_is_refused(tmp_path, scratch):
    path = tmp_path / "many.zip"
    path.write_bytes(zipped({f"{i}.txt": FACTS for i in range(11)}))
    with (
        pytest.raises(SourceError, match="holds more than 10 files"),
        archives.unpack_files([path], limits=ArchiveLimits(files=10)),
    ):
        pytest.fail("it was unpacked")


def test_broken_locked_and_foreign_archives_say_so(read):
    with pytest.raises(SourceError, match="broken archive"):
        read(tarred({"kb.txt": FACTS * 1000})[:2000])
    with pytest.raises(SourceError, match="broken gzip"):
        read(gzip.compress(tarred({"kb.txt": FACTS * 100_000}))[:-500])
    with pytest.raises(SourceError, match="Office file"):
        read(zipped({"[Content_Types].xml": b"<x/>", "word/document.xml": b"<x/>"}))
    locked = bytearray(zipped({"kb.txt": FACTS}))
    at = locked.index(b"PK\x01\x02")
    locked[6] |= 1
    locked[at + 8] |= 1
    with pytest.raises(SourceError, match="password"):
        read(bytes(locked))
    wrong = bytearray(zipped({"kb.txt": bytes(range(256)) * 8}))
    wrong[60] ^= 0xFF
    with pytest.raises(SourceError):
        read(bytes(wrong))


def test_a_full_disk_leaves_nothing_behind(read, monkeypatch):
    def full(self, *_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(archives._Opened, "_copy", full)
    with pytest.raises(SourceError, match="no room to unpack") as caught:
        read(zipped(FILES))
    assert "TMPDIR" in caught.value.hint


def test_question_files_of_an_archive_are_one_set(tmp_path, scratch):
    path = tmp_path / "metaqa.zip"
    path.write_bytes(
        zipped(
            {
                "1-hop/vanilla/qa_train.txt": b"who directed [Jaws]\tSpielberg\n",
                "1-hop/vanilla/qa_dev.txt": b"who wrote [Jaws]\tBenchley\n",
                "2-hop/vanilla/qa_train.txt": b"films by the director of [Jaws]\tHook\nno tab\n",
                "1-hop/qa_train_qtype.txt": b"movie_to_director\nmovie_to_director\n",
                "kb.txt": b"Jaws|directed_by|Spielberg\n",
            }
        )
    )
    problems = []
    found = read_questions(path, problems=problems.append)
    assert [(q.id, q.hops, q.split, q.topic_entities) for q in found] == [
        ("1-hop-1-hop.vanilla.qa_train-1", 1, "train", ("Jaws",)),
        ("1-hop-1-hop.vanilla.qa_dev-1", 1, "dev", ("Jaws",)),
        ("2-hop-2-hop.vanilla.qa_train-1", 2, "train", ("Jaws",)),
    ]
    assert [(p.file, p.line) for p in problems] == [
        ("metaqa.zip/2-hop/vanilla/qa_train.txt", 2),
        ("metaqa.zip/1-hop/qa_train_qtype.txt", 0),
        ("metaqa.zip/kb.txt", 0),
    ]
    assert detect_format(path) == "metaqa"
    assert preview_questions(path).rows == (("who directed Jaws", "Jaws", "Spielberg"),)
    table = read_graph(path, problems=lambda _: None)
    assert table.facts.rows() == [("Jaws", "directed_by", "Spielberg")]
    assert table.passages is None
    assert [(r.name.rsplit("/", 1)[1], r.rows) for r in table.reports] == [
        ("qa_train.txt", 0),
        ("qa_dev.txt", 0),
        ("qa_train.txt", 0),
        ("qa_train_qtype.txt", 0),
        ("kb.txt", 1),
    ]
    assert Path(path).exists()


def test_an_archive_of_texts_alone_is_a_graph_of_passages(read):
    table, problems = read(zipped({"a.txt": b"Jaws is a film.\n\nIt is by Spielberg.\n"}))
    assert (table.passages.height, problems) == (1, [])


def test_a_large_tar_is_listed_from_its_beginning(tmp_path, scratch, monkeypatch):
    monkeypatch.setattr(archives, "LISTED", 30)
    path = tmp_path / "a.tar"
    path.write_bytes(tarred({f"{i}.txt": FACTS for i in range(5)}))
    assert archives.list_members(path, "a.tar") == [("0.txt", len(FACTS)), ("1.txt", len(FACTS))]
    path.write_bytes(zipped({f"{i}.txt": FACTS for i in range(5)}))
    assert len(archives.list_members(path, "a.zip")) == 5
