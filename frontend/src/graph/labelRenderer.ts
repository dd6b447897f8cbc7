// Writes the names in the drawing: as much of each as has room, and the relation of a fan once.
import type { Core, EdgeSingular, NodeSingular } from "cytoscape";
import { elide, valueText } from "@/view/format";
import type { GraphEdge, GraphModel, GraphNode, Role } from "@/view/graphModel";
import { bodyAt, fontAt, isMain, oneLine } from "./elements";
import { Boxes, fansOf, fitLines, fitNames, type Box, type Line, type Name } from "./labels";
import { FONT } from "./style";

const RANK: Record<Role, number> = { topic: 0, answer: 1, path: 2, window: 3, faint: 4 };
/** Letters of a name, and from which zoom on how many more. */
const LETTERS = 40;
const CLOSE = { zoom: 1.45, letters: 60 };
/** Pixels below which a letter cannot be read. */
const READABLE = 7;
const EDGE_FONT = 10;
const EDGE_LEAST = 9;
/** Edges for whose label a place is looked for; beyond that nobody could read them. */
const EDGES = 400;
/** Units of the drawing around a letter: its ground, and what browsers measure wrong. */
const PAD = 3.5;
const LINE = 1.2;
const MEASURED = 100;
/** With more nodes than this only those are named that are in sight, or so near that a drag brings them there. */
const CROWDED = 400;

const pen = document.createElement("canvas").getContext("2d");
const widths = new Map<string, number>();

/** Pixels that a text is wide for each pixel of its font. */
function widthOf(text: string, weight: string): number {
  const key = `${weight} ${text}`;
  const known = widths.get(key);
  if (known !== undefined) return known;
  if (pen) pen.font = `${weight} ${MEASURED}px ${FONT}`;
  const width = (pen?.measureText(text).width ?? text.length * 60) / MEASURED;
  if (widths.size > 20_000) widths.clear();
  widths.set(key, width);
  return width;
}

/** As much of a name as is worth writing at a zoom. */
const wanted = (label: string, zoom: number): string =>
  elide(oneLine(valueText(label)), zoom >= CLOSE.zoom ? CLOSE.letters : LETTERS);

function nameOf(node: GraphNode, element: NodeSingular, zoom: number): Name | null {
  const font = fontAt(node, zoom) * zoom;
  if (node.kind === "cvt" || font < READABLE) return null;
  const at = element.position();
  const weight = element.style("font-weight") as string;
  const top =
    at.y * zoom + (element.outerHeight() / 2 + Number(element.numericStyle("text-margin-y")) - PAD) * zoom;
  const bottom = top + LINE * font + 2 * PAD * zoom;
  return {
    id: element.id(),
    text: wanted(node.label, zoom),
    must: element.selected() || node.role === "topic" || node.role === "answer",
    box: (text) => {
      const half = (widthOf(text, weight) * font) / 2 + PAD * zoom;
      return { x1: at.x * zoom - half, y1: top, x2: at.x * zoom + half, y2: bottom };
    },
  };
}

function bodyOf(element: NodeSingular, zoom: number): Box {
  const { x, y } = element.position();
  const [wide, high] = [(element.outerWidth() / 2) * zoom, (element.outerHeight() / 2) * zoom];
  return { x1: x * zoom - wide, y1: y * zoom - high, x2: x * zoom + wide, y2: y * zoom + high };
}

/** The canvas where it is seen, by the corner that pixels are counted from. */
function canvasOf(cy: Core): Box {
  const { x, y } = cy.pan();
  return { x1: -x, y1: -y, x2: cy.width() - x, y2: cy.height() - y };
}

export const isCrowded = (cy: Core): boolean => cy.nodes().length > CROWDED;

/** Whether a place is in sight, or at most half a canvas beside it. */
function sight(cy: Core): (at: { x: number; y: number }) => boolean {
  if (!isCrowded(cy)) return () => true;
  const { x1, y1, w, h } = cy.extent();
  return ({ x, y }) => x > x1 - w / 2 && x < x1 + 1.5 * w && y > y1 - h / 2 && y < y1 + 1.5 * h;
}

