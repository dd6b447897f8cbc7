"""File formats that Clew does not read: their signatures, and how to export them to a format that it reads."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from retrieval.errors import SourceError

#: How sure a general detector must be of a kind that is not listed here.
_SURE = 0.8
#: Letters of a signature that a text may begin with as well.
_WORD = 7


@dataclass(frozen=True, slots=True)
class OtherFormat:
    """A format that is not read.

    Attributes:
        label: as in "x.db is ...".
        advice: how to make a file of it that is read.
        signature: bytes that such a file begins with, from ``offset`` on.
        offset: see ``signature``.
        pattern: matches the beginning of its text; of a file of text.
    """

    label: str
    advice: str
    signature: bytes = b""
    offset: int = 0
    pattern: re.Pattern[str] | None = None

    def is_match(self, head: bytes, text: str) -> bool:
        """Return whether a file that begins so is of this format."""
        if self.pattern is not None:
            return self.pattern.match(text) is not None
        if self.signature.isalnum() and len(self.signature) < _WORD and not _is_binary(head):
            return False  # a text that begins with such a word
        return head.startswith(self.signature, self.offset)


def _is_binary(head: bytes) -> bool:
    return any(byte in head[:4096] for byte in range(9))


def _make_text_format(label: str, pattern: str, advice: str, flags: int = re.IGNORECASE) -> OtherFormat:
    return OtherFormat(label, advice, pattern=re.compile(r"\ufeff?\s*+" + pattern, flags))


def _skip(*skipped: str) -> str:
    """Return a pattern of comments and the like before the text; atomic, since many of them must not be retried."""
    return rf"(?>(?:{'|'.join(skipped)})\s*)*+"


_XML_PROLOG = _skip(r"<\?.*?\?>", "<!--.*?-->", r"<!DOCTYPE[^>\[]*(?:\[.*?\])?\s*>")


def _make_xml_format(label: str, root: str, advice: str) -> OtherFormat:
    return _make_text_format(label, rf"{_XML_PROLOG}<(?:[\w.-]+:)?{root}[\s>/]", advice, re.DOTALL)


_GRAPHS = "triples, nodes and edges as CSV or JSON lines, tables as CSV, GraphML, GEXF or RDF"
_UNPACK = "Unpack it and give the files in it; archives are read as zip or tar, compressed files as gzip or Zstandard."
_TABLES = "Export each table as CSV with a header row, and give these files together."
_SQL = f"Load it into its database. {_TABLES}"
_POLARS = "Convert it with polars: pl.{}('FILE').write_parquet('FILE.parquet')."
_PANDAS = "Convert it with pandas: pd.{}('FILE').to_parquet('FILE.parquet')."
_NETWORKX = "Convert it with networkx: nx.write_graphml(nx.{}('FILE'), 'FILE.graphml')."
_GEPHI = "Open it in Gephi and export it as GraphML or GEXF."
_PROTEGE = "Open it in Protégé and save it as Turtle or RDF/XML, or run: robot convert -i FILE -o FILE.ttl."
NEO4J_EXPORT = "run CALL apoc.export.graphml.all('graph.graphml', {useTypes: true}), and give that file"
_IMAGE = f"Clew reads no images. Give the data behind it: {_GRAPHS}."
_CHOOSE = f"Give a file of {_GRAPHS}."
_CSV = "Export it as CSV with a header row."
_DECRYPT = "Decrypt it, if it is an encrypted database, and give that. An SQLite database is read as it is."
_DATABASES = (".db", ".db3", ".sqlite", ".sqlite3")

FORMATS = (
    OtherFormat("a Neo4j dump", f"Load it (neo4j-admin database load), then {NEO4J_EXPORT}.", b"DZV1"),
    OtherFormat("a Neo4j dump", f"Load it (neo4j-admin database load), then {NEO4J_EXPORT}.", b"DGV1"),
    OtherFormat("a Neo4j backup", f"Restore it (neo4j-admin database restore), then {NEO4J_EXPORT}.", b"NEO4JBK"),
    OtherFormat("an SQLite database", "Give it as a graph: each of its tables is read. Export questions as CSV.",
                b"SQLite format 3\0"),
    OtherFormat("a DuckDB database", "Export its tables: EXPORT DATABASE 'folder' (FORMAT parquet).", b"DUCK", 8),
    OtherFormat("a Microsoft Access database", _TABLES, b"\0\x01\0\0Standard Jet DB"),
    OtherFormat("a Microsoft Access database", _TABLES, b"\0\x01\0\0Standard ACE DB"),
    OtherFormat("a PostgreSQL dump", f"Restore it with pg_restore. {_TABLES}", b"PGDMP"),
    OtherFormat("a Redis dump", "Load it into Redis, and export its keys as CSV or JSON lines.", b"REDIS0"),
    OtherFormat("an HDT file of RDF", "Convert it to N-Triples: hdt2rdf.sh FILE FILE.nt.", b"$HDT"),
    OtherFormat("a Parquet file", "Give it without compressing or renaming it.", b"PAR1"),
    OtherFormat("an Arrow or Feather file", _POLARS.format("read_ipc"), b"ARROW1"),
    OtherFormat("a Feather file", _PANDAS.format("read_feather"), b"FEA1"),
    OtherFormat("an ORC file", _PANDAS.format("read_orc"), b"ORC"),
    OtherFormat("an Avro file", _POLARS.format("read_avro"), b"Obj\x01"),
    OtherFormat("an HDF5 file", _CSV, b"\x89HDF\r\n\x1a\n"),
    OtherFormat("a NumPy array", "Write its rows as CSV: np.savetxt.", b"\x93NUMPY"),
    OtherFormat("a MATLAB file", _CSV, b"MATLAB 5.0 MAT-file"),
    OtherFormat("an R data file", "Write its data frames as CSV: write.csv(x, 'x.csv', row.names = FALSE).", b"RDX"),
    OtherFormat("an R data file", "Write it as CSV: write.csv(readRDS('FILE'), 'x.csv', row.names = FALSE).",
                b"X\n\0\0\0"),
    OtherFormat("an SPSS file", _CSV, b"$FL"),
    OtherFormat("a Stata file", _CSV, b"<stata_dta>"),
    OtherFormat("a SAS file", _CSV, b"\xc2\xea\x81\x60\xb3\x14\x11\xcf\xbd\x92\x08\0", 12),
    *(
        OtherFormat(
            "a Python pickle",
            "A pickle can run programs, so it is not opened. Load it in Python and write CSV, Parquet or GraphML.",
            bytes([0x80, version]),
        )
        for version in range(2, 6)
    ),
    OtherFormat("a PDF", "Give it under the name .pdf; it is cut into passages.", b"%PDF"),
    OtherFormat("a PostScript file", "Convert it to PDF, which is cut into passages.", b"%!PS"),
    OtherFormat("a rich text file", "Save it as plain text, which is cut into passages.", b"{\\rtf"),
    OtherFormat("an image", _IMAGE, b"\x89PNG"),
    OtherFormat("an image", _IMAGE, b"\xff\xd8\xff"),
    OtherFormat("an image", _IMAGE, b"GIF8"),
    OtherFormat("an image", _IMAGE, b"WEBP", 8),
    OtherFormat("an image", _IMAGE, b"II*\0"),
    OtherFormat("an image", _IMAGE, b"MM\0*"),
    OtherFormat("a 7z archive", _UNPACK, b"7z\xbc\xaf\x27\x1c"),
    OtherFormat("a RAR archive", _UNPACK, b"Rar!\x1a\x07"),
    OtherFormat("bzip2-compressed", _UNPACK, b"BZh"),
    OtherFormat("xz-compressed", _UNPACK, b"\xfd7zXZ\0"),
    OtherFormat("LZ4-compressed", _UNPACK, b"\x04\x22\x4d\x18"),
    OtherFormat("Unix-compressed", _UNPACK, b"\x1f\x9d"),
    OtherFormat("a Windows cabinet", _UNPACK, b"MSCF"),
    OtherFormat("a ZIP or Office file", _UNPACK, b"PK\x03\x04"),
    OtherFormat("an empty ZIP archive", _CHOOSE, b"PK\x05\x06"),
    OtherFormat("a program", _CHOOSE, b"\x7fELF"),
    OtherFormat("a program", _CHOOSE, b"MZ\x90\0"),
    _make_text_format("a Git LFS pointer, not the file itself", r"version https://git-lfs\.github\.com/spec/",
          "Fetch the file: git lfs pull."),
    _make_text_format("a SPARQL query", _skip(r"(?:PREFIX|BASE)\s[^\n]*",
    r"#[^\n]*") + r"(?:SELECT|CONSTRUCT|DESCRIBE|ASK)"
          r"\s[^\n\t,;]*(?:\?|\*|\{)", "Run it, and give what it finds: CONSTRUCT as Turtle, SELECT as CSV."),
    _make_text_format("an SQL dump",
          _skip(r"--[^\n]*", r"/\*.*?\*/", r"(?:SET|USE|PRAGMA|LOCK|BEGIN|START)\s[^;]{0,200};", "BEGIN;", ";")
          + r"(?:CREATE\s+(?:TEMP(?:ORARY)?\s+|UNLOGGED\s+)?(?:TABLE|DATABASE|SCHEMA|SEQUENCE|TYPE|FUNCTION|VIEW)\s"
          r"|INSERT\s+INTO\s|DROP\s+(?:TABLE|DATABASE|SCHEMA)\s|COPY\s+\S+\s*\(|ALTER\s+TABLE\s)", _SQL,
          re.IGNORECASE | re.DOTALL),
    _make_text_format("a Gremlin script", r"(?:\w+\s*=\s*)?g\.(?:addV|V|addE)\(",
          "Run it, and write the graph: g.io('graph.graphml').write()."),
    _make_text_format("a GML graph", _skip(r"#[^\n]*", r"(?:Creator|Version|comment|directed)\s[^\n]*") + r"graph\s*\[",
          f"{_NETWORKX.format('read_gml')} {_GEPHI}"),
    _make_text_format("a DOT (Graphviz) graph", _skip(r"//[^\n]*", r"#[^\n]*", r"/\*.*?\*/")
          + r"(?:strict\s+)?(?:di)?graph\b\s*(?:\w+|\"[^\"]*\")?\s*\{",
          f"{_NETWORKX.format('nx_pydot.read_dot')} {_GEPHI}", re.IGNORECASE | re.DOTALL),
    _make_text_format("a Pajek network", _skip(r"%[^\n]*") + r"\*(?:network|vertices)\b",
          f"{_NETWORKX.format('read_pajek')} {_GEPHI}"),
    _make_text_format("a GDF (GUESS) graph", r"nodedef>", _GEPHI),
    _make_text_format("a TGF graph", r"(?:[^\n#,\t;|]+\n)+#[ \t]*\n", "Open it in yEd and save it as GraphML."),
    _make_text_format("a UCINET DL graph", r"dl\s+n\s*=", _GEPHI),
    _make_text_format("a LEDA graph", r"LEDA\.GRAPH", _NETWORKX.format("read_leda")),
    _make_text_format("a graph6 graph", r">>(?:graph6|sparse6)<<", _NETWORKX.format("read_graph6")),
    _make_text_format("an ontology in OWL functional syntax",
    _skip(r"#[^\n]*") + r"(?:Prefix\(\s*[\w.-]*:\s*=|Ontology\(\s*[<)])",
          _PROTEGE),
    _make_text_format("an ontology in Manchester syntax",
    _skip(r"#[^\n]*") + r"(?:Prefix:\s+[\w.-]*:\s*<|Ontology:\s*<)",
          _PROTEGE),
    _make_text_format("an OBO ontology", _skip(r"![^\n]*") + "format-version:", _PROTEGE),
    _make_text_format("a BibTeX file", _skip(r"%[^\n]*")
          + r"@(?:article|book|inproceedings|incollection|misc|phdthesis|techreport"
          r"|string|comment|online|proceedings)\s*[{(]", "Open it in Zotero or JabRef and export it as CSV."),
    _make_text_format("a RIS file of references", r"TY  - ", "Open it in Zotero and export it as CSV."),
    _make_text_format("an address book (vCard)", r"BEGIN:VCARD", _CSV),
    _make_text_format("a calendar (iCalendar)", r"BEGIN:VCALENDAR", _CSV),
    _make_text_format("a family tree (GEDCOM)", r"0 HEAD\s", "Export it as CSV, for example with Gramps."),
    _make_text_format("an ARFF file", _skip(r"%[^\n]*") + r"@relation\s", _CSV),
    _make_text_format("a web page", r"(?:<!doctype html|<html)",
    "Give it under the name .html to cut it into passages."),
    _make_xml_format("an ontology in OWL/XML", "Ontology", _PROTEGE),
    _make_xml_format("SPARQL results", "sparql", "Ask the query again for CSV."),
    _make_xml_format("a drawing (SVG)", "svg", _IMAGE),
    _make_xml_format("a map (KML)", "kml", "Convert it to CSV: ogr2ogr FILE.csv FILE."),
    _make_xml_format("a track (GPX)", "gpx", "Convert it to CSV: ogr2ogr FILE.csv FILE."),
    _make_xml_format("a MediaWiki dump", "mediawiki",
    "Extract its text, for example with WikiExtractor, and give that."),
    _make_xml_format("an XGMML graph", "graph", "Open it in Cytoscape and export it as GraphML."),
)  # fmt: skip
"""All of them; the first that matches counts."""

_XML_ROOT = re.compile(rf"\ufeff?\s*+{_XML_PROLOG}<([\w:.-]+)(?=[\s>]|/>)", re.DOTALL)


def find_binary_format(head: bytes) -> OtherFormat | None:
    """Return the format that a file's first bytes, uncompressed, are the signature of."""
    return next((fmt for fmt in FORMATS if fmt.pattern is None and fmt.is_match(head, "")), None)


