// The model of a drawing as elements of Cytoscape.
import { elide, valueText } from "@/store/format";
import type { GraphModel, GraphNode, Role } from "@/store/graphModel";

const LABEL_LENGTH = 22;
const FONTS: Record<Role, number> = { topic: 12, answer: 11, path: 11, window: 11, faint: 11 };
/** Pixels on the screen that the labels of what matters have at least, however far out one zooms. */
const LEAST = 10;

/** Whether a label is read at any zoom. */
export const isMain = ({ role }: Pick<GraphNode, "role">): boolean =>
  role === "topic" || role === "answer" || role === "path";

/** The size of a node's label at a zoom, in units of the drawing. */
export function fontAt(node: Pick<GraphNode, "role" | "kind">, zoom: number): number {
  const font = node.kind === "entity" ? FONTS[node.role] : 10;
  return isMain(node) ? Math.max(font, LEAST / zoom) : font;
}

export function elementsOf(model: GraphModel, zoom: number) {
  const depth = new Map(model.nodes.map((node) => [node.id, node.depth]));
  const nodes = model.nodes.map((node) => ({
    group: "nodes" as const,
    data: {
      ...node,
      // What is left out would stay as it was before.
      mark: node.mark ?? null,
      id: String(node.id),
      short: elide(valueText(node.label), LABEL_LENGTH),
      font: fontAt(node, zoom),
    },
  }));
  const edges = model.edges.map((edge) => {
    const label = edge.verified ? edge.label : `${edge.label} · not in graph`;
    return {
      group: "edges" as const,
      data: {
        ...edge,
        bow: depth.get(edge.source) === depth.get(edge.target),
        source: String(edge.source),
        target: String(edge.target),
        label,
        // Strokes of one fact are named once.
        short: edge.strand ? "" : elide(label, LABEL_LENGTH + 12),
      },
    };
  });
  return [...nodes, ...edges];
}
