// The model of a drawing as elements of Cytoscape.
import { elide, valueText } from "@/view/format";
import type { GraphEdge, GraphModel, GraphNode, Role } from "@/view/graphModel";

const EDGE_LETTERS = 34;
/** Letters of a name on hover; the card beside it has more. */
const HOVER_LETTERS = 120;

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

const BODIES: Partial<Record<Role, number>> = { topic: 24, answer: 28 };
/** Pixels on the screen that topics and answers are wide at least. */
const LEAST_BODY = 8;

/** The size of a node that is seen at any zoom, in units of the drawing; null for the others. */
export function bodyAt({ role }: Pick<GraphNode, "role">, zoom: number): number | null {
  const body = BODIES[role];
  return body === undefined ? null : Math.max(body, LEAST_BODY / zoom);
}

/** A name may hold breaks, and be as long as a page. */
export const oneLine = (text: string): string => text.slice(0, 400).replace(/\s+/gu, " ");

const told = (edge: GraphEdge): string => (edge.verified ? edge.label : `${edge.label} · not in graph`);

export function elementsOf(model: GraphModel, zoom: number) {
  const depth = new Map(model.nodes.map((node) => [node.id, node.depth]));
  const nodes = model.nodes.map((node) => ({
    group: "nodes" as const,
    data: {
      ...node,
      label: elide(oneLine(valueText(node.label)), HOVER_LETTERS),
      // What is left out would stay as it was before.
      mark: node.mark ?? null,
      pinned: node.pinned ?? false,
      look: null,
      place: null,
      colour: node.look?.colour ?? null,
      picture: node.look?.picture ?? "",
      id: String(node.id),
      font: fontAt(node, zoom),
      body: bodyAt(node, zoom),
    },
  }));
  const edges = model.edges.map((edge) => {
    const label = elide(told(edge), HOVER_LETTERS);
    return {
      group: "edges" as const,
      data: {
        ...edge,
        bow: depth.get(edge.source) === depth.get(edge.target),
        source: String(edge.source),
        target: String(edge.target),
        label,
        name: elide(label, EDGE_LETTERS),
        font: 10,
      },
    };
  });
  return [...nodes, ...edges];
}
