"""Clauses of Cypher that make nodes and relationships: CREATE, MERGE, MATCH of known nodes, and SET. Nothing is run.

A statement is read clause by clause up to the first that is not read; what comes after it may depend on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from retrieval.kg.readers.cypher_graph import CypherGraph, CypherNode, CypherRelationship, Properties
from retrieval.kg.readers.cypher_tokens import Token

#: Functions that spell a value as a string.
_TEMPORAL = frozenset({"date", "datetime", "duration", "localdatetime", "localtime", "time"})
_CONSTANTS = {"true": True, "false": False, "null": None}


class CypherError(Exception):
    """Why a clause is not read; ``line`` is where."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


class StatementParser:
    """Reads one statement into a graph.

    Args:
        tokens: of the statement, at least one.
        graph: takes nodes and relationships.
    """

    def __init__(self, tokens: Sequence[Token], graph: CypherGraph) -> None:
        self._tokens, self._graph, self._position = tokens, graph, 0
        self._variables: dict[str, CypherNode] = {}
        self._relationships: dict[str, CypherRelationship] = {}

    def read(self) -> None:
        """Read all clauses.

        Raises:
            CypherError: a clause is not read; those before it are.
        """
        while self._position < len(self._tokens):
            first = self._tokens[self._position]
            word = first.text.lower() if first.kind == "word" else ""
            if self._is_schema(word) or word in ("return", "finish"):
                return
            self._position += 1
            match word:
                case "create":
                    self._read_patterns(is_merge=False)
                case "merge":
                    self._read_merge()
                case "match":
                    self._read_match()
                case "set":
                    self._read_set(is_kept=True)
                case _:
                    raise CypherError(f"{first.text[:40].upper() or 'what stands here'} is not read", first.line)

    def _is_schema(self, word: str) -> bool:
        """Whether a clause makes or drops a constraint, an index or the like, and no data."""
        after = [token.text for token in self._tokens[self._position + 1 : self._position + 3]]
        return word == "drop" or (word == "create" and after[:1] != ["("] and after[1:] != ["="])

    # Clauses

    def _read_patterns(self, *, is_merge: bool) -> bool:
        """Read paths with commas between them; returns whether anything was made."""
        is_made = self._read_path(is_merge=is_merge)
        while self._take(","):
            is_made |= self._read_path(is_merge=is_merge)
        return is_made

    def _read_merge(self) -> None:
        is_made = self._read_patterns(is_merge=True)
        while self._take_word("on"):
            line = self._peek().line
            is_create = self._take_word("create")
            if not (is_create or self._take_word("match")) or not self._take_word("set"):
                raise CypherError("CREATE SET or MATCH SET is needed behind ON", line)
            self._read_set(is_kept=is_create == is_made)

    def _read_match(self) -> None:
        """Read nodes that exactly one node made before is each of."""
        wanted: dict[str, tuple[list[str], Properties, int]] = {}
        while True:
            line = self._peek().line
            name, labels, properties = self._read_node_pattern()
            if self._peek().text in ("-", "<"):
                raise CypherError("MATCH of relationships is not read", line)
            if name not in self._variables:
                wanted[name] = (labels, properties, line)
            if not self._take(","):
                break
        if self._take_word("where"):
            self._read_conditions(wanted)
        candidates = {
            name: self._graph.find_nodes(labels, properties) for name, (labels, properties, _) in wanted.items()
        }
        for name, nodes in candidates.items():
            if len(nodes) != 1:
                count = f"{len(nodes):,} nodes" if nodes else "no node"
                raise CypherError(f"MATCH finds {count} of the script, and one is needed", wanted[name][2])
        self._variables.update((name, nodes[0]) for name, nodes in candidates.items())

    def _read_conditions(self, wanted: dict[str, tuple[list[str], Properties, int]]) -> None:
        """Read ``a.name = "Ann" AND b.name = "Bob"``."""
        while True:
            line = self._peek().line
            variable = self._take_name()
            self._require(".")
            key = self._take_name()
            self._require("=")
            value = self._read_value()
            if variable not in wanted:
                raise CypherError(f"nothing is called {variable}", line)
            wanted[variable][1][key] = value
            if not self._take_word("and"):
                return

    def _read_set(self, *, is_kept: bool) -> None:
        """Read ``n.key = value``, ``n:Label`` and ``n += {key: value}``."""
        while True:
            line = self._peek().line
            variable = self._take_name()
            labels: list[str] = []
            properties: Properties = {}
            if self._take("."):
                key = self._take_name()
                self._require("=")
                properties[key] = self._read_value()
            elif self._take("+"):
                self._require("=")
                properties = self._read_properties()
            else:
                labels = self._read_labels()
            if is_kept:
                self._describe(variable, labels, properties, line)
            if not self._take(","):
                return

    def _describe(self, variable: str, labels: list[str], properties: Properties, line: int) -> None:
        if variable in self._variables:
            self._graph.describe_node(self._variables[variable], labels, properties)
        elif variable in self._relationships:
            self._relationships[variable].properties.update(properties)
        else:
            raise CypherError(f"nothing is called {variable}", line)

    # Patterns

    def _read_path(self, *, is_merge: bool) -> bool:
        """Read ``(a)-[:R]->(b)<-[:S]-(c)`` to its end, then make what is new of it; returns whether anything is."""
        if self._peek().text != "(":
            self._take_name()  # of the path
            self._require("=")
        nodes = [(self._read_node_pattern(), self._peek().line)]
        edges: list[tuple[str, str, Properties, bool]] = []
        while self._peek().text in ("-", "<"):
            edges.append(self._read_relationship_pattern())
            nodes.append((self._read_node_pattern(), self._peek().line))
        before = len(self._graph.nodes) + len(self._graph.relationships)
        ends = [self._resolve_node(*pattern, line, is_merge=is_merge) for pattern, line in nodes]
        for (left, right), (name, relation, properties, is_backward) in zip(pairwise(ends), edges, strict=True):
            source, target = (right, left) if is_backward else (left, right)
            made = CypherRelationship(source, relation, target, self._tokens[self._position - 1].line, properties)
            if not is_merge or not self._graph.has_relationship(made):
                self._graph.add_relationship(made)
            if name:
                self._relationships[name] = made
        return len(self._graph.nodes) + len(self._graph.relationships) > before

    def _resolve_node(
        self, name: str, labels: list[str], properties: Properties, line: int, *, is_merge: bool
    ) -> CypherNode:
        if name and name in self._variables:
            return self._variables[name]
        candidates = self._graph.find_nodes(labels, properties)[:1] if is_merge and (labels or properties) else []
        node = candidates[0] if candidates else self._graph.add_node(labels, properties, line)
        if name:
            self._variables[name] = node
        return node

    def _read_node_pattern(self) -> tuple[str, list[str], Properties]:
        self._require("(")
        name = "" if self._peek().text in (":", "{", ")") else self._take_name()
        labels = self._read_labels() if self._peek().text == ":" else []
        properties = self._read_properties() if self._peek().text == "{" else {}
        self._require(")")
        return name, labels, properties

    def _read_labels(self) -> list[str]:
        self._require(":")
        labels = [self._take_name()]
        while self._take(":") or self._take("&"):
            labels.append(self._take_name())
        return labels

    def _read_relationship_pattern(self) -> tuple[str, str, Properties, bool]:
        """Variable, type and properties of a relationship, and whether it leads backward."""
        is_backward = self._take("<")
        self._require("-")
        self._require("[")
        name = "" if self._peek().text == ":" else self._take_name()
        self._require(":")
        relation = self._take_name()
        properties = self._read_properties() if self._peek().text == "{" else {}
        self._require("]")
        self._require("-")
        if not is_backward:
            self._take(">")
        return name, relation, properties, is_backward

    # Values

    def _read_properties(self) -> Properties:
        self._require("{")
        properties: Properties = {}
        while not self._take("}"):
            key = self._take_name()
            self._require(":")
            properties[key] = self._read_value()
            if not self._take(","):
                self._require("}")
                break
        return properties

    def _read_value(self) -> object:
        if not self._take("["):
            return self._read_scalar()
        values: list[object] = []
        while not self._take("]"):
            values.append(self._read_scalar())
            if not self._take(","):
                self._require("]")
                break
        return values

    def _read_scalar(self) -> object:
        is_negative = self._take("-")
        token = self._take_token()
        if token.kind == "number":
            return -_parse_number(token.text) if is_negative else _parse_number(token.text)
        if not is_negative and token.kind == "string":
            return token.text
        if not is_negative and token.kind == "word":
            word = token.text.lower()
            if word in _CONSTANTS:
                return _CONSTANTS[word]
            if word in _TEMPORAL and self._take("("):
                value = self._take_token()
                if value.kind == "string" and self._take(")"):
                    return value.text
        raise CypherError(f"a value is needed in the place of {token.text[:40] or 'the end'}", token.line)

    # Tokens

    def _peek(self) -> Token:
        if self._position < len(self._tokens):
            return self._tokens[self._position]
        return Token("mark", "", self._tokens[-1].line)

    def _take_token(self) -> Token:
        token = self._peek()
        self._position += 1
        return token

    def _take(self, mark: str) -> bool:
        token = self._peek()
        is_next = token.kind == "mark" and token.text == mark
        self._position += is_next
        return is_next

    def _take_word(self, word: str) -> bool:
        token = self._peek()
        is_next = token.kind == "word" and token.text.lower() == word
        self._position += is_next
        return is_next

    def _require(self, mark: str) -> None:
        token = self._peek()
        if not self._take(mark):
            raise CypherError(f"{mark} is needed in the place of {token.text[:40] or 'the end'}", token.line)

    def _take_name(self) -> str:
        token = self._take_token()
        if token.kind not in ("word", "quoted") or not token.text:
            raise CypherError(f"a name is needed in the place of {token.text[:40] or 'the end'}", token.line)
        return token.text


def _parse_number(text: str) -> int | float:
    if text.lower().startswith("0x"):
        return int(text, 16)
    return int(text) if text.isdecimal() and len(text) < 40 else float(text)
