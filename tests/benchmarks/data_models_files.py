"""Files of a set of the data-model suite as a person would upload them: cut, turned into another form, broken."""

from __future__ import annotations

import csv
import io
import json
import random
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import openpyxl

from tests.benchmarks.data_models_sets import ExpectedSet

_NUMBER = re.compile(r"-?(0|[1-9]\d{0,14})(\.\d+)?")
_DECIMAL = re.compile(r"-?\d+\.\d+")
_GARBLED = "~?"
Cells = list[Any]


class Breaker:
    """Breaks a share of rows at random: a further cell, lost cells, two swapped, or a key that exists nowhere."""

    def __init__(self, share: float, seed: str, reference_columns: frozenset[str] = frozenset()) -> None:
        self._share = share
        self._random = random.Random(seed)
        self._columns = reference_columns

    def break_cells(self, cells: Cells, heads: Sequence[str]) -> Cells | None:
        """A broken row of a table, or None where it stays as it is."""
        if len(cells) < 2 or self._random.random() >= self._share:
            return None
        broken = list(cells)
        place = self._choose_reference(heads, len(cells))
        match self._random.choice(("further", "lost", "swapped", "garbled")):
            case "further":
                broken.insert(self._random.randrange(len(broken) + 1), "?")
            case "lost":
                del broken[self._random.randrange(1, len(broken)) :]
            case "garbled" if place is not None:
                broken[place] = f"{broken[place]}{_GARBLED}"
            case _:
                one, other = self._random.sample(range(len(broken)), 2)
                broken[one], broken[other] = broken[other], broken[one]
        return broken

    def break_object(self, row: dict[str, Any]) -> dict[str, Any]:
        """A row of JSON; broken, or as it is."""
        if len(row) < 2 or self._random.random() >= self._share:
            return row
        keys = list(row)
        place = self._choose_reference(keys, len(keys))
        match self._random.choice(("further", "lost", "swapped", "garbled")):
            case "further":
                return {**row, "?": "?"}
            case "lost":
                return {key: row[key] for key in keys[: self._random.randrange(1, len(keys))]}
            case "garbled" if place is not None:
                return {**row, keys[place]: f"{row[keys[place]]}{_GARBLED}"}
            case _:
                one, other = self._random.sample(keys, 2)
                return {**row, one: row[other], other: row[one]}

    def _choose_reference(self, heads: Sequence[str], width: int) -> int | None:
        places = [place for place, head in enumerate(heads[:width]) if head in self._columns]
        return self._random.choice(places) if places else None


def prepare(expected: ExpectedSet, home: Path, folder: Path, broken: float = 0.0) -> list[Path]:
    """Write the files of a set into a folder, in its form, with a share of the rows broken, and return their paths.

    Only rows of CSV, JSON and workbooks are cut and broken; graphs, databases and objects without lists stay whole.

    Args:
        home: holds the unpacked packages.
        broken: share of the rows.

    Raises:
        FileNotFoundError: a file is not there.
    """
    columns = frozenset(reference.source.column for reference in expected.references)
    breaker = Breaker(broken, expected.id, columns)
    sources = [home / expected.package.folder / expected.package.root / name for name in expected.files]
    written = sources
    if expected.form:
        made = folder / "made"
        made.mkdir()
        written = _FORMS[expected.form](sources, made)
    paths = []
    for source in written:
        target = folder / source.name
        copy = _COPIERS.get(source.suffix, _copy_whole) if expected.rows or broken else _copy_whole
        copy(source, target, expected.rows, breaker)
        paths.append(target)
    return paths


def _copy_whole(source: Path, target: Path, _rows: int, _breaker: Breaker) -> None:
    shutil.copyfile(source, target)


def _copy_csv(source: Path, target: Path, rows: int, breaker: Breaker) -> None:
    """Copy lines as they are, so that their quotes and blanks stay; only broken rows are written anew."""
    text, encoding = _decode(source)
    delimiter = _find_delimiter(text)
    heads: list[str] = []
    with target.open("w", encoding=encoding, newline="") as file:
        for number, (raw, cells) in enumerate(islice(_split_records(text), rows + 1 if rows else None)):
            heads = heads or cells
            changed = breaker.break_cells(cells, heads) if number else None
            if changed is None:
                file.write(raw)
            else:
                csv.writer(file, delimiter=delimiter).writerow(changed)


def _copy_json(source: Path, target: Path, rows: int, breaker: Breaker) -> None:
    def copy(rows_read: Any) -> Any:
        if not isinstance(rows_read, list) or not all(isinstance(row, dict) for row in rows_read):
            return rows_read
        return [breaker.break_object(row) for row in (rows_read[:rows] if rows else rows_read)]

    text = source.read_text(encoding="utf-8")
    try:
        value = json.loads(text)
    except json.JSONDecodeError:  # an object on each line
        objects = copy([json.loads(line) for line in text.splitlines()])
        target.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in objects), encoding="utf-8")
        return
    value = {key: copy(part) for key, part in value.items()} if isinstance(value, dict) else copy(value)
    target.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")


def _copy_workbook(source: Path, target: Path, rows: int, breaker: Breaker) -> None:
    copied = openpyxl.Workbook(write_only=True)
    for sheet in openpyxl.load_workbook(source, read_only=True):
        into = copied.create_sheet(sheet.title)
        heads: list[str] = []
        for number, cells in enumerate(sheet.iter_rows(max_row=rows + 1 if rows else None, values_only=True)):
            heads = heads or [str(cell) for cell in cells]
            into.append((breaker.break_cells(list(cells), heads) if number else None) or list(cells))
    copied.save(target)


