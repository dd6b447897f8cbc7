"""Where builders of weights find public data, Clew's own small graphs, and what they have computed before."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from retrieval.errors import SourceError

_CHECKOUT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class DataSource:
    """Data that a builder reads.

    Attributes:
        name: what people call it.
        paths: files or folders below the data folder; none of what the repository itself holds.
        origin: what it is, with address, version and licence.
        required: whether nothing is built without it.
    """

    name: str
    paths: tuple[str, ...]
    origin: str
    required: bool = True


@dataclass(frozen=True, slots=True)
class TrainingData:
    """Folders with data.

    Attributes:
        public: public sets, laid out as the sources of builders say.
        cache: snapshots and features that were computed; may be deleted.
        own: Clew's own small graphs with questions: ``own_graphs`` and ``newcomers``.
        suites: further folders of questions with graphs, in the form of ``own_graphs``.
        built: folder of weights that were built before; others learn from them instead of those that come with Clew.
    """

    public: Path
    cache: Path
    own: Path = _CHECKOUT / "tests"
    suites: tuple[Path, ...] = ()
    built: Path | None = None

    def find(self, *parts: str) -> Path | None:
        """A file or folder of the public sets; None where it is missing."""
        path = self.public.joinpath(*parts)
        return path if path.exists() else None

    def find_weights(self, shipped: Path) -> Path:
        """A file of weights that was built before, else the one that comes with Clew."""
        built = self.built / shipped.name if self.built else shipped
        return built if built.is_file() else shipped

    def require(self, sources: Iterable[DataSource]) -> None:
        """Check that the data is there.

        Raises:
            SourceError: required data is missing; the hint says what to put where.
        """
        if not self.own.is_dir():
            raise SourceError(
                "Weights are built from Clew's own small graphs too, which only a checkout has.",
                hint="Clone Clew's repository and run `python -m retrieval build-weights` there.",
            )
        lacking = {
            source: missing
            for source in sources
            if source.required and (missing := [path for path in source.paths if self.find(path) is None])
        }
        if lacking:
            lines = [f"{', '.join(missing)} ({source.name}: {source.origin})" for source, missing in lacking.items()]
            raise SourceError(
                f"The folder {self.public} lacks {', '.join(source.name for source in lacking)}.",
                hint="Name another folder with --data, or put there: " + "; ".join(lines) + ".",
            )


OPERATOR_SUITES = DataSource(
    "suites of questions with operators",
    tuple(f"operators/{name}" for name in ("demo", "geoquery", "overnight", "restaurants", "spider", "text2cypher")),
    "each a folder with graphs (`NAME.tsv`: head, relation, tail) and JSONL rows (id, question, answers, operators, "
    "graph, maybe also: further right answer sets). GeoQuery's and Restaurants' SQL executed over their databases "
    "(github.com/jkkummerfeld/text2sql-data; Zelle and Mooney 1996, Tang and Mooney 2000), nine of Spider's dev "
    "databases (github.com/taoyds/spider, Yu et al. 2018, CC BY-SA 4.0), three domains of Overnight "
    "(github.com/rhythmcao/semantic-parsing-dual, Wang et al. 2015), Neo4j's movies and northwind "
    "(github.com/neo4j-labs/text2cypher, CC0 1.0), and questions over the demo graph",
)
SPIDER_TRAINING = DataSource(
    "Spider's training split",
    ("spider/tables.json", "spider/train_spider.json", "spider/database"),
    "as published (github.com/taoyds/spider, Yu et al. 2018, CC BY-SA 4.0); half of its databases become graphs",
    required=False,
)
WIKITABLES = DataSource(
    "WikiTableQuestions' training split",
    ("wikitables/csv", "wikitables/data/training.tsv"),
    "as published (github.com/ppasupat/WikiTableQuestions, Pasupat and Liang 2015, CC BY-SA 4.0); 300 of its tables "
    "become graphs",
    required=False,
)
METAQA = DataSource(
    "MetaQA",
    ("metaqa/kb.txt.gz", *(f"metaqa/{hops}-hop/qa_dev.txt.gz" for hops in (1, 2, 3))),
    "graph and vanilla dev questions (github.com/yuyuz/MetaQA, Zhang et al. 2018)",
)
PATHQUESTION = DataSource(
    "PathQuestion",
    tuple(
        f"pathquestion/{name}.txt.gz"
        for names in (("2H-kb", "3H-kb", "PQL2-KB", "PQL3-KB"), ("PQ-2H", "PQ-3H", "PQL-2H", "PQL-3H"))
        for name in names
    ),
    "graphs and questions with gold paths (github.com/zmtkeke/IRN, Zhou et al. 2018)",
)
FREEBASE = DataSource(
    "a piece of Freebase with WebQSP's questions",
    (
        "freebase-piece/triples.tsv.gz",
        "freebase-piece/webqsp_half.jsonl.gz",
        "freebase-piece/webqsp_train_relation_paths.jsonl.gz",
    ),
    "facts around the questions, 766 questions with topic and answers, and relation paths of training questions "
    "(Yih et al. 2016; github.com/RManLuo/reasoning-on-graphs, Luo et al. 2024)",
)
FB15K_237 = DataSource(
    "FB15k-237 with names",
    ("graphs/fb15k237_named_triples.tsv.gz",),
    "310,116 triples with the names of their entities (Toutanova and Chen 2015)",
)
OWN_GRAPHS = DataSource("Clew's own small graphs", (), "`tests/own_graphs` of this repository")
NEWCOMERS = DataSource("graphs and tables as newcomers bring them", (), "`tests/newcomers` of this repository")
DEMO = DataSource("the demo graph", (), "`retrieval/demo` of this repository")
READING = DataSource(
    "questions over sentences and paragraphs",
    tuple(
        f"reading/{name}"
        for name in ("wiki-sentences.tsv", "dev.tsv", "test.tsv", "xquad.en.json", "qed-dev.jsonlines")
    ),
    "QAMR's filtered dev and test part with its sentences (github.com/uwnlp/qamr, Michael et al. 2018, MIT), XQuAD's "
    "English (Artetxe et al. 2020, CC BY-SA 4.0) and QED's dev part (Lamm et al. 2021, CC BY-SA 3.0)",
)
ARTICLES = DataSource("articles with questions", (), "half A of `tests/text_answers` of this repository")
UNANSWERABLE_READING = DataSource(
    "questions over paragraphs, half of which the paragraph does not answer",
    ("reading/squad-v2-dev.json",),
    "half of the articles of SQuAD 2.0's dev part, `data/dev-v2.0.json` of github.com/chrischute/squad (Rajpurkar et "
    "al. 2018, CC BY-SA 4.0)",
)
MUSIQUE_QUESTIONS = DataSource(
    "MuSiQue's passages with questions",
    ("text/musique_passages.jsonl.gz", "text/musique_questions.jsonl.gz"),
    "JSONL with `id`, `title`, `text` and with `id`, `question`, `answers` (Trivedi et al. 2022, CC BY 4.0); half of "
    "the questions, by a hash, is left for measuring",
    required=False,
)
MUSIQUE = DataSource(
    "MuSiQue's passages",
    ("text/musique_passages.jsonl.gz",),
    "to leave out texts that are measured on: JSONL with `text` (Trivedi et al. 2022)",
)
