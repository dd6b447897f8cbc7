"""A graph that stays in a SPARQL 1.1 endpoint: names are looked up there, and what is near them is pulled on demand.

What is pulled becomes a snapshot like any other, of some thousand facts, kept in a temporary directory as long as the
graph is open; every engine can be asked of it.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from retrieval.errors import Cancelled, ConfigError, EndpointError, QuestionError, UnknownEntityError
from retrieval.kg.endpoint import Endpoint

if TYPE_CHECKING:
    import pyoxigraph as ox

    from retrieval.kg.snapshot import Snapshot

_RDFS, _SKOS = "http://www.w3.org/2000/01/rdf-schema#", "http://www.w3.org/2004/02/skos/core#"
_NAMING = f"<{_RDFS}label> <{_SKOS}prefLabel>"
_FINDING = f"{_NAMING} <{_SKOS}altLabel>"
_CLAIM = "http://wikiba.se/ontology#directClaim"
#: Entities asked about in one query: their facts, and their names.
_FACTS_OF, _NAMES_OF = 20, 200
#: Words of a name that is looked for in a question, and facts by which entities of one name are compared.
_WORDS, _RANKED = 6, 200
#: Subgraphs kept.
_KEPT = 8
_PUNCTUATION = "?,.!;:\"'()"
_COMMON = frozenset(
    """a an and are at by did do does for from had has have how in is it many of on or that the their they this to was
    were what when where which who whom whose why with""".split()  # noqa: SIM905 - words read better than a list
)


@dataclass(frozen=True, slots=True)
class SparqlOptions:
    """What is pulled, and how long an endpoint may take.

    Attributes:
        timeout: seconds for one query.
        hops: how far from the topics.
        max_triples: facts of a subgraph at most.
        per_entity: facts of one entity and direction at most; topics may have five times as many.
        languages: of literals; those without a language always count.
        graph: the named graph that is asked, None for the endpoint's default.
    """

    timeout: float = 20.0
    hops: int = 2
    max_triples: int = 5000
    per_entity: int = 100
    languages: tuple[str, ...] = ("en",)
    graph: str | None = None


def options_from(given: Mapping[str, Any]) -> SparqlOptions:
    """Options by name; ``languages`` may be one text with commas.

    Raises:
        ConfigError: there is none of that name.
    """
    known = {field.name for field in fields(SparqlOptions)}
    unknown = sorted(given.keys() - known)
    if unknown:
        raise ConfigError(f"{unknown[0]!r} is no option.", hint=f"There are {', '.join(sorted(known))}.")
    values = dict(given)
    if isinstance(values.get("languages"), str):
        values["languages"] = tuple(part.strip() for part in values["languages"].split(",") if part.strip())
    return SparqlOptions(**values)


@dataclass(frozen=True, slots=True)
class Subgraph:
    """What lies near some topics.

    Attributes:
        snapshot: it, as a graph of its own.
        topics: the topics' ids in it.
        truncated: whether a limit cut something off.
        queries: how many were sent for it.
    """

    snapshot: Snapshot
    topics: tuple[int, ...]
    truncated: bool
    queries: int


class SparqlGraph:
    """An endpoint opened for asking. Use as a context, or call :meth:`close`, which removes what was pulled.

    Args:
        endpoint: its address, http or https.
        options: see :class:`SparqlOptions`.

    Raises:
        ConfigError: the address or an option makes no sense.
    """

    def __init__(self, endpoint: str, options: SparqlOptions | None = None) -> None:
        import pyoxigraph  # noqa: PLC0415 - the web process imports this module

        self.endpoint, self.options = endpoint, options or SparqlOptions()
        _check(self.options)
        self._endpoint = Endpoint(endpoint, timeout=self.options.timeout, graph=self.options.graph)
        self._ox = pyoxigraph
        self._folder: str | None = tempfile.mkdtemp(prefix="clew-sparql-")
        self._kept: OrderedDict[tuple[str, ...], Subgraph] = OrderedDict()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Remove what was pulled. Its snapshots must not be used any more."""
        self._kept.clear()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
        self._folder = None

    def find(self, names: Iterable[str]) -> dict[str, str]:
        """The entity of each name that has one: its IRI. Of several, the one of most facts (up to 200 are counted).

        A name is a label, preferred label or alternative label, spelt as it is there; an IRI means itself.

        Raises:
            EndpointError: see :meth:`retrieval.kg.endpoint.Endpoint.select`.
        """
        wanted = list(dict.fromkeys(name.strip() for name in names if name.strip()))
        found = {name: name for name in wanted if re.match(r"(https?|urn):\S+$", name)}
        candidates: dict[str, dict[str, None]] = {}
        plain = [name for name in wanted if name not in found]
        for part in _batches(plain, _NAMES_OF):
            labels = " ".join(
                str(literal)
                for name in part
                for literal in (
                    self._ox.Literal(name),
                    *(self._ox.Literal(name, language=language) for language in self.options.languages),
                )
            )
            query = (
                f"SELECT DISTINCT ?label ?e WHERE {{ VALUES ?label {{ {labels} }} VALUES ?named {{ {_FINDING} }} "
                f"?e ?named ?label . FILTER(isIRI(?e)) }} LIMIT 1000"
            )
            for row in self._endpoint.select(query):
                candidates.setdefault(row["label"].value, {})[row["e"].value] = None
        sizes = self._sizes(sorted({iri for iris in candidates.values() for iri in iris}))
        for name, iris in candidates.items():
            found[name] = min(iris, key=lambda iri: (-sizes.get(iri, 0), iri))
        return found

    def link(self, question: str) -> dict[str, str]:
        """The entities that a question names, by the words that name them: longest names first, none within another.

        Raises:
            QuestionError: the question is empty.
            EndpointError: see :meth:`retrieval.kg.endpoint.Endpoint.select`.
        """
        words = [word for word in question.split() if word.strip(_PUNCTUATION)]
        if not words:
            raise QuestionError("The question is empty.", hint="Ask something.")
        spans = [
            (first, last)
            for first in range(len(words))
            for last in range(first + 1, min(first + _WORDS, len(words)) + 1)
            if not all(word.strip(_PUNCTUATION).lower() in _COMMON for word in words[first:last])
        ]
        spelt = {span: _spellings(" ".join(words[span[0] : span[1]])) for span in spans}
        found = self.find(name for names in spelt.values() for name in names)
        hits = {
            span: next(found[name] for name in names if name in found)
            for span, names in spelt.items()
            if any(name in found for name in names)
        }
        taken: set[int] = set()
        chosen: dict[str, str] = {}
        for first, last in sorted(hits, key=lambda span: (span[0] - span[1], span)):
            if taken.isdisjoint(range(first, last)):
                taken.update(range(first, last))
                chosen[" ".join(words[first:last]).strip(_PUNCTUATION)] = hits[first, last]
        named = {text: iri for text, iri in chosen.items() if " " in text or not text.islower()}
        return named or chosen

    def subgraph(self, topics: Sequence[str], *, cancelled: Callable[[], bool] = lambda: False) -> Subgraph:
        """What lies near the topics, pulled now or lately.

        Args:
            topics: IRIs.
            cancelled: asked between queries.

        Raises:
            UnknownEntityError: the endpoint knows nothing of any topic.
            EndpointError: see :meth:`retrieval.kg.endpoint.Endpoint.select`.
            Cancelled: it was.
        """
        key = tuple(sorted(set(topics)))
        kept = self._kept.get(key)
        if kept is not None:
            self._kept.move_to_end(key)
            return kept
        before = self._endpoint.queries
        facts, truncated = self._pull(key, cancelled)
        if not facts:
            raise UnknownEntityError(
                f"{self.endpoint} knows no facts of {', '.join(key) or 'nothing'}.",
                hint="Check the IRI, or name another entity.",
            )
        names = self._names(facts, cancelled)
        snapshot, ids = self._build(key, facts, names)
        found = Subgraph(snapshot, ids, truncated, self._endpoint.queries - before)
        self._kept[key] = found
        while len(self._kept) > _KEPT:
            _, old = self._kept.popitem(last=False)
            shutil.rmtree(old.snapshot.path, ignore_errors=True)
        return found

    def _sizes(self, iris: Sequence[str]) -> dict[str, int]:
        """How many facts entities have, up to ``_RANKED`` in each direction."""
        sizes: dict[str, int] = {}
        if len(iris) < 2:
            return sizes
        for part in _batches(iris, _FACTS_OF):
            for row in self._endpoint.select(self._facts_query(part, _RANKED)):
                for end in ("s", "o"):
                    term = row[end]
                    if isinstance(term, self._ox.NamedNode) and term.value in part:
                        sizes[term.value] = sizes.get(term.value, 0) + 1
        return sizes

    def _facts_query(self, iris: Iterable[str], limit: int) -> str:
        """The facts of entities in both directions, each entity's own share of them."""
        tongues = " || ".join(f'langMatches(lang(?o), "{language}")' for language in self.options.languages)
        kept = f'FILTER(!isLiteral(?o) || lang(?o) = ""{f" || {tongues}" if tongues else ""})'
        parts = []
        for iri in iris:
            term = str(self._ox.NamedNode(iri))
            parts += [
                f"{{ SELECT ?s ?p ?o WHERE {{ VALUES ?s {{ {term} }} ?s ?p ?o . {kept} }} LIMIT {limit} }}",
                f"{{ SELECT ?s ?p ?o WHERE {{ VALUES ?o {{ {term} }} ?s ?p ?o }} LIMIT {limit} }}",
            ]
        return f"SELECT ?s ?p ?o WHERE {{ {' UNION '.join(parts)} }}"

    def _pull(
        self, topics: Sequence[str], cancelled: Callable[[], bool]
    ) -> tuple[dict[ox.Triple, None], bool]:
        """Facts within the hops, nearest first, and whether a limit cut some off."""
        facts: dict[ox.Triple, None] = {}
        seen, front = set(topics), list(topics)
        truncated, limit = False, 5 * self.options.per_entity
        for _ in range(self.options.hops):
            reached: dict[str, None] = {}
            for part in _batches(front, _FACTS_OF):
                if cancelled():
                    raise Cancelled("Stopped.")
                shares: dict[tuple[str, str], int] = {}
                for row in self._endpoint.select(self._facts_query(part, limit + 1)):
                    if any(self._over(row[end], end, shares, part, limit) for end in ("s", "o")):
                        truncated = True
                        continue
                    if len(facts) >= self.options.max_triples:
                        return facts, True
                    facts[self._ox.Triple(row["s"], row["p"], row["o"])] = None
                    for end in ("s", "o"):
                        if isinstance(row[end], self._ox.NamedNode):
                            reached[row[end].value] = None
            front = sorted(reached.keys() - seen)
            seen.update(front)
            limit = self.options.per_entity
        return facts, truncated

    def _over(
        self, term: Any, end: str, shares: dict[tuple[str, str], int], asked: Sequence[str], limit: int
    ) -> bool:
        """Whether an entity that was asked about has given its share already in this direction."""
        if not isinstance(term, self._ox.NamedNode) or term.value not in asked:
            return False
        count = shares[term.value, end] = shares.get((term.value, end), 0) + 1
        return count > limit

    def _names(self, facts: Iterable[ox.Triple], cancelled: Callable[[], bool]) -> dict[ox.Triple, None]:
        """What names the entities and relations of the facts."""
        ends = {
            str(term) for f in facts for term in (f.subject, f.object) if isinstance(term, self._ox.NamedNode)
        }
        relations = {str(fact.predicate) for fact in facts}
        tongues = " || ".join(f'langMatches(lang(?l), "{language}")' for language in self.options.languages)
        kept = f'FILTER(isLiteral(?l) && (lang(?l) = ""{f" || {tongues}" if tongues else ""}))'
        names: dict[ox.Triple, None] = {}
        own = f"VALUES ?p {{ {_NAMING} }} ?e ?p ?l . {kept}"
        claimed = f"{{ {own} }} UNION {{ ?q <{_CLAIM}> ?e ; <{_RDFS}label> ?l . {kept} }}"
        for terms, pattern in ((sorted(ends), own), (sorted(relations - ends), claimed)):
            for part in _batches(terms, _NAMES_OF):
                if cancelled():
                    raise Cancelled("Stopped.")
                for row in self._endpoint.select(
                    f"SELECT ?e ?p ?l WHERE {{ VALUES ?e {{ {' '.join(part)} }} {pattern} }}"
                ):
                    naming = row["p"] or self._ox.NamedNode(f"{_RDFS}label")
                    names[self._ox.Triple(row["e"], naming, row["l"])] = None
        return names

    def _build(
        self, topics: Sequence[str], facts: dict[ox.Triple, None], names: dict[ox.Triple, None]
    ) -> tuple[Snapshot, tuple[int, ...]]:
        """The facts as a snapshot, and the topics' ids in it."""
        from retrieval.kg import snapshot  # noqa: PLC0415 - loads numpy
        from retrieval.kg.readers.collecting import ProblemLog, combine  # noqa: PLC0415 - loads polars
        from retrieval.kg.readers.rdf import collect  # noqa: PLC0415 - loads polars

        if self._folder is None:
            raise EndpointError(f"{self.endpoint} was closed.", hint="Open it again.")
        log = ProblemLog(self.endpoint, lambda _: None)
        table = combine([collect([*facts, *names], log, "b")])
        built = snapshot.build(
            replace(table, sources=(self.endpoint,)), Path(tempfile.mkdtemp(dir=self._folder)) / "graph"
        )
        labels = {} if table.nodes is None else dict(table.nodes.select("iri", "label").iter_rows())
        ids = [built.find_entity(labels[iri]) for iri in topics if iri in labels]
        return built, tuple(entity for entity in ids if entity is not None)


def _check(options: SparqlOptions) -> None:
    for name, least, most in (
        ("timeout", 0.1, 600),
        ("hops", 1, 4),
        ("max_triples", 1, 100_000),
        ("per_entity", 1, 10_000),
    ):
        value = getattr(options, name)
        if not isinstance(value, (int, float)) or not least <= value <= most:
            raise ConfigError(f"{name} is {value}.", hint=f"It must be between {least} and {most}.")
    for language in options.languages:
        if not re.fullmatch(r"[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*", language):
            raise ConfigError(f"{language!r} is no language.", hint="Write en, de, pt-BR or their like.")


def _spellings(text: str) -> tuple[str, ...]:
    """A name as it stands in a question, with and without the stops around it, and as labels write it."""
    plain = text.strip(_PUNCTUATION)
    return tuple(
        dict.fromkeys((text.strip(_PUNCTUATION.replace(".", "")), plain, plain.title(), plain.capitalize()))
    )


def _batches(items: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    for first in range(0, len(items), size):
        yield items[first : first + size]
