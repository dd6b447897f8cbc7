"""Valid small files of every reader, files that once froze the server, and words that formats are made of."""
# Words of formats are read best beside each other.
# ruff: noqa: E501

from __future__ import annotations

import gzip
import io
import json
import tarfile
import zipfile

import polars as pl
import zstandard

Files = list[tuple[str, bytes]]

_FACTS = [
    ("Jaws", "directed_by", "Spielberg"), ("Hook", "in_language", "Français"), ("Köln", "in", "Deutschland"),
    ("1975", "year of", "Jaws"), ("m.0abc", "cvt", "Москва"),
]  # fmt: skip
_XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
_RDF = _XML + (
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#"'
    ' xmlns:x="http://x/"><rdf:Description rdf:about="http://x/a"><rdfs:label xml:lang="en">A &amp; B</rdfs:label>'
    '<x:r rdf:resource="http://x/b"/><x:s rdf:parseType="Resource"><x:t>v</x:t></x:s>'
    '<x:c rdf:parseType="Collection"><x:N rdf:ID="n"/></x:c></rdf:Description></rdf:RDF>'
)
_DOCTYPE = (
    '<?xml version="1.0"?><!DOCTYPE rdf:RDF [<!ENTITY x "http://x/">]>'
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:x="&x;"><x:T rdf:about="&x;a" x:p="v"/></rdf:RDF>'
)
_TURTLE = (
    "@prefix x: <http://x/> .\n@base <http://b/> .\nx:a x:r x:b , x:c ; x:s \"lit\"@en , 'y'^^x:t , 12 , 1.5e3 , true .\n"
    '[] x:l ( x:a "b" [ x:q x:r ] ) .\n_:n x:t """long\n"text""" .\nGRAPH'.removesuffix("GRAPH")
)
_GRAPHML = _XML + (
    '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><key id="d0" for="node" attr.name="name"/>'
    '<key id="d1" for="edge" attr.name="relation"/><graph edgedefault="directed"><node id="1"><data key="d0">Jaws</data></node>'
    '<node id="2" labels=":Person:Director"><data key="d0">Spielberg</data></node>'
    '<edge source="1" target="2"><data key="d1">directed by</data></edge></graph></graphml>'
)
_JSONLD = {
    "@context": {"x": "http://x/", "name": "http://www.w3.org/2000/01/rdf-schema#label", "r": {"@id": "x:r", "@type": "@id"}},
    "@graph": [
        {"@id": "x:a", "@type": "x:T", "name": {"@value": "A", "@language": "en"}, "r": ["x:b", {"@id": "_:c"}]},
        {"@id": "_:c", "x:l": {"@list": [1, 2.5, True, None, "z"]}, "@reverse": {"x:p": {"@id": "x:d"}}},
    ],
}  # fmt: skip
_HTML = (
    '<!DOCTYPE html><html><head><title>A &amp; B</title><meta charset="utf-8"><link rel="canonical" href="http://x/a">'
    "<style>p{}</style><script>if (a<b) x()</script></head><body><nav>menu</nav><h1>One</h1><p class='a'>Text &#233; &eacute;."
    "</p><!-- no --><table><tr><td>a</td><td>b</td></tr></table><h2>Two</h2><ul><li>x<br/>y</ul><svg><title>t</title></svg>"
    "<p>End &lt;here&gt;</body></html>"
)
_MARKDOWN = (
    '# One\n\nSome *words* and **more** `code` [link](http://x/(y) "t").\n\n## Two ##\n- a\n- b\n\n```py\n# no\n```\n'
    "Under\n-----\n> quote\n\n***\n\n| a | b |\n|---|---|\n| 1 | 2 |\n![p](q.png) ___x___ \\*\n"
)
_TEXT = 'First sentence. Second one, e.g. this? "Quoted!" Dr. No said it.\n\nNext paragraph… 東京です。はい。\n\nEnd.\n'


def _table(mark: str) -> bytes:
    return "\n".join(mark.join(fact) for fact in (("head", "relation", "tail"), *_FACTS)).encode()


def _jsonl(rows: list[object]) -> bytes:
    return "\n".join(json.dumps(row, ensure_ascii=False) for row in rows).encode()


def _parquet(**columns: list[object]) -> bytes:
    out = io.BytesIO()
    pl.DataFrame(columns).write_parquet(out)
    return out.getvalue()