def find_text_format(head: str) -> OtherFormat | None:
    """Return the format that is not read and that a text begins as."""
    return next((fmt for fmt in FORMATS if fmt.pattern is not None and fmt.is_match(b"", head)), None)


def describe_binary(head: bytes, name: str) -> OtherFormat:
    """Return the general kind of a binary file that no signature of ``FORMATS`` fits."""
    import puremagic  # noqa: PLC0415 - few files need it

    try:
        kinds = puremagic.magic_string(head, name)
    except (puremagic.PureError, ValueError):
        kinds = []
    known = next((f" ({kind.name})" for kind in kinds if kind.confidence >= _SURE and kind.name), "")
    encrypted = name.lower().endswith(_DATABASES)
    return OtherFormat(f"a binary file{known}", _DECRYPT if encrypted else _CHOOSE)


def make_refusal(other: OtherFormat, name: str) -> SourceError:
    """Return the error that says what a file is and how to make one of it that is read."""
    advice = other.advice.replace("FILE", Path(name).name)
    return SourceError(f"{name} is {other.label}, not a graph or table that is read.", hint=advice)


def check_xml_root(head: str, name: str) -> None:
    """Raise a SourceError for XML that is none of the formats of graphs."""
    root = _XML_ROOT.match(head)
    if root is not None and head.lstrip("\ufeff \t\r\n").startswith("<"):
        raise SourceError(
            f"{name} is XML whose outermost element is <{root[1]}>, which is no graph.",
            hint="Clew reads RDF/XML, GraphML and GEXF. Convert other XML to tables (CSV) or JSON lines.",
        )
