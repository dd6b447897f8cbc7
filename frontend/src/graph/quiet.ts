// Leaves labels out of the drawing: those that would lie over another, and all but one of a fan.
import type { Core } from "cytoscape";
import type { GraphModel, Role } from "@/store/graphModel";
import { isMain } from "./elements";
import { fansOf, labelsWithoutOverlap, type Box, type Label } from "./labels";

const RANK: Record<Role, number> = { topic: 0, answer: 1, path: 2, window: 3, faint: 4 };
const LABEL = { includeNodes: false, includeEdges: false, includeOverlays: false, includeLabels: true };
const BODY = { includeNodes: true, includeLabels: false, includeOverlays: false };

const boxOf = ({ x1, y1, x2, y2 }: Box): Box => ({ x1, y1, x2, y2 });

function length({ x1, y1, x2, y2 }: Box): number {
  return Math.hypot(x2 - x1, y2 - y1);
}

/** Marks as `quiet` what is not named. Nodes come first, by what they are; of edges the lit, then the short ones. */
export function quietLabels(cy: Core, model: GraphModel): void {
  const nodes = [...model.nodes].sort((a, b) => RANK[a.role] - RANK[b.role]);
  const named = nodes.flatMap((node): Label[] => {
    const element = cy.getElementById(String(node.id));
    return element.empty() || node.kind === "cvt"
      ? []
      : [{ id: element.id(), box: boxOf(element.boundingBox(LABEL)) }];
  });
  const kept = labelsWithoutOverlap(named);
  const taken = named.filter(({ id }) => kept.has(id)).map(({ box }) => box);
  const bodies = nodes
    .filter(isMain)
    .map((node) => boxOf(cy.getElementById(String(node.id)).boundingBox(BODY)));
  const edges = model.edges
    .filter((edge) => edge.strand === 0 && !(edge.faint && edge.verified))
    .map((edge) => ({ edge, element: cy.getElementById(edge.id) }))
    .filter(({ element }) => element.nonempty())
    .map(({ edge, element }) => ({
      edge,
      element,
      reach: length(element.boundingBox({ includeLabels: false })),
    }))
    .sort((a, b) => Number(b.edge.lit) - Number(a.edge.lit) || a.reach - b.reach);
  const relations = labelsWithoutOverlap(
    edges.map(({ edge, element }) => ({
      id: edge.id,
      box: boxOf(element.boundingBox(LABEL)),
      // What is not in the graph says so on each edge.
      ...(edge.verified && { fans: fansOf(edge) }),
    })),
    [...taken, ...bodies],
  );
  cy.batch(() => {
    cy.elements().forEach((element) => {
      element.toggleClass("quiet", !kept.has(element.id()) && !relations.has(element.id()));
    });
  });
}
