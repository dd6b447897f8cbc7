// Facts as a drawing without a run: around an entity, or types and what leads from one to another.
import type { Schema } from "@/api/datasets";
import type { Node } from "@/api/events";
import { integer } from "./format";
import type { Fact } from "./runEntities";
import type { GraphEdge, GraphModel, GraphNode } from "./graphModel";

function edge(id: string, fact: Pick<GraphEdge, "source" | "target" | "relation" | "label">): GraphEdge {
  return {
    ...fact,
    ...{ id, fact: id, stroke: null, strokes: 1, strand: 0, verified: true, both: false, kind: "fact" },
    ...{ faint: false, window: false, lit: false, dim: false },
  };
}

function model(
  nodes: readonly Pick<GraphNode, "id" | "label" | "kind" | "role" | "depth">[],
  edges: GraphEdge[],
) {
  const degree = new Map<number, number>();
  for (const { source, target } of edges) {
    for (const id of [source, target]) degree.set(id, (degree.get(id) ?? 0) + 1);
  }
  const drawn = nodes.map((node): GraphNode => ({
    ...node,
    degree: degree.get(node.id) ?? 0,
    here: false,
    dim: false,
  }));
  return {
    nodes: drawn,
    edges,
    total: drawn.length,
    hidden: 0,
    explored: 0,
    settled: true,
  } satisfies GraphModel;
}

/** Facts, with the entity that they were asked for in the middle. */
export function factsGraph(facts: readonly Fact[], centre: Node): GraphModel {
  const nodes = new Map([[centre.id, centre]]);
  for (const { head, tail } of facts) {
    for (const node of [head, tail]) if (!nodes.has(node.id)) nodes.set(node.id, node);
  }
  return model(
    [...nodes.values()].map(({ id, label, kind }) => ({
      ...{ id, label, kind },
      role: id === centre.id ? ("topic" as const) : ("path" as const),
      depth: id === centre.id ? 0 : 1,
    })),
    facts.map((fact) =>
      edge(fact.key, {
        ...{ source: fact.head.id, target: fact.tail.id },
        ...{ relation: fact.relation, label: fact.label },
      }),
    ),
  );
}

/** Of more types than these only those with names are drawn: the others are joined with nearly all. */
const MANY_TYPES = 20;
/** What has no type is counted by what it is. */
const UNNAMED: ReadonlySet<string> = new Set(["entity", "literal", "cvt"]);

/** Types with their sizes. Relations between the same two types share a line that names the commonest. */
export function schemaGraph(schema: Schema): GraphModel {
  const lines = new Map<string, Schema["edges"]>();
  const isMany = schema.types.length > MANY_TYPES;
  const left = new Set(
    schema.types.filter(({ label }) => isMany && UNNAMED.has(label)).map((type) => type.id),
  );
  for (const one of schema.edges) {
    if (left.has(one.source) || left.has(one.target)) continue;
    const key = `${one.source} ${one.target}`;
    lines.set(key, [...(lines.get(key) ?? []), one]);
  }
  const edges = [...lines].flatMap(([key, all]) => {
    const [first] = all;
    if (!first) return [];
    const more = all.length > 1 ? ` and ${all.length - 1} more` : "";
    return [
      edge(key, {
        ...{ source: first.source, target: first.target },
        ...{ relation: all.map((one) => one.label).join(", "), label: `${first.label}${more}` },
      }),
    ];
  });
  const used = new Set(edges.flatMap(({ source, target }) => [source, target]));
  const shown = schema.types.filter((type) => used.has(type.id));
  return model(
    shown.map((type, place) => ({
      ...{ id: type.id, label: `${type.label} · ${integer(type.count)}`, kind: "entity" as const },
      ...{ role: "path" as const, depth: place === 0 ? 0 : 1 },
    })),
    edges,
  );
}
