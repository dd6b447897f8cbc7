"""A graph that stays in a SPARQL 1.1 endpoint: names are looked up there, and what is near them is pulled on demand.

What is pulled becomes a snapshot like any other, of some thousand facts, kept in a temporary directory as long as the
graph is open; every engine can be asked of it.
"""

from __future__ import annotations

import re
import shutil
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from retrieval.errors import ConfigError, EmptySourceError, EndpointError, QuestionError, UnknownEntityError
from retrieval.kg.endpoint import Endpoint
from retrieval.kg.pulls import Pulls, Subgraph

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
_IRI = re.compile(r"(https?|urn):\S+$")
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
class Candidate:
    """An entity of a name.

    Attributes:
        iri: its.
        facts: how many it has; up to 200 in each direction are counted, None when they were not.
    """

    iri: str
    facts: int | None


@dataclass(frozen=True, slots=True)
class Probe:
    """What a trial query found: whether anything has a name in the languages asked for, and how long it took."""

    named: bool
    took_ms: float


class SparqlGraph:
    """An endpoint opened for asking. Use as a context, or call :meth:`close`.

    Args:
        endpoint: its address, http or https.
        options: see :class:`SparqlOptions`.
        cancelled: asked while an answer is waited for; every method then raises ``Cancelled``.
        pulls: where subgraphs are kept; None keeps them until this graph is closed.

    Raises:
        ConfigError: the address or an option makes no sense.
    """

    def __init__(
        self,
        endpoint: str,
        options: SparqlOptions | None = None,
        *,
        cancelled: Callable[[], bool] = lambda: False,
        pulls: Pulls | None = None,
    ) -> None:
        import pyoxigraph  # noqa: PLC0415 - the web process imports this module

        self.endpoint, self.options = endpoint, options or SparqlOptions()
        _check(self.options)
        self._endpoint = Endpoint(
            endpoint, timeout=self.options.timeout, graph=self.options.graph, cancelled=cancelled
        )
        self._ox = pyoxigraph
        self._own, self._pulls = pulls is None, pulls or Pulls()
        self._closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ask no more. What it kept itself goes as soon as nobody holds it."""
        self._closed = True
        if self._own:
            self._pulls.clear()

    def probe(self) -> Probe:
        """Ask for one fact, and for one name in the languages of the options.

        Raises:
            EmptySourceError: there are no facts.
            EndpointError: see :meth:`retrieval.kg.endpoint.Endpoint.select`.
        """
        began = time.perf_counter()
        if not list(self._endpoint.select("SELECT ?s ?p ?o WHERE { ?s ?p ?o } LIMIT 1")):
            where = f" in the graph {self.options.graph}" if self.options.graph else ""
            raise EmptySourceError(
                f"{self.endpoint} answers, and has no facts{where}.",
                hint="Check the name of the graph; an endpoint without a default graph needs one."
                if self.options.graph
                else "Name the graph that holds them, if they are in a named one.",
            )
        names = self._endpoint.select(
            f"SELECT ?l WHERE {{ VALUES ?p {{ {_NAMING} }} ?e ?p ?l . {self._spoken('?l')} }} LIMIT 1"
        )
        named = bool(list(names))
        return Probe(named, round((time.perf_counter() - began) * 1000, 1))

    def find(self, names: Iterable[str]) -> dict[str, str]:
        """The entity of each name that has one: its IRI. Of several, the one of most facts (up to 200 are counted).

        A name is a label, preferred label or alternative label, spelt as it is there; an IRI means itself.

        Raises:
            EndpointError: see :meth:`retrieval.kg.endpoint.Endpoint.select`.
        """
        wanted = list(dict.fromkeys(name.strip() for name in names if name.strip()))
        found = {name: name for name in wanted if _IRI.match(name)}
        for name, candidates in self.candidates(name for name in wanted if name not in found).items():
            found[name] = candidates[0].iri
        return found

    def candidates(self, names: Iterable[str]) -> dict[str, list[Candidate]]:
        """The entities of each name that has some; of several, which are counted, those of most facts first.

        A name is one as for :meth:`find`, and no IRI.

        Raises:
            EndpointError: see :meth:`retrieval.kg.endpoint.Endpoint.select`.
        """
        found: dict[str, dict[str, None]] = {}
        for part in _batches(list(dict.fromkeys(names)), _NAMES_OF):
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
                found.setdefault(row["label"].value, {})[row["e"].value] = None
        sizes = self._sizes(sorted({iri for iris in found.values() if len(iris) > 1 for iri in iris}))
        return {
            name: _most_facts_first(Candidate(iri, sizes.get(iri)) for iri in iris)
            for name, iris in found.items()
        }

    def search(self, text: str) -> list[Candidate]:
        """The entities of a name as somebody types it, also with capital letters; an IRI is itself, if it has facts.

        Raises:
            EndpointError: see :meth:`retrieval.kg.endpoint.Endpoint.select`.
        """
        name = text.strip()
        if _IRI.match(name):
            sizes = self._sizes([name]) if _is_iri(self._ox, name) else {}
            return [Candidate(name, sizes[name])] if sizes.get(name) else []
        found = self.candidates(_spellings(name)) if name else {}
        every = {one.iri: one for each in found.values() for one in each}
        return _most_facts_first(every.values())

    def names(self, iris: Iterable[str]) -> dict[str, str]:
        """What entities are called, each in the best of the languages; those without a name are left out.

        Raises:
            EndpointError: see :meth:`retrieval.kg.endpoint.Endpoint.select`.
        """
        order = {language: n for n, language in enumerate(self.options.languages)}
        best: dict[str, tuple[int, str]] = {}
        terms = [str(self._ox.NamedNode(iri)) for iri in dict.fromkeys(iris)]
        for fact in self._named(terms, self._own_names()):
            entity, name = fact.subject.value, fact.object
            offer = -1 if name.language is None else order.get(name.language, len(order)), name.value
            best[entity] = min(offer, best.get(entity, offer))
        return {iri: name for iri, (_, name) in best.items()}

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

    def subgraph(self, topics: Sequence[str]) -> Subgraph:
        """What lies near the topics, pulled now or lately.

        Args:
            topics: IRIs.

        Raises:
            UnknownEntityError: the endpoint knows nothing of any topic.
            EndpointError: see :meth:`retrieval.kg.endpoint.Endpoint.select`.
            Cancelled: it was.
        """
        if self._closed:
            raise EndpointError(f"{self.endpoint} was closed.", hint="Open it again.")
        key = tuple(sorted(set(topics)))
        kept = self._pulls.get((self.endpoint, self.options, key))
        if kept is not None:
            return kept
        before, at = self._endpoint.queries, datetime.now(UTC)
        facts, truncated = self._pull(key)
        if not facts:
            raise UnknownEntityError(
                f"{self.endpoint} knows no facts of {', '.join(key) or 'nothing'}.",
                hint="Check the IRI, or name another entity.",
            )
        names = self._names(facts)
        snapshot, ids = self._build(key, facts, names)
        asked = self._endpoint.queries - before
        found = Subgraph(snapshot, ids, truncated, asked, at.isoformat(timespec="seconds"))
        self._pulls.keep((self.endpoint, self.options, key), found)
        return found

    def _sizes(self, iris: Sequence[str]) -> dict[str, int]:
        """How many facts entities have, up to ``_RANKED`` in each direction."""
        sizes: dict[str, int] = {}
        for part in _batches(iris, _FACTS_OF):
            for row in self._endpoint.select(self._facts_query(part, _RANKED)):
                for end in ("s", "o"):
                    term = row[end]
                    if isinstance(term, self._ox.NamedNode) and term.value in part:
                        sizes[term.value] = sizes.get(term.value, 0) + 1
        return sizes

    def _facts_query(self, iris: Iterable[str], limit: int) -> str:
        """The facts of entities in both directions, each entity's own share of them."""
        kept = self._spoken("?o", "!isLiteral(?o) || ")
        parts = []
        for iri in iris:
            term = str(self._ox.NamedNode(iri))
            parts += [
                f"{{ SELECT ?s ?p ?o WHERE {{ VALUES ?s {{ {term} }} ?s ?p ?o . {kept} }} LIMIT {limit} }}",
                f"{{ SELECT ?s ?p ?o WHERE {{ VALUES ?o {{ {term} }} ?s ?p ?o }} LIMIT {limit} }}",
            ]
        return f"SELECT ?s ?p ?o WHERE {{ {' UNION '.join(parts)} }}"

    def _spoken(self, variable: str, unless: str = "") -> str:
        """A filter that lets literals through that have no language, or one that is asked for."""
        tongues = "".join(f' || langMatches(lang({variable}), "{it}")' for it in self.options.languages)
        plain = f'isLiteral({variable}) && (lang({variable}) = ""{tongues})'
        return f"FILTER({unless}({plain}))"

    def _pull(self, topics: Sequence[str]) -> tuple[dict[ox.Triple, None], bool]:
        """Facts within the hops, nearest first, and whether a limit cut some off."""
        facts: dict[ox.Triple, None] = {}
        seen, front = set(topics), list(topics)
        truncated, limit = False, 5 * self.options.per_entity
        for _ in range(self.options.hops):
            reached: dict[str, None] = {}
            for part in _batches(front, _FACTS_OF):
                shares: dict[tuple[str, str], int] = {}
                for row in self._endpoint.select(self._facts_query(part, limit + 1)):
                    if any(self._over(row[end], end, shares, part, limit) for end in ("s", "o")):
                        truncated = True
                        continue
                    if len(facts) >= self.options.max_triples:
                        return facts, True
                    facts[self._ox.Triple(self._own_term(row["s"]), row["p"], self._own_term(row["o"]))] = (
                        None
                    )
                    for end in ("s", "o"):
                        if isinstance(row[end], self._ox.NamedNode):
                            reached[row[end].value] = None
            front = sorted(reached.keys() - seen)
            seen.update(front)
            limit = self.options.per_entity
        return facts, truncated

    def _own_term(self, term: Any) -> Any:
        """A term of the last answer. A blank node's name is that answer's own: the next may mean another by it."""
        if isinstance(term, self._ox.BlankNode):
            return self._ox.BlankNode(f"{term.value}q{self._endpoint.queries}")
        return term

    def _over(
        self, term: Any, end: str, shares: dict[tuple[str, str], int], asked: Sequence[str], limit: int
    ) -> bool:
        """Whether an entity that was asked about has given its share already in this direction."""
        if not isinstance(term, self._ox.NamedNode) or term.value not in asked:
            return False
        count = shares[term.value, end] = shares.get((term.value, end), 0) + 1
        return count > limit

    def _names(self, facts: Iterable[ox.Triple]) -> dict[ox.Triple, None]:
        """What names the entities and relations of the facts."""
        ends = {
            str(term) for f in facts for term in (f.subject, f.object) if isinstance(term, self._ox.NamedNode)
        }
        relations = {str(fact.predicate) for fact in facts}
        own = self._own_names()
        claimed = f"{{ {own} }} UNION {{ ?q <{_CLAIM}> ?e ; <{_RDFS}label> ?l . {self._spoken('?l')} }}"
        every = [*self._named(sorted(ends), own), *self._named(sorted(relations - ends), claimed)]
        return dict.fromkeys(every)

    def _own_names(self) -> str:
        return f"VALUES ?p {{ {_NAMING} }} ?e ?p ?l . {self._spoken('?l')}"

    def _named(self, terms: Sequence[str], pattern: str) -> Iterator[Any]:
        """The naming facts that a pattern finds of terms."""
        for part in _batches(terms, _NAMES_OF):
            for row in self._endpoint.select(
                f"SELECT ?e ?p ?l WHERE {{ VALUES ?e {{ {' '.join(part)} }} {pattern} }}"
            ):
                naming = row["p"] or self._ox.NamedNode(f"{_RDFS}label")
                yield self._ox.Triple(row["e"], naming, row["l"])

    def _build(
        self, topics: Sequence[str], facts: dict[ox.Triple, None], names: dict[ox.Triple, None]
    ) -> tuple[Snapshot, tuple[int, ...]]:
        """The facts as a snapshot, and the topics' ids in it."""
        from retrieval.kg import snapshot  # noqa: PLC0415 - loads numpy
        from retrieval.kg.readers.collecting import ProblemLog, combine  # noqa: PLC0415 - loads polars
        from retrieval.kg.readers.rdf import collect  # noqa: PLC0415 - loads polars

        log = ProblemLog(self.endpoint, lambda _: None)
        table = combine([collect([*facts, *names], log, "b")])
        place = self._pulls.place()
        try:
            built = snapshot.build(replace(table, sources=(self.endpoint,)), place / "graph")
        except BaseException:
            shutil.rmtree(place, ignore_errors=True)
            raise
        weakref.finalize(built, shutil.rmtree, place, ignore_errors=True)
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


def _most_facts_first(candidates: Iterable[Candidate]) -> list[Candidate]:
    return sorted(candidates, key=lambda one: (-(one.facts or 0), one.iri))


def _is_iri(ox: Any, text: str) -> bool:
    """Whether a text is an IRI that a query can name."""
    try:
        ox.NamedNode(text)
    except ValueError:
        return False
    return True


def _batches(items: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    for first in range(0, len(items), size):
        yield items[first : first + size]
