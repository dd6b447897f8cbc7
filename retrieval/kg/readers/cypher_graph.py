"""The nodes and relationships that a Cypher script makes, as far as they have been read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

Properties = dict[str, object]


@dataclass
class CypherNode:
    """A node with its labels and properties; ``line`` is where it was made."""

    number: int
    line: int
    labels: list[str]
    properties: Properties


@dataclass
class CypherRelationship:
    """A relationship between two nodes; ``line`` is where it was made."""

    source: CypherNode
    name: str
    target: CypherNode
    line: int
    properties: Properties = field(default_factory=dict)


class CypherGraph:
    """Nodes and relationships, found again by labels and properties."""

    def __init__(self) -> None:
        self.nodes: list[CypherNode] = []
        self.relationships: list[CypherRelationship] = []
        self._by_value: dict[tuple[str, str], list[CypherNode]] = defaultdict(list)
        self._by_label: dict[str, list[CypherNode]] = defaultdict(list)
        self._between: dict[tuple[int, str, int], list[CypherRelationship]] = defaultdict(list)

    def add_node(self, labels: Sequence[str], properties: Mapping[str, object], line: int) -> CypherNode:
        """Make a node."""
        node = CypherNode(len(self.nodes) + 1, line, [], {})
        self.nodes.append(node)
        self.describe_node(node, labels, properties)
        return node

    def describe_node(self, node: CypherNode, labels: Sequence[str], properties: Mapping[str, object]) -> None:
        """Give a node further labels and properties."""
        for label in labels:
            if label not in node.labels:
                node.labels.append(label)
                self._by_label[label].append(node)
        node.properties.update(properties)
        for key, value in properties.items():
            self._by_value[key, repr(value)].append(node)

    def find_nodes(self, labels: Sequence[str], properties: Mapping[str, object]) -> list[CypherNode]:
        """The nodes that have all of the labels and properties, in the order in which they were made."""
        if properties:
            candidates = min((self._by_value.get((key, repr(value)), []) for key, value in properties.items()), key=len)
        else:
            candidates = self._by_label.get(labels[0], []) if labels else self.nodes
        fitting = [
            node
            for node in candidates
            if {*labels} <= {*node.labels} and all(node.properties.get(key) == properties[key] for key in properties)
        ]
        return list({node.number: node for node in fitting}.values())

    def add_relationship(self, relationship: CypherRelationship) -> None:
        """Make a relationship."""
        self.relationships.append(relationship)
        key = relationship.source.number, relationship.name, relationship.target.number
        self._between[key].append(relationship)

    def has_relationship(self, relationship: CypherRelationship) -> bool:
        """Whether there is one of the same name between the same nodes that has its properties."""
        key = relationship.source.number, relationship.name, relationship.target.number
        return any(
            all(other.properties.get(name) == value for name, value in relationship.properties.items())
            for other in self._between.get(key, [])
        )
