// Exploring a graph: which entities are on show, in the order they came, and what they look like. All of it is in the
// address, and the drawing is made of that alone: the same address, the same picture.
import type { Picture, PictureNode } from "@/api/explore";
import { factOfHop } from "./runEntities";
import { edgeOf } from "./graphEdges";
import { withKinds } from "./kinds";
import type { GraphModel, GraphNode } from "./graphModel";
import { nameOf } from "./entityNames";

export interface Exploring {
  /** Entities as they were added, those of one press together: each step is placed beside what was there. */
  steps: readonly (readonly number[])[];
  /** Entities that stay whatever is filtered, and that a question will be about. */
  pins: readonly number[];
  /** Only entities of these kinds and facts of these relations; all where none is named. */
  kinds: readonly string[];
  relations: readonly string[];
  /** Entities of the path that is lit, in its order. */
  path: readonly number[];
  /** Hash of the version that the numbers are of; null for a graph in an endpoint. */
  version: string | null;
}

/** As many as are drawn at once. */
export const SHOWN_MAX = 500;

const numbers = (text: string): number[] =>
  text
    .split(".")
    .filter((part) => /^\d{1,15}$/.test(part))
    .map(Number);
const words = (text: string | null): string[] => (text ? text.split(",").map(decoded).filter(Boolean) : []);
const unique = (ids: readonly number[]): number[] => [...new Set(ids)];

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}

export function exploringOf(params: URLSearchParams): Exploring {
  const seen = new Set<number>();
  const steps = (params.get("show") ?? "").split("_").map((part) =>
    numbers(part).filter((id) => {
      if (seen.has(id) || seen.size >= SHOWN_MAX) return false;
      seen.add(id);
      return true;
    }),
  );
  return {
    steps: steps.filter((step) => step.length > 0),
    pins: unique(numbers(params.get("pin") ?? "")).filter((id) => seen.has(id)),
    kinds: words(params.get("kinds")),
    relations: words(params.get("relations")),
    path: numbers(params.get("path") ?? "").filter((id) => seen.has(id)),
    version: params.get("v"),
  };
}

/** What the address says of it; null takes a name out. */
export function addressOf(exploring: Exploring): Record<string, string | null> {
  const { steps, pins, kinds, relations, path, version } = exploring;
  return {
    show: steps.map((step) => step.join(".")).join("_") || null,
    pin: pins.join(".") || null,
    kinds: kinds.map(encodeURIComponent).join(",") || null,
    relations: relations.map(encodeURIComponent).join(",") || null,
    path: path.join(".") || null,
    v: steps.length ? version : null,
  };
}

export function shownOf({ steps }: Pick<Exploring, "steps">): number[] {
  return steps.flat();
}

/** With entities added, as one step; as it is where all are there. */
export function withShown(exploring: Exploring, ids: readonly number[]): Exploring {
  const shown = new Set(shownOf(exploring));
  const added = unique(ids)
    .filter((id) => !shown.has(id))
    .slice(0, SHOWN_MAX - shown.size);
  return added.length ? { ...exploring, steps: [...exploring.steps, added] } : exploring;
}

export function without(exploring: Exploring, ids: readonly number[]): Exploring {
  const gone = new Set(ids);
  const stays = (id: number) => !gone.has(id);
  return {
    ...exploring,
    steps: exploring.steps.map((step) => step.filter(stays)).filter((step) => step.length > 0),
    pins: exploring.pins.filter(stays),
    path: exploring.path.every(stays) ? exploring.path : [],
  };
}

/** What an entity is, for people: its kind in the graph, or what sort of node it is; "" where the graph does not say. */
export function kindOf({ type, kind }: Pick<PictureNode, "type" | "kind">): string {
  return type || { entity: "", cvt: "mediator", literal: "value" }[kind];
}

/** How a filter calls what has no kind. */
export const NO_KIND = "no kind given";

interface Group {
  relation: string;
  direction: "out" | "in";
}