/** Give an element a value if it has another: each one given is a new look-up of its style. */
function put(
  element: NodeSingular | EdgeSingular | undefined,
  name: string,
  value: string | number | null,
): void {
  if (element && element.data(name) !== value) element.data(name, value);
}

function lineOf(edge: GraphEdge, element: EdgeSingular, zoom: number): Line {
  return {
    id: edge.id,
    // What is not in the graph says so on each edge.
    fans: edge.verified ? fansOf(edge) : [],
    box: () => {
      const middle = element.midpoint();
      const from = element.source().position();
      const to = element.target().position();
      const turn = Math.atan2(to.y - from.y, to.x - from.x);
      const font = Math.max(EDGE_FONT * zoom, EDGE_LEAST);
      const wide = widthOf(element.data("name") as string, "400") * font + 2 * PAD * zoom;
      const high = LINE * font + 2 * PAD * zoom;
      const half = {
        x: (Math.abs(Math.cos(turn)) * wide + Math.abs(Math.sin(turn)) * high) / 2,
        y: (Math.abs(Math.sin(turn)) * wide + Math.abs(Math.cos(turn)) * high) / 2,
      };
      const [x, y] = [middle.x * zoom, middle.y * zoom];
      return { x1: x - half.x, y1: y - half.y, x2: x + half.x, y2: y + half.y };
    },
  };
}

/** Edges worth a label, the lit first and then the short ones, as they lie. */
function linesOf(cy: Core, model: GraphModel, zoom: number): Line[] {
  const inSight = sight(cy);
  return model.edges
    .filter((edge) => edge.strand === 0 && !(edge.faint && edge.verified))
    .flatMap((edge) => {
      const element = cy.getElementById(edge.id) as unknown as EdgeSingular;
      if (element.empty()) return [];
      const from = element.source().position();
      const to = element.target().position();
      if (!inSight({ x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 })) return [];
      return [{ edge, element, reach: Math.hypot(to.x - from.x, to.y - from.y) }];
    })
    .sort((a, b) => Number(b.edge.lit) - Number(a.edge.lit) || a.reach - b.reach)
    .slice(0, EDGES)
    .map(({ edge, element }) => lineOf(edge, element, zoom));
}

/**
 * Write what has room at the zoom of the drawing. Nodes come first, by what they are; what is selected before all.
 *
 * @param fitted all of the drawing is in view, so that no name may go beyond the canvas
 */
export function writeNames(cy: Core, model: GraphModel, fitted: boolean): void {
  const zoom = cy.zoom();
  const elements = new Map(model.nodes.map((node) => [node.id, cy.getElementById(String(node.id))]));
  const there = model.nodes.filter((node) => elements.get(node.id)?.nonempty());
  const chosen = (node: GraphNode) => Number(elements.get(node.id)?.selected() ?? false);
  const nodes = [...there].sort((a, b) => chosen(b) - chosen(a) || RANK[a.role] - RANK[b.role]);
  cy.batch(() => {
    for (const node of nodes) put(elements.get(node.id), "body", bodyAt(node, zoom));
  });
  const bodies = new Boxes();
  const names: Name[] = [];
  const inSight = sight(cy);
  for (const node of nodes) {
    const element = elements.get(node.id);
    if (!element || !inSight(element.position())) continue;
    if (isMain(node)) bodies.add(bodyOf(element, zoom));
    const name = nameOf(node, element, zoom);
    if (name) names.push(name);
  }
  const written = fitNames(names, bodies, fitted ? canvasOf(cy) : null);
  for (const { box } of written.values()) bodies.add(box);
  const relations = fitLines(linesOf(cy, model, zoom), bodies);
  cy.batch(() => {
    for (const node of nodes) {
      const element = elements.get(node.id);
      put(element, "short", written.get(String(node.id))?.text ?? "");
      put(element, "font", fontAt(node, zoom));
    }
    for (const edge of model.edges) {
      const shown = relations.has(edge.id);
      const element = cy.getElementById(edge.id) as unknown as EdgeSingular;
      if (element.empty()) continue;
      put(element, "short", shown ? (element.data("name") as string) : "");
      if (shown) put(element, "font", Math.max(EDGE_FONT, EDGE_LEAST / zoom));
    }
  });
}
