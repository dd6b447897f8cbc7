"""Nodes of RDF that stand for a structure: collections are unrolled, statements about statements belong to their fact.

Which nameless node is one is only known when all of its file is read, so the rows of nameless nodes wait until then.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

Row = tuple[str, str, str]
"""Head, relation and tail: terms as :mod:`retrieval.kg.readers.rdf` spells them, the relation a plain IRI."""

_RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
REIFIES = f"{_RDF}reifies"
_FIRST, _REST, _TYPE, _NIL = f"{_RDF}first", f"{_RDF}rest", f"{_RDF}type", f"<{_RDF}nil"
_MEMBER = re.compile(rf"{re.escape(_RDF)}_(\d+)")
#: The three parts of a statement as RDF described one before it could be quoted.
_PARTS = tuple(f"{_RDF}{part}" for part in ("subject", "predicate", "object"))
_STRUCTURES = frozenset(f"<{_RDF}{name}" for name in ("List", "Bag", "Seq", "Alt", "Statement"))
#: Statements about statements, and nodes inside their values, that are followed into each other.
_DEPTH = 20


@dataclass(frozen=True, slots=True)
class StatementAnnotation:
    """A value that is said of a fact: ``keys`` are IRIs, several where it is said of what was said of the fact."""

    fact: Row
    keys: tuple[str, ...]
    value: str


class StructureRows:
    """Holds the rows of nodes that may stand for a structure."""

    def __init__(self) -> None:
        self._rows: list[Row] = []
        self._quoted: dict[str, list[Row]] = defaultdict(list)
        self._reifiers: set[str] = set()
        self._about: dict[str, list[tuple[str, str]]] = {}
        self._lists: dict[str, list[str]] = {}

    def add_reifier(self, reifier: str, fact: Row) -> None:
        """Take a statement that has a node for what is said of it."""
        self._quoted[reifier].append(fact)
        self._reifiers.add(reifier)

    def keep_if_structural(self, row: Row) -> bool:
        """Keep a row where it belongs, or may belong, to a structure; False where it is a plain fact."""
        head, relation, tail = row
        if relation in _PARTS:
            self._reifiers.add(head)
        held = head[0] == "_" or tail[0] == "_" or tail == _NIL or head in self._reifiers
        if held:
            self._rows.append(row)
        return held

    def extract_facts(self) -> tuple[list[Row], list[StatementAnnotation], set[str]]:
        """Return the facts among the held rows, what is said of facts, and the nodes that were structures only."""
        self._about = defaultdict(list)
        for head, relation, tail in self._rows:
            self._about[head].append((relation, tail))
        for node in self._reifiers:
            parts = [next((tail for relation, tail in self._about[node] if relation == part), "") for part in _PARTS]
            if all(parts) and parts[1][0] == "<":
                self._quoted[node].append((parts[0], parts[1][1:], parts[2]))
        self._lists = {
            node: members for node in self._about if node[0] == "_" and (members := self._list_items(node)) is not None
        }
        consumed = {*self._quoted, *self._lists}
        annotations = [
            StatementAnnotation(fact, keys, value)
            for node in self._quoted
            for base, before in self._iter_facts(node, _DEPTH)
            for fact in self._expand_row(base)
            for keys, value in self._iter_values(node, consumed, _DEPTH)
            for keys in [(*before, *keys)]
        ]
        facts = [
            fact
            for row in self._rows
            if row[0] not in consumed or (row[0] in self._lists and not self._is_structural(row))
            for fact in self._expand_row(row)
            if fact[2] not in consumed
        ]
        return facts, annotations, consumed

    def _is_structural(self, row: Row) -> bool:
        _, relation, tail = row
        is_member = relation in (_FIRST, _REST) or _MEMBER.fullmatch(relation) is not None
        return is_member or (relation == _TYPE and tail in _STRUCTURES)

    def _list_items(self, node: str) -> list[str] | None:
        """The members of a list or container in their order; None of other nodes."""
        statements = self._about[node]
        numbered = [(int(match[1]), tail) for relation, tail in statements if (match := _MEMBER.fullmatch(relation))]
        if numbered:
            return [tail for _, tail in sorted(numbered)]
        if not any(relation == _FIRST for relation, _ in statements):
            return None
        items, seen = [], set[str]()
        while node and node not in seen:
            seen.add(node)
            parts = dict(self._about.get(node, ()))
            items += [parts[_FIRST]] if _FIRST in parts else []
            node = parts.get(_REST, "")
        return items

    def _iter_members(self, term: str, above: tuple[str, ...] = ()) -> Iterator[str]:
        """What a term stands for: the members of a list, those of lists in it too, each once; else itself."""
        if term in above or term == _NIL:
            return
        if term not in self._lists:
            yield term
            return
        for item in dict.fromkeys(self._lists[term]):
            yield from self._iter_members(item, (*above, term))

    def _expand_row(self, row: Row) -> Iterator[Row]:
        heads, tails = dict.fromkeys(self._iter_members(row[0])), dict.fromkeys(self._iter_members(row[2]))
        for head, tail in product(heads, tails):
            yield head, row[1], tail

    def _iter_facts(self, node: str, depth: int) -> Iterator[tuple[Row, tuple[str, ...]]]:
        """The facts that a reifier is about, each with the keys of what it is about, where that is said of the fact."""
        for head, relation, tail in self._quoted[node] if depth else ():
            if head not in self._quoted:
                yield (head, relation, tail), ()
            else:
                yield from ((fact, (*keys, relation)) for fact, keys in self._iter_facts(head, depth - 1))

    def _iter_values(self, node: str, consumed: set[str], depth: int) -> Iterator[tuple[tuple[str, ...], str]]:
        """What is said of a node, with its keys; what is said of nameless nodes in it under both keys."""
        for relation, tail in self._about.get(node, ()) if depth else ():
            if relation in _PARTS or (relation == _TYPE and tail in _STRUCTURES):
                continue
            for value in self._iter_members(tail):
                if value[0] != "_":
                    yield (relation,), value
                elif value not in self._quoted:
                    consumed.add(value)
                    for keys, inner in self._iter_values(value, consumed, depth - 1):
                        yield (relation, *keys), inner