/** How many facts of an entity, of one relation in one direction, are on show. */
export function shownIn(
  picture: Picture | undefined,
  entity: number,
  { relation, direction }: Group,
): number {
  return (picture?.hops ?? []).filter(
    ({ source, step, target }) =>
      step.name === relation && (direction === "out" ? source.id : target.id) === entity,
  ).length;
}

/** Steps from where one began, or from what is pinned, along the facts on show; each piece begins at 0. */
function depths(
  ids: readonly number[],
  from: readonly number[],
  near: ReadonlyMap<number, readonly number[]>,
) {
  const depth = new Map<number, number>();
  for (const roots of [from, ...ids.map((id) => [id])]) {
    let front = roots.filter((id) => !depth.has(id));
    for (let hops = 0; front.length; hops += 1) {
      for (const id of front) depth.set(id, hops);
      front = unique(front.flatMap((id) => near.get(id) ?? [])).filter((id) => !depth.has(id));
    }
  }
  return depth;
}

/** The drawing of the first `count` steps. */
export function exploredGraph(
  exploring: Exploring,
  picture: Picture,
  count = exploring.steps.length,
): GraphModel {
  const { kinds, relations, path } = exploring;
  const pins = new Set(exploring.pins);
  const order = exploring.steps.slice(0, count).flat();
  const within = new Set(order);
  const named = new Map(picture.nodes.map((node) => [node.id, node]));
  const facts = picture.hops
    .map((hop) => factOfHop(hop))
    .filter(({ head, tail }) => within.has(head.id) && within.has(tail.id));
  const passing = facts.filter(({ relation }) => !relations.length || relations.includes(relation));
  const [linked, still] = [facts, passing].map(
    (some) => new Set(some.flatMap(({ head, tail }) => [head.id, tail.id])),
  ) as [Set<number>, Set<number>];
  const nodes = order.flatMap((id) => named.get(id) ?? []);
  const shown = nodes.filter(
    (node) =>
      pins.has(node.id) ||
      ((!kinds.length || kinds.includes(kindOf(node) || NO_KIND)) &&
        // What a filter of relations leaves without any fact goes with them.
        (!linked.has(node.id) || still.has(node.id))),
  );
  const ids = new Set(shown.map((node) => node.id));
  const lines = passing.filter(({ head, tail }) => ids.has(head.id) && ids.has(tail.id));
  const near = new Map<number, number[]>();
  const add = (id: number, other: number) => near.set(id, [...(near.get(id) ?? []), other]);
  for (const { head, tail } of lines) {
    add(head.id, tail.id);
    add(tail.id, head.id);
  }
  const from = pins.size
    ? [...pins].filter((id) => ids.has(id))
    : order.filter((id) => ids.has(id)).slice(0, 1);
  const depth = depths([...ids], from, near);
  const pairs = new Set(path.slice(1).flatMap((id, at) => [`${path[at]} ${id}`, `${id} ${path[at]}`]));
  const onPath = new Set(path);
  const keys = new Set(lines.map((fact) => fact.key));
  const model: GraphModel = {
    nodes: shown.map((node): GraphNode => ({
      ...{ id: node.id, label: nameOf(node), kind: node.kind },
      role: pins.has(node.id) ? "topic" : "path",
      depth: depth.get(node.id) ?? 0,
      degree: near.get(node.id)?.length ?? 0,
      here: false,
      dim: path.length > 0 && !onPath.has(node.id),
    })),
    edges: lines.flatMap((fact) => {
      const { head, tail, relation } = fact;
      const lit = pairs.has(`${head.id} ${tail.id}`);
      // A relation that holds both ways is one line.
      const twin = head.id !== tail.id && keys.has(`${tail.id}|${relation}|${head.id}`);
      return twin && head.id > tail.id
        ? []
        : [{ ...edgeOf(fact), both: twin, lit, dim: path.length > 0 && !lit }];
    }),
    total: shown.length,
    hidden: nodes.length - shown.length,
    explored: 0,
    settled: true,
  };
  return withKinds(model, picture);
}
