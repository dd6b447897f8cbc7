"""Tables that name rows of each other by number or code: a ``department_id`` of 3 is the department whose ``id`` is 3.

Databases are exported so, and people keep sheets so: a file for each table. A row is called by its name, not by its
number, so what refers to it by number is said of the name instead, under the heading without its "id". Codes with
letters (``D2``, ``JH``) say by themselves whose they are, whatever the headings are; numbers do not.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Protocol

from retrieval.kg.readers.headings import CODES
from retrieval.lexicon import get_words

#: The property that says what a node is.
_TYPE = "type"
#: What headings of numbers of rows end in.
_NUMBERING = ("id", "code", "no", "number")
_NUMBERING_SAID = frozenset(_NUMBERING)
#: The share of a column's values that must be numbers of rows.
_KNOWN = 0.9
#: A code: what has a digit or is all capitals and hyphens, without a space; and the fewest that tell whose they are.
_CODE = re.compile(r"(?=.*[A-Za-z])(?:(?=.*\d)[\w./#-]{2,16}|[A-Z][A-Z./#-]{0,10}[A-Z])")
_FEWEST = 2
#: Letters of what is short for a kind: ``cust_no`` of a customer.
_SHORT = 3
#: Headings of the column of a list of codes that says which column of other tables has them.
_FIELDS = get_words("code_list_field_headings")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
#: Who or what of the same table is meant: the manager of an employee is one.
_FELLOWS = get_words("fellow_headings")
#: What words for who does something, or whom something is done to, end in.
_DOERS = ("er", "or", "ee", "ent", "ist", "ian")
#: What rows that do something are called.
_SOMEBODY = get_words("party_table_nouns")

Attribute = tuple[str, str, str]
#: What the relation to a row is called, and rows by what they are referred to by.
_Way = tuple[str, Mapping[str, str]]


class ReferenceRows(Protocol):
    """What one file says of nodes and edges, see :class:`~retrieval.kg.readers.property_rows.PropertyRows`."""

    nodes: dict[str, str]
    node_attributes: list[Attribute]
    edges: list[tuple[str, str, str, int]]


def resolve_attributes(files: Sequence[ReferenceRows], labels: Mapping[str, str]) -> list[Attribute]:
    """The attributes of all nodes, (label, key, value), with the rows' labels for numbers that refer to them.

    Args:
        files: nodes and what is said of them.
        labels: of all nodes.
    """
    tables = [_Table(rows) for rows in files]
    by_kind: dict[str, _Table] = {}
    for table in tables:
        for kind in table.kinds:
            by_kind.setdefault(kind, table)
    attributes: list[Attribute] = []
    for table in tables:
        ways = {
            key: way for key in table.columns
            if (way := table.find_by_list(key, tables) or table.find_reference(key, by_kind)
                or table.find_by_code(key, tables) or table.find_alike(key, tables))
        }  # fmt: skip
        ways |= table.find_roles(by_kind, ways)
        for node, key, value in table.said:
            name, rows = ways.get(key, (key, {}))
            known = rows.get(value)
            attributes.append((labels[node], key, value) if known is None else (labels[node], name, labels[known]))
    return attributes


def map_row_numbers(files: Sequence[ReferenceRows]) -> dict[str, str]:
    """Rows of tables by their numbers, those that only one row has: edges may name them so."""
    by_number: dict[str, str] = {}
    twice: set[str] = set()
    for table in map(_Table, files):
        for number, node in table.ids.items():
            if by_number.setdefault(number, node) != node:
                twice.add(number)
    return {number: node for number, node in by_number.items() if number not in twice}


class _Table:
    """What one file says of its rows; ``ids`` are rows by number, empty where it is no table or has none, and ``codes``
    rows by code for each column that has another code for each row.
    """

    def __init__(self, rows: ReferenceRows) -> None:
        self.rows = rows
        self.columns: dict[str, list[str]] = defaultdict(list)
        self.kinds: set[str] = set()
        self.ids: dict[str, str] = {}
        self.own = ""
        self.codes: dict[str, dict[str, str]] = {}
        if rows.edges or any(key != name for key, name in rows.nodes.items()):
            return  # nodes of a property graph have ids, and edges between them
        for _, key, value in rows.node_attributes:
            if key == _TYPE:
                self.kinds.add(value.casefold())
            else:
                self.columns[key].append(value)
        called = self.kinds | {kind.split()[-1] for kind in self.kinds}
        called |= {kind[:length] for kind in called for length in range(_SHORT, len(kind))}
        headings = [heading for end in _NUMBERING for heading in (end, *(f"{kind} {end}" for kind in sorted(called)))]
        headings += sorted(self.kinds)
        self.own = next((key for heading in headings for key in self.columns if _split_words(key) == heading), "")
        values = self.columns.get(self.own, [])
        if values and len(set(values)) == len(values) == len(rows.nodes):
            self.ids = {value: node for node, key, value in rows.node_attributes if key == self.own}
        coded = {key for key, values in self.columns.items() if _is_code_column(values, len(rows.nodes))}
        for node, key, value in rows.node_attributes:
            if key in coded:
                self.codes.setdefault(key, {})[value] = node

    @property
    def called(self) -> dict[str, str]:
        """Rows by what they are called, of a table that has nothing but codes to call them."""
        nodes = self.rows.nodes if self.kinds else {}
        return {node: node for node in nodes} if all(map(_CODE.fullmatch, nodes)) else {}

    @cached_property
    def listed(self) -> dict[str, dict[str, str]]:
        """Of a list of what codes mean, ``field,code,meaning``, the rows of each field by code, in lower case."""
        keys = [key for key in self.columns if key != _TYPE]
        field = next((key for key in keys if _split_words(key) in _FIELDS), None)
        code = next((key for key in keys if set(_split_words(key).split()) & CODES and key != field), None)
        if field is None or code is None or len(keys) != len({field, code}):
            return {}
        rows: dict[str, dict[str, str]] = defaultdict(dict)
        for node, key, value in self.rows.node_attributes:
            rows[node][key] = value
        by_field: dict[str, dict[str, str]] = defaultdict(dict)
        for node, row in rows.items():
            if field in row and code in row:
                by_field[_split_words(row[field])][row[code].casefold()] = node
        return by_field

    @property
    def said(self) -> Iterator[Attribute]:
        """What is said of the rows; what a list explains codes of is of the kind of its field: weather, driver."""
        fields = [key for key in self.columns if _split_words(key) in _FIELDS] if self.listed else []
        for node, key, value in self.rows.node_attributes:
            if not fields or key != _TYPE:
                yield node, _TYPE if key in fields else key, value

    def find_by_list(self, key: str, tables: Sequence[_Table]) -> _Way | None:
        """What a column refers to whose values a list of another file explains, in its rows for that column."""
        for table in tables:
            known = table.listed.get(_split_words(key), {}) if table is not self else {}
            rows = {value: known[value.casefold()] for value in self.columns[key] if value.casefold() in known}
            if rows and sum(value in rows for value in self.columns[key]) >= _KNOWN * len(self.columns[key]):
                return key, rows
        return None

    def find_reference(self, key: str, tables: Mapping[str, _Table]) -> _Way | None:
        """What a column refers to, and what the relation to it is called; None where its values are what they are."""
        words = _split_words(key)
        role, _, numbering = words.rpartition(" ")
        if numbering not in _NUMBERING and words in tables:
            role, numbering = words, _NUMBERING[0]  # a customer of 221
        if key == self.own or not role or numbering not in _NUMBERING:
            return None
        last = next((kind for kind in tables if role == kind or role.endswith(f" {kind}")), None)
        table = self if last is None and role in _FELLOWS else tables.get(last or "")
        values = self.columns[key]
        rows = {} if table is None else table.ids or table.called
        if not rows or sum(value in rows for value in values) < _KNOWN * len(values):
            return None
        return role, rows

    def find_by_code(self, key: str, tables: Sequence[_Table]) -> _Way | None:
        """The same where the values are codes of the rows of another table, and of no other."""
        values = self.columns[key]
        distinct = {value for value in values if _CODE.fullmatch(value)}
        if len(distinct) < _FEWEST:
            return None
        # Where each row has another code, too, the table that has more of them is the one that gives them out.
        matches = [
            codes
            for table in tables
            for codes in (table.codes.values() if table is not self else ())
            if sum(value in codes for value in values) >= _KNOWN * len(values)
            and (key not in self.codes or len(codes) > len(distinct))
        ]
        role, _, numbering = key.rpartition(" ")
        name = role if role and numbering.casefold() in _NUMBERING else key
        return (name, matches[0]) if len(matches) == 1 else None

    def find_alike(self, key: str, tables: Sequence[_Table]) -> _Way | None:
        """The same where the heading is that of what numbers the rows of one other table, and of several rows here:
        ``code`` of both, ``Gyle`` of what was brewed under a ``Gyle no.``.
        """
        values, role = self.columns[key], _get_role(key)
        if not role or len(set(values)) == len(values):
            return None
        matches = [
            (table, title) for table in tables
            if table is not self and table.kinds
            for title, theirs in table.columns.items()
            if _get_role(title) == role and _NUMBERING_SAID.intersection((_split_words(title).split()[-1],
            _split_words(key).split()[-1]))
            and len(set(theirs)) == len(theirs) == len(table.rows.nodes)
            and sum(value in set(theirs) for value in values) >= _KNOWN * len(values)
        ]  # fmt: skip
        if len(matches) != 1:
            return None
        table, heading = matches[0]
        rows = {value: node for node, title, value in table.rows.node_attributes if title == heading}
        plain = role in _NUMBERING
        return min(table.kinds, key=lambda kind: (len(kind), kind)) if plain else role, rows

    def find_roles(self, tables: Mapping[str, _Table], known: Mapping[str, _Way]) -> dict[str, _Way]:
        """Columns of who did something, and the table of who they are: a ``buyer_id`` of an order is a customer's.

        That table is the only one of people or firms that no other column refers to and that has a row for each number.
        """
        by_column: dict[str, _Way] = {}
        taken = {id(rows) for _, rows in known.values()}
        left = {
            id(table): table for table in tables.values()
            if table is not self and id(table.ids) not in taken and table.kinds & _SOMEBODY
        }  # fmt: skip
        for key in self.columns.keys() - known.keys() - {self.own}:
            role = _split_words(key).removesuffix(" id")
            if not _split_words(key).endswith(" id") or not role.endswith(_DOERS):
                continue
            complete = [table for table in left.values() if set(self.columns[key]) <= table.ids.keys()]
            if len(complete) == 1:
                by_column[key] = role, complete[0].ids
        return by_column


def _is_code_column(values: Sequence[str], rows: int) -> bool:
    """Whether a column has another code for each of so many rows."""
    apart = len(values) == len(set(values)) == rows >= _FEWEST
    return apart and all(_CODE.fullmatch(value) for value in values)


def _get_role(heading: str) -> str:
    """A heading without the word that says that it numbers something, where it has another."""
    words = _split_words(heading).split()
    return " ".join(words[:-1] if len(words) > 1 and words[-1] in _NUMBERING else words)


def _split_words(heading: str) -> str:
    """``departmentId``, ``department_id`` and ``Department ID`` alike: ``department id``."""
    return " ".join(word.casefold() for word in _WORD.findall(heading))
