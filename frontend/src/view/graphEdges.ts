// The edges of a drawing: of a fact, once for each run that walked it, and those between two entities.
import type { Hop } from "@/api/events";
import { factOfHop, type Fact } from "./runEntities";
import type { GraphEdge, GraphModel } from "./graphModel";

/** The edge of a fact that nothing is said of. */
export function edgeOf(fact: Fact): GraphEdge {
  return {
    id: fact.key,
    fact: fact.key,
    stroke: null,
    strokes: 1,
    strand: 0,
    source: fact.head.id,
    target: fact.tail.id,
    relation: fact.relation,
    label: fact.label,
    verified: fact.verified,
    both: false,
    kind: "fact",
    faint: false,
    window: false,
    lit: false,
    dim: false,
  };
}

/** `edge` once for each run that walked it; as it is when none is compared. */
export function strokesOf(edge: GraphEdge, walked: readonly number[]): GraphEdge[] {
  if (!walked.length) return [edge];
  return walked.map((stroke, strand) => ({
    ...edge,
    id: `${edge.id}#${stroke}`,
    stroke,
    strokes: walked.length,
    strand,
  }));
}

/** Keys of the facts of those hops that lead to an entity, the last first; [] when none does. */
export function leadingTo(entity: number, hops: readonly Hop[]): string[] {
  const reached = new Set([entity]);
  const keys = new Set<string>();
  for (const hop of [...hops].reverse()) {
    if (!reached.has(hop.target.id)) continue;
    keys.add(factOfHop(hop).key);
    reached.add(hop.source.id);
  }
  return [...keys];
}

/** Facts of a shortest path between two shown nodes, direction ignored; [] when there is none. */
export function pathWithin(model: GraphModel, from: number, to: number): string[] {
  const came = new Map<number, GraphEdge | null>([[from, null]]);
  const queue = [from];
  for (let at = queue.shift(); at !== undefined && at !== to; at = queue.shift()) {
    for (const edge of model.edges) {
      if (edge.source !== at && edge.target !== at) continue;
      const other = edge.source === at ? edge.target : edge.source;
      if (came.has(other)) continue;
      came.set(other, edge);
      queue.push(other);
    }
  }
  const path: string[] = [];
  let at = to;
  for (let edge = came.get(at); edge; edge = came.get(at)) {
    path.unshift(edge.fact);
    at = edge.source === at ? edge.target : edge.source;
  }
  return path;
}