def _zip(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _tar(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return out.getvalue()


def _pdf(text: str) -> bytes:
    content = f"BT /F1 12 Tf 72 720 Td ({text}) Tj 0 -14 Td (Second line.) Tj ET".encode("latin-1")
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Length %d>>\nstream\n%s\nendstream" % (len(content), content),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
        b"<</Title(A title)/Author(B)>>",
    ]
    out, places = bytearray(b"%PDF-1.4\n"), []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer\n<</Size %d/Root 1 0 R/Info 6 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (
        len(objects) + 1,
        start,
    )
    return bytes(out)


_NT = "".join(f"<http://x/{h}> <http://x/{r}> <http://x/{t}> .\n" for h, r, t in (("a", "r", "b"), ("b", "s", "c")))
_NT += (
    '<http://x/a> <http://www.w3.org/2000/01/rdf-schema#label> "A \\u00e9"@en .\n_:n <http://x/r> "1"^^<http://x/i> .\n'
)
_HOTPOT = {
    "_id": "h", "question": "Where?", "answer": "Here", "supporting_facts": [["T", 0]],
    "context": [["T", ["One.", "Two."]], ["U", ["Three."]]],
}  # fmt: skip
_MUSIQUE = {
    "id": "2hop__1_2", "question": "Where?", "answer": "Here", "answer_aliases": ["There"], "answerable": True,
    "paragraphs": [{"title": "T", "paragraph_text": "One. Two.", "is_supporting": True}],
}  # fmt: skip
_ROG = {
    "id": "r",
    "question": "Where?",
    "q_entity": ["Jaws"],
    "a_entity": ["Hook"],
    "graph": [list(f) for f in _FACTS],
}
_GRAFTNET = {
    "id": "g", "question": "Where?", "entities": [{"text": "Jaws", "kb_id": "m.1"}], "answers": [{"text": "Hook"}],
    "subgraph": {"tuples": [[{"text": "Jaws"}, {"rel_id": "by"}, {"text": "Hook"}]], "entities": []},
}  # fmt: skip
_GRAILQA = {
    "qid": 1, "question": "Where?", "answer": [{"entity_name": "Hook", "answer_argument": "m.2"}],
    "graph_query": {
        "nodes": [
            {"nid": 0, "node_type": "entity", "friendly_name": "Jaws", "question_node": 0},
            {"nid": 1, "node_type": "class", "id": "film", "question_node": 1},
        ],
        "edges": [{"start": 0, "end": 1, "relation": "by"}],
    },
    "s_expression": "(AND film (JOIN by m.1))",
}  # fmt: skip
_OWN = {
    "id": "q",
    "question": "Who?",
    "topic_entities": ["Jaws"],
    "answers": ["Spielberg"],
    "paths": [[list(_FACTS[0])]],
    "hops": 1,
}
_NODES = b"id:ID,name,:LABEL,age:int,tags:string[]\n1,Jaws,Film;Work,3,a;b\n2,Spielberg,Person,,\n"
_EDGES = b'source,relation,target,attributes\nJaws,by,Spielberg,"{""since"": 1975}"\nHook,by,Spielberg,"{\'a\': [1, None]}"\n'
_ROWS = [
    {"id": 1, "name": "Jaws", "labels": ["Film"], "properties": {"year": 1975}},
    {"source": 1, "relation": "by", "target": {"id": 2, "name": "S"}, "since": "x"},
    {"type": "node", "id": "2", "labels": ["P"], "properties": {"name": "S"}},
    {"type": "relationship", "label": "by", "start": {"id": "1"}, "end": {"id": "2"}, "properties": {"a": [1, 2]}},
]  # fmt: skip

SEEDS: dict[str, Files] = {
    "tab": [("a.tsv", _table("\t")), ("a.txt", _table("\t"))],
    "comma": [("a.csv", _table(",")), ("b.csv", b'h,r,t\n"a, b","r ""q""",c\nd,e,f\n')],
    "pipe": [("a.txt", _table("|")), ("b.psv", b"id|head|relation|tail|more\n1|a|r|b|x\n2|c|r|d|y\n")],
    "property-csv": [("nodes.csv", _NODES), ("edges.csv", _EDGES), ("c.csv", b"_id,_labels,name,_start,_end,_type\n1,:A,x,,,\n,,,1,1,R\n")],
    "property-jsonl": [("a.jsonl", _jsonl(_ROWS)), ("a.json", json.dumps(_ROWS).encode())],
    "graphml": [("a.graphml", _GRAPHML.encode())],
    "cypher": [("a.cypher", b"CREATE (a:P {n: 'x', l: [1, -2.5]})-[:R {s: true}]->(b:`Q r`) /* c */;\nMATCH (a {n: 'x'}) SET a.m = 1;")],
    "ntriples": [("a.nt", _NT.encode())],
    "turtle": [("a.ttl", _TURTLE.encode())],
    "nquads": [("a.nq", _NT.replace(" .\n", " <http://x/g> .\n").encode())],
    "rdfxml": [("a.rdf", _RDF.encode()), ("b.owl", _DOCTYPE.encode())],
    "jsonld": [("a.jsonld", json.dumps(_JSONLD).encode()), ("b.json", json.dumps(_JSONLD["@graph"]).encode())],
    "parquet": [
        ("a.parquet", _parquet(head=["a", "b"], relation=["r", "s"], tail=["c", "d"])),
        ("b.parquet", _parquet(id=["1", "2"], text=["One.", "Two."], title=["T", None])),
        ("c.parquet", _parquet(question=["q"], graph=[[["a", "r", "b"]]])),
        ("d.parquet", _parquet(source=["1"], target=["2"], relation=["r"], weight=[1.5], tags=[["x", "y"]])),
    ],
    "subgraphs": [("a.jsonl", _jsonl([_ROG, _GRAFTNET])), ("a.json", json.dumps([_ROG, _GRAFTNET]).encode())],
    "text": [("a.txt", _TEXT.encode()), ("b.txt", "Grüße aus Köln. Schöne Straße!\n".encode("latin-1")), ("c.txt", _TEXT.encode("utf-16"))],
    "markdown": [("a.md", _MARKDOWN.encode())],
    "html": [("a.html", _HTML.encode()), ("b.htm", b'<meta charset=latin-1><p>Gr\xfc\xdfe <a href="x>y" b=c>z</a>')],
    "pdf": [("a.pdf", _pdf("Hello there."))],
    "passages": [
        ("a.jsonl", _jsonl([{"id": "p", "title": "T", "text": "One.", "triples": [["a", "r", "b"]], "url": "http://x"}] * 2)),
        ("b.json", json.dumps([_HOTPOT]).encode()),
        ("c.jsonl", _jsonl([_MUSIQUE])),
    ],
    "zip": [("a.zip", _zip({"kb.tsv": _table("\t"), "docs/a.md": _MARKDOWN.encode(), "x/": b""}))],
    "tar": [
        ("a.tar.gz", gzip.compress(_tar({"kb.tsv": _table("\t"), "b.jsonl": _jsonl(_ROWS)}), mtime=0)),
        ("a.tar", _tar({"kb.tsv": _table("\t")})),
        ("a.tsv.gz", gzip.compress(_table("\t"), mtime=0)),
        ("a.tar.zst", zstandard.compress(_tar({"kb.nt": _NT.encode()}))),
        ("a.csv.zst", zstandard.compress(_table(","))),
    ],
    "questions": [
        ("a.jsonl", _jsonl([_OWN])),
        ("b.jsonl", _jsonl([_ROG])),
        ("c.json", json.dumps([_GRAFTNET]).encode()),
        ("d.json", json.dumps([_GRAILQA]).encode()),
        ("e.jsonl", _jsonl([_HOTPOT, _MUSIQUE])),
        ("2-hop-dev.txt", b"who directed [Jaws]\tSpielberg|Lucas\nwhat is [[REC]]\tHorror\n"),
        ("pq.txt", b"who is it ?\tb(b/c/)\ta#r#b#<end>#b\n"),
        ("f.jsonl", _jsonl([{"question": "q?", "relation_paths": [["a", "b"]]}])),
        ("g.parquet", _parquet(question=["q"], q_entity=[["a"]], a_entity=[["b"]])),
    ],
}  # fmt: skip

_POINTS = b"Hello there. " + b"." * 60_000
_DEEP = b'{"@id":"http://x/0","http://x/p":' * 8000 + b'"a"' + b"}" * 8000
_NESTED = "<rdf:Description><x:p>" * 100_000 + "</x:p></rdf:Description>" * 100_000
_HEAD = '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:x="http://x/">'
_WIDE = " ".join(f"x:p{i}='v'" for i in range(50_000))
#: Files that took minutes or gigabytes, by the reader that took them.
BAD: dict[str, Files] = {
    "text": [("a.txt", _POINTS), ("a.txt", b"a. " * 30_000)],
    "markdown": [("a.md", _POINTS), ("a.md", b"*a " * 30_000), ("a.md", b"`a **b __c " * 8000)],
    "html": [("a.html", _POINTS), ("a.html", b'"<a href="' * 20_000), ("a.html", b"<a href=" * 20_000), ("a.html", b"<p>&#" + b"1" * 90_000)],
    "jsonld": [("a.jsonld", _DEEP)],
    "pipe": [("a.txt", b"|" * 8000 + b"\n" + b"a\n" * 8000), ("a.csv", b"|" * 8000 + b"\n" + b"a\n" * 8000)],
    "comma": [("a.csv", b"," * 8000 + b"\n" + b"a\n" * 8000)],
    "rdfxml": [
        ("a.rdf", (_HEAD + _NESTED).encode()),
        ("a.rdf", f"{_HEAD}<rdf:Description {_WIDE}/></rdf:RDF>".encode()),
    ],
    # Members of a gzip file follow each other: one is compressed, not hundreds of megabytes.
    "tar": [
        ("a.tsv.gz", gzip.compress(b"a\tr\tb\n" * 600_000, 6, mtime=0) * 100),
        ("a.txt.gz", gzip.compress(b"\0" * (1 << 20), 6, mtime=0) * 256),
    ],
    "property-jsonl": [("a.json", b"[" * 100_000), ("a.jsonl", b'{"id": ' + b"[" * 100_000)],
    "graphml": [("a.graphml", b"<graphml>" + b"<graph>" * 100_000)],
}  # fmt: skip

TOKENS: dict[str, list[bytes]] = {
    "*": [b"\t", b",", b"|", b'"', b"\n", b"\r\n", b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"a\tr\tb\n", b"#", b"\\"],
    "property-jsonl": [b'{"a":', b"[", b"]}", b'"', b"\\ud800", b"\\u0000", b"null", b",", b"1e400", b'"id"', b'"source"'],
    "graphml": [b"<graph>", b"</graph>", b"<node id='x'>", b"<data key='d0'>", b"<!DOCTYPE x>", b"&amp;", b"<![CDATA[", b"]]>", b"<!--"],
    "ntriples": [b"<http://x/a> ", b'"', b"_:a ", b"@en", b"^^", b" .\n", b"\\u0000", b"\\uD800", b"<<", b">>", b"<"],
    "turtle": [b"[ ", b"] ", b"( ", b") ", b'"""', b"@prefix a: <b> .\n", b"<< ", b">> ", b"{| ", b"a ", b"x:a ", b". ", b"\\u0000", b"<"],
    "rdfxml": [b"<x:p>", b"<rdf:Description>", b"</x:p>", b"xmlns:a='b' ", b"&x;", b"<!ENTITY a 'b'>", b"<![CDATA[", b"rdf:li", b" rdf:ID='a'"],
    "jsonld": [b'{"@id":', b"[", b"{", b'"@context":', b'"@graph":', b'"@list":', b'"@reverse":', b'"@included":', b'"a":', b"}", b"\\ud800"],
    "html": [b"<", b"<a href=", b"</p>", b"<!--", b"<script>", b"<title>", b"&#", b"&amp", b"<h1>", b"<svg>", b'"', b"<td>", b"<p x='"],
    "markdown": [b"*", b"**", b"_", b"`", b"[", b"](", b"# ", b"> ", b"```\n", b"![", b"- ", b"\n\n", b"|"],
    "text": [b".", b". ", b"?!", b'"', b"\n \n", b" ", b"e.g. ", b"\xe3\x80\x82", b"\xe2\x80\xa6", b"\xed\xa0\x80", b"(", b")"],
    "pdf": [b"1 0 obj\n", b"<<", b">>", b"[", b"/Kids", b"/Count 999999999", b"2 0 R", b"stream\n", b"/Filter/FlateDecode", b"(", b"/Parent 3 0 R", b"/Encrypt<<>>"],
    "questions": [b'{"a":', b"[", b"]", b"#", b"/)", b"(", b"\t", b"|", b"\\ud800", b"null", b'"hops"', b"1e400", b'"question":'],
}  # fmt: skip
for _name, _like in (("nquads", "ntriples"), ("subgraphs", "questions"), ("passages", "property-jsonl")):
    TOKENS[_name] = TOKENS[_like]