_COPIERS: dict[str, Callable[[Path, Path, int, Breaker], None]] = {
    ".csv": _copy_csv,
    ".json": _copy_json,
    ".xlsx": _copy_workbook,
}


def _make_semicolons(sources: Sequence[Path], folder: Path) -> list[Path]:
    """CSV as spreadsheets save it where decimals have commas."""
    paths = []
    for source in sources:
        paths.append(folder / source.name)
        with paths[-1].open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, delimiter=";")
            for _, cells in _split_records(_decode(source)[0]):
                writer.writerow([cell.replace(".", ",") if _DECIMAL.fullmatch(cell) else cell for cell in cells])
    return paths


def _make_workbook(sources: Sequence[Path], folder: Path) -> list[Path]:
    """A workbook with a sheet for each CSV file, its numbers as numbers."""
    book = openpyxl.Workbook(write_only=True)
    for source in sources:
        sheet = book.create_sheet(source.stem[:31])
        for _, cells in _split_records(_decode(source)[0]):
            sheet.append([float(cell) if _NUMBER.fullmatch(cell) else cell or None for cell in cells])
    book.save(folder / "tables.xlsx")
    return [folder / "tables.xlsx"]


def _make_fixture_tables(sources: Sequence[Path], folder: Path) -> list[Path]:
    """A CSV file for each model of a Django fixture."""
    tables: dict[str, list[dict[str, Any]]] = {}
    for row in json.loads(sources[0].read_text(encoding="utf-8")):
        tables.setdefault(row["model"].rpartition(".")[2], []).append({"pk": row["pk"], **row["fields"]})
    paths = []
    for table, rows in sorted(tables.items()):
        paths.append(folder / f"{table}.csv")
        with paths[-1].open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    return paths


def _make_graphml(sources: Sequence[Path], folder: Path) -> list[Path]:
    """GraphML of nodes and links as d3 has them; an attribute is called name."""
    graph = json.loads(sources[0].read_text(encoding="utf-8"))
    nodes = (
        f'<node id="n{number}"><data key="name">{node["name"]}</data><data key="group">{node["group"]}</data></node>'
        for number, node in enumerate(graph["nodes"])
    )
    edges = (
        f'<edge source="n{link["source"]}" target="n{link["target"]}"><data key="value">{link["value"]}</data></edge>'
        for link in graph["links"]
    )
    path = folder / f"{sources[0].stem}.graphml"
    keys = (("name", "node", "string"), ("group", "node", "int"), ("value", "edge", "int"))
    path.write_text(
        '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
        + "\n".join(f'<key id="{key}" for="{of}" attr.name="{key}" attr.type="{kind}"/>' for key, of, kind in keys)
        + '\n<graph edgedefault="undirected">\n'
        + "\n".join((*nodes, *edges))
        + "\n</graph>\n</graphml>\n",
        encoding="utf-8",
    )
    return [path]


def _make_gexf(sources: Sequence[Path], folder: Path) -> list[Path]:
    """GEXF of nodes and links as d3 has them; nodes have ids and labels."""
    graph = json.loads(sources[0].read_text(encoding="utf-8"))
    nodes = (
        f'<node id="{number}" label={quoteattr(node["name"])}><attvalues><attvalue for="0" value="{node["group"]}"/>'
        "</attvalues></node>"
        for number, node in enumerate(graph["nodes"])
    )
    edges = (
        f'<edge id="{number}" source="{link["source"]}" target="{link["target"]}" weight="{link["value"]}"/>'
        for number, link in enumerate(graph["links"])
    )
    path = folder / f"{sources[0].stem}.gexf"
    path.write_text(
        '<?xml version="1.0" encoding="UTF-8"?>\n<gexf xmlns="http://gexf.net/1.3" version="1.3">\n'
        '<graph defaultedgetype="undirected">\n<attributes class="node"><attribute id="0" title="group" '
        'type="integer"/></attributes>\n<nodes>\n'
        + "\n".join(nodes)
        + "\n</nodes>\n<edges>\n"
        + "\n".join(edges)
        + "\n</edges>\n</graph>\n</gexf>\n",
        encoding="utf-8",
    )
    return [path]


def _rename_as_csv(sources: Sequence[Path], folder: Path) -> list[Path]:
    """Tables with another suffix, as CSV files."""
    return [_write_text(folder / f"{source.stem}.csv", _decode(source)[0]) for source in sources]


def _remove_headers(sources: Sequence[Path], folder: Path) -> list[Path]:
    """CSV files without their first line."""
    return [_write_text(folder / f"{source.stem}.csv", _decode(source)[0].partition("\n")[2]) for source in sources]


def _write_text(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8", newline="")
    return path


_FORMS: dict[str, Callable[[Sequence[Path], Path], list[Path]]] = {
    "semicolons": _make_semicolons,
    "xlsx": _make_workbook,
    "fixture-tables": _make_fixture_tables,
    "graphml": _make_graphml,
    "gexf": _make_gexf,
    "csv": _rename_as_csv,
    "headerless": _remove_headers,
}


def _decode(source: Path) -> tuple[str, str]:
    """The text of a file and its encoding."""
    raw = source.read_bytes()
    try:
        return raw.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        return raw.decode("cp1252"), "cp1252"


def _find_delimiter(text: str) -> str:
    line = text.partition("\n")[0]
    return max(",;\t|", key=line.count)


def _split_records(text: str) -> Iterator[tuple[str, list[str]]]:
    """Each row as it stands and its cells; a row may hold line breaks."""
    raw: list[str] = []

    def read_lines() -> Iterator[str]:
        for line in io.StringIO(text, newline=""):
            raw.append(line)
            yield line

    for cells in csv.reader(read_lines(), delimiter=_find_delimiter(text)):
        yield "".join(raw), cells
        raw.clear()
