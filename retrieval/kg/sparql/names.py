"""Looking names up in a SPARQL endpoint: the entities of a name, the names of entities, the names in a question."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from retrieval.errors import QuestionError
from retrieval.kg.sparql.endpoint import ResultColumn
from retrieval.lexicon import get_words

if TYPE_CHECKING:
    from retrieval.kg.sparql.endpoint import Endpoint
    from retrieval.kg.sparql.options import SparqlOptions

RDFS = "http://www.w3.org/2000/01/rdf-schema#"
_SKOS = "http://www.w3.org/2004/02/skos/core#"
NAMING = f"<{RDFS}label> <{_SKOS}prefLabel>"
_FINDING = f"{NAMING} <{_SKOS}altLabel>"
#: Entities asked about in one query: their facts, and their names.
FACTS_OF, NAMES_OF = 20, 200
#: Words of a name that is looked for in a question, and facts by which entities of one name are compared.
_WORDS, _RANKED = 6, 200
_IRI = re.compile(r"(https?|urn):\S+$")
_PUNCTUATION = "?,.!;:\"'()"
_COMMON = get_words("passage_stop_words")


@dataclass(frozen=True, slots=True)
class NameCandidate:
    """An entity of a name.

    Attributes:
        facts: how many it has; up to 200 in each direction are counted, None when they were not.
    """

    iri: str
    facts: int | None


class EntityNaming:
    """What an opened endpoint can be asked about names; :class:`retrieval.kg.sparql.graph.SparqlGraph` is one."""

    options: SparqlOptions
    _endpoint: Endpoint
    _ox: Any

    def find(self, names: Iterable[str]) -> dict[str, str]:
        """The entity of each name that has one: its IRI. Of several, the one of most facts (up to 200 are counted).

        A name is a label, preferred label or alternative label, spelt as it is there; an IRI means itself.

        Raises:
            EndpointError: see :meth:`retrieval.kg.sparql.endpoint.Endpoint.select`.
        """
        wanted = list(dict.fromkeys(name.strip() for name in names if name.strip()))
        by_name = {name: name for name in wanted if _is_iri(self._ox, name)}
        for name, candidates in self.find_candidates(name for name in wanted if name not in by_name).items():
            by_name[name] = candidates[0].iri
        return by_name

    def find_candidates(self, names: Iterable[str]) -> dict[str, list[NameCandidate]]:
        """The entities of each name that has some; of several, which are counted, those of most facts first.

        A name is one as for :meth:`find`, and no IRI.

        Raises:
            EndpointError: see :meth:`retrieval.kg.sparql.endpoint.Endpoint.select`.
        """
        by_name: dict[str, dict[str, None]] = {}
        for part in split_batches(list(dict.fromkeys(names)), NAMES_OF):
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
            for row in self._endpoint.select(query, label=ResultColumn.LITERAL, e=ResultColumn.IRI):
                self._endpoint.require_among([row["label"].value], part)
                by_name.setdefault(row["label"].value, {})[row["e"].value] = None
        sizes = self._count_facts(sorted({iri for iris in by_name.values() if len(iris) > 1 for iri in iris}))
        return {
            name: _sort_by_facts(NameCandidate(iri, sizes.get(iri)) for iri in iris) for name, iris in by_name.items()
        }

    def search(self, text: str) -> list[NameCandidate]:
        """The entities of a name as somebody types it, also with capital letters; an IRI is itself, if it has facts.

        Raises:
            EndpointError: see :meth:`retrieval.kg.sparql.endpoint.Endpoint.select`.
        """
        name = text.strip()
        if _is_iri(self._ox, name):
            sizes = self._count_facts([name])
            return [NameCandidate(name, sizes[name])] if sizes.get(name) else []
        by_name = self.find_candidates(_list_spellings(name)) if name else {}
        every = {candidate.iri: candidate for each in by_name.values() for candidate in each}
        return _sort_by_facts(every.values())

    def get_names(self, iris: Iterable[str]) -> dict[str, str]:
        """What entities are called, each in the best of the languages; those without a name are left out.

        Raises:
            EndpointError: see :meth:`retrieval.kg.sparql.endpoint.Endpoint.select`.
        """
        order = {language: n for n, language in enumerate(self.options.languages)}
        best: dict[str, tuple[int, str]] = {}
        terms = [str(self._ox.NamedNode(iri)) for iri in dict.fromkeys(iris)]
        for fact in self._select_names(terms, self._write_name_pattern()):
            entity, name = fact.subject.value, fact.object
            offer = -1 if name.language is None else order.get(name.language, len(order)), name.value
            best[entity] = min(offer, best.get(entity, offer))
        return {iri: name for iri, (_, name) in best.items()}

    def link(self, question: str) -> dict[str, str]:
        """The entities that a question names, by the words that name them: longest names first, none within another.

        Raises:
            QuestionError: the question is empty.
            EndpointError: see :meth:`retrieval.kg.sparql.endpoint.Endpoint.select`.
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
        spelt = {span: _list_spellings(" ".join(words[span[0] : span[1]])) for span in spans}
        by_name = self.find(name for names in spelt.values() for name in names)
        hits = {
            span: next(by_name[name] for name in names if name in by_name)
            for span, names in spelt.items()
            if any(name in by_name for name in names)
        }
        taken: set[int] = set()
        chosen: dict[str, str] = {}
        for first, last in sorted(hits, key=lambda span: (span[0] - span[1], span)):
            if taken.isdisjoint(range(first, last)):
                taken.update(range(first, last))
                chosen[" ".join(words[first:last]).strip(_PUNCTUATION)] = hits[first, last]
        specific = {text: iri for text, iri in chosen.items() if " " in text or not text.islower()}
        return specific or chosen

    def _count_facts(self, iris: Sequence[str]) -> dict[str, int]:
        """How many facts entities have, up to ``_RANKED`` in each direction."""
        sizes: dict[str, int] = {}
        for part in split_batches(iris, FACTS_OF):
            for row in self._select_facts(part, _RANKED):
                for end in ("s", "o"):
                    term = row[end]
                    if isinstance(term, self._ox.NamedNode) and term.value in part:
                        sizes[term.value] = sizes.get(term.value, 0) + 1
        return sizes

    def _select_facts(self, iris: Sequence[str], limit: int) -> Iterator[Any]:
        """The rows of the facts of entities in both directions."""
        rows = self._endpoint.select(
            self._write_facts_query(iris, limit), s=ResultColumn.TERM, p=ResultColumn.IRI, o=ResultColumn.TERM
        )
        for row in rows:
            self._endpoint.require_among((row["s"].value, row["o"].value), iris)
            yield row

    def _write_facts_query(self, iris: Iterable[str], limit: int) -> str:
        """The facts of entities in both directions, each entity's own share of them."""
        kept = self._write_language_filter("?o", "!isLiteral(?o) || ")
        parts = []
        for iri in iris:
            term = str(self._ox.NamedNode(iri))
            parts += [
                f"{{ SELECT ?s ?p ?o WHERE {{ VALUES ?s {{ {term} }} ?s ?p ?o . {kept} }} LIMIT {limit} }}",
                f"{{ SELECT ?s ?p ?o WHERE {{ VALUES ?o {{ {term} }} ?s ?p ?o }} LIMIT {limit} }}",
            ]
        return f"SELECT ?s ?p ?o WHERE {{ {' UNION '.join(parts)} }}"

    def _write_language_filter(self, variable: str, unless: str = "") -> str:
        """A filter that lets literals through that have no language, or one that is asked for."""
        tongues = "".join(f' || langMatches(lang({variable}), "{it}")' for it in self.options.languages)
        plain = f'isLiteral({variable}) && (lang({variable}) = ""{tongues})'
        return f"FILTER({unless}({plain}))"

    def _write_name_pattern(self) -> str:
        return f"VALUES ?p {{ {NAMING} }} ?e ?p ?l . {self._write_language_filter('?l')}"

    def _select_names(self, terms: Sequence[str], pattern: str) -> Iterator[Any]:
        """The naming facts that a pattern finds of terms."""
        for part in split_batches(terms, NAMES_OF):
            for row in self._endpoint.select(
                f"SELECT ?e ?p ?l WHERE {{ VALUES ?e {{ {' '.join(part)} }} {pattern} }}",
                e=ResultColumn.IRI, p=ResultColumn.MAYBE_IRI, l=ResultColumn.LITERAL,
            ):  # fmt: skip
                self._endpoint.require_among([str(row["e"])], part)
                naming = row["p"] or self._ox.NamedNode(f"{RDFS}label")
                yield self._ox.Triple(row["e"], naming, row["l"])


def _list_spellings(text: str) -> tuple[str, ...]:
    """A name as it stands in a question, with and without the stops around it, and as labels write it."""
    plain = text.strip(_PUNCTUATION)
    return tuple(dict.fromkeys((text.strip(_PUNCTUATION.replace(".", "")), plain, plain.title(), plain.capitalize())))


def _sort_by_facts(candidates: Iterable[NameCandidate]) -> list[NameCandidate]:
    return sorted(candidates, key=lambda candidate: (-(candidate.facts or 0), candidate.iri))


def _is_iri(ox: Any, text: str) -> bool:
    """Whether a text is an IRI that a query can name."""
    try:
        return _IRI.match(text) is not None and ox.NamedNode(text) is not None
    except ValueError:
        return False


def split_batches(items: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    """The items, ``size`` at a time."""
    for first in range(0, len(items), size):
        yield items[first : first + size]
