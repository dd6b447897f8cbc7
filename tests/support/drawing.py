"""What a drawing of the application looks like, read from the page that shows it.

The figures come from the drawing library's own geometry, not from the code that arranges the labels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Page

SETTLE_MS = 700
_READ = """() => {
  const { cy } = document.querySelector(".graph-canvas")._cyreg;
  const LABEL = { includeNodes: false, includeEdges: false, includeOverlays: false, includeLabels: true };
  const labelled = (one, text) =>
    text && one.visible() && one.effectiveOpacity() > 0 && Number(one.pstyle("text-opacity").value) > 0 &&
    one.pstyle("font-size").pfValue * cy.zoom() >= one.pstyle("min-zoomed-font-size").pfValue;
  const nodes = cy.nodes().map((node) => {
    const { x1, y1, x2, y2 } = node.renderedBoundingBox(LABEL);
    const text = node.pstyle("label").strValue;
    return {
      id: node.id(), role: node.data("role"), label: node.data("label"), text,
      at: [node.position("x"), node.position("y")], seen: [node.renderedPosition("x"), node.renderedPosition("y")],
      box: labelled(node, text) ? [x1, y1, x2, y2] : null, unnamed: node.data("kind") === "cvt",
    };
  });
  const fans = cy.edges().filter((edge) => labelled(edge, edge.pstyle("label").strValue)).map((edge) =>
    [edge.data("source"), edge.data("relation"), edge.data("target")]);
  return { nodes, fans, width: cy.width(), height: cy.height(), zoom: cy.zoom() };
}"""


@dataclass(frozen=True)
class Drawing:
    """A drawing at one moment.

    Attributes:
        nodes: each with ``id``, ``role``, ``label``, ``text`` (as drawn), ``at`` (in units of the drawing), ``seen``
            (in pixels of the canvas), ``box`` (of its label in pixels: x1, y1, x2, y2; None without one) and
            ``unnamed`` (a node that has no name to be drawn).
        fans: of each edge that is labelled: source, relation, target.
        width: of the canvas in pixels.
        height: likewise.
    """

    nodes: list[dict[str, Any]]
    fans: list[list[str]]
    width: float
    height: float
    zoom: float

    def places(self) -> dict[str, tuple[float, float]]:
        """Where each node is seen, in pixels with one digit."""
        return {node["id"]: (round(node["seen"][0], 1), round(node["seen"][1], 1)) for node in self.nodes}

    def overlaps(self, roles: tuple[str, ...] = ("topic", "answer", "path")) -> list[tuple[str, str]]:
        """Pairs of labels of nodes in these roles that lie over each other by more than half a pixel."""
        drawn = [node for node in self.nodes if node["role"] in roles and node["box"]]
        return [
            (one["label"], other["label"])
            for place, one in enumerate(drawn)
            for other in drawn[place + 1 :]
            if _overlap(one["box"], other["box"])
        ]

    def unlabelled(self, roles: tuple[str, ...] = ("topic", "answer")) -> list[str]:
        """Names of nodes in these roles whose label is not drawn."""
        return [
            node["label"] for node in self.nodes if node["role"] in roles and not node["unnamed"] and not node["box"]
        ]

    def cut(self) -> list[str]:
        """Labels that go beyond the canvas by more than a pixel, of topics, answers and what is on a path."""
        return [
            node["label"]
            for node in self.nodes
            if node["box"]
            and node["role"] in ("topic", "answer", "path")
            and (
                node["box"][0] < -1
                or node["box"][1] < -1
                or node["box"][2] > self.width + 1
                or node["box"][3] > self.height + 1
            )
        ]

    def repeated(self) -> int:
        """How many labels of relations too many there are: more than one of a fan."""
        out = [(source, relation) for source, relation, _ in self.fans]
        into = [(relation, target) for _, relation, target in self.fans]
        return max(len(out) - len(set(out)), 0) + max(len(into) - len(set(into)), 0)

    def used(self) -> tuple[float, float]:
        """Shares of the canvas' width and height that lie between the outermost nodes and labels."""
        boxes = [[*node["seen"], *node["seen"]] for node in self.nodes] + [
            node["box"] for node in self.nodes if node["box"]
        ]
        if not boxes:
            return 0.0, 0.0
        wide = max(box[2] for box in boxes) - min(box[0] for box in boxes)
        high = max(box[3] for box in boxes) - min(box[1] for box in boxes)
        return wide / self.width, high / self.height


def _overlap(one: list[float], other: list[float], slack: float = 0.5) -> bool:
    return (
        one[0] + slack < other[2]
        and other[0] + slack < one[2]
        and one[1] + slack < other[3]
        and other[1] + slack < one[3]
    )


def read(page: Page) -> Drawing:
    """The drawing of a page, as soon as it holds still."""
    page.wait_for_selector(".graph-canvas canvas")
    page.wait_for_function('() => document.querySelector(".graph-canvas")._cyreg?.cy.nodes().nonempty()')
    page.wait_for_timeout(SETTLE_MS)
    return Drawing(**page.evaluate(_READ))
