// The view model of the drawing: which nodes and edges, in which role, lit or dim, and how many of
// how many. Pure; src/graph only draws it.
import type { Node, NodeKind } from "@/api/events";
import type { Exploration } from "./explore";
import { jumpKey, type Fact } from "./runEntities";
import type { Picture } from "@/api/explore";
import type { KindLook } from "./kinds";
import { edgeOf, leadingTo, strokesOf } from "./graphEdges";
import { isOver, type RunView } from "./runView";
import { nameOf } from "./entityNames";

/** `window`: an agent looks at it and has not decided. */
export type Role = "topic" | "answer" | "path" | "window" | "faint";

/** In a review: an answer that the path reaches, what else it reaches, and an answer that it does not. */
export type Mark = "hit" | "extra" | "missed";

export interface GraphNode {
  id: number;
  label: string;
  kind: NodeKind;
  role: Role;
  /** Steps from the nearest topic entity, for the layered layout. */
  depth: number;
  degree: number;
  /** The agent stands here in the step on show. */
  here: boolean;
  mark?: Mark;
  /** Of what kind it is, where that is known. */
  look?: KindLook;
  /** Where it lies on the earth, in degrees. */
  place?: NonNullable<Picture["nodes"][number]["place"]>;
  /** A person keeps it in the drawing, whatever is filtered. */
  pinned?: boolean;
  dim: boolean;
}

export interface GraphEdge {
  id: string;
  /** The key of the fact; several strokes may share one. */
  fact: string;
  /** Which compared run walked it, by its place among them; null outside comparisons. */
  stroke: number | null;
  /** How many strokes stand side by side for this fact, and which of them this is. */
  strokes: number;
  strand: number;
  source: number;
  target: number;
  relation: string;
  label: string;
  verified: boolean;
  /** The graph holds the fact the other way round as well; both are drawn as one line. */
  both: boolean;
  kind: "fact" | "jump";
  faint: boolean;
  /** An agent looks at it and has not decided. */
  window: boolean;
  lit: boolean;
  dim: boolean;
}

export interface GraphModel {
  nodes: GraphNode[];
  edges: GraphEdge[];
  /** Entities that could be shown; more than `nodes.length` when the limit cut some. */
  total: number;
  hidden: number;
  /** Entities that were found and are no evidence, where the evidence alone is drawn. */
  explored: number;
  /** Nothing more comes by itself, so that places can be a function of what is drawn. */
  settled: boolean;
  /** What is looked at of all there is; places are made anew when this changes. */
  scene?: string;
}

export interface GraphOptions {
  chain: number | null;
  /** The entity that is looked at: of the chain that leads to it, what does so is lit. */
  node?: number | null;
  limit: number;
  only: "evidence" | "all" | "verified";
  relations: ReadonlySet<string>;
  /** Entities to draw besides: what a step of a program kept. */
  also?: readonly Node[];
  /** Facts and jumps to light instead of a chain's: those of what the pointer is on. */
  lit?: readonly string[];
  /** In a comparison: the runs that walked each fact, by their places. Others are drawn as explored. */
  walkedBy?: ReadonlyMap<string, readonly number[]>;
}

/** As many as stay readable at once; the rest is a press on "show more" away. */
export const NODE_LIMIT = 120;

interface Parts {
  facts: Map<string, Fact>;
  supported: ReadonlySet<string>;
  explored: number;
}

/** The facts that support an answer; before there are chains, those of all paths. */
function supporting(view: RunView): Set<string> {
  if (view.chains.length) return new Set(view.chainFacts.flat());
  return new Set([...view.paths.flatMap((path) => path.facts), ...view.agentFacts]);
}

/** Facts that pass the filters, and those among them that support an answer. */
function gather(view: RunView, hand: Exploration, options: GraphOptions): Parts {
  const supported = supporting(view);
  const all = new Map<string, Fact>();
  for (const [key, fact] of [...view.facts, ...hand.added]) {
    if (hand.hidden.has(fact.head.id) || hand.hidden.has(fact.tail.id)) continue;
    if (options.only === "verified" && !fact.verified) continue;
    if (options.relations.size && !options.relations.has(fact.relation)) continue;
    all.set(key, view.facts.get(key) ?? fact);
  }
  // Where nothing supports anything, what was explored is all there is to see.
  if (options.only !== "evidence" || !supported.size) return { facts: all, supported, explored: 0 };
  const facts = new Map([...all].filter(([key]) => supported.has(key) || hand.added.has(key)));
  const near = entitiesOf(facts.values());
  // What is pinned stays with what joins it to the rest.
  const stays = (id: number) => near.has(id) || hand.pinned.has(id);
  for (const [key, fact] of all) {
    const { head, tail } = fact;
    const pinned = hand.pinned.has(head.id) || hand.pinned.has(tail.id);
    if (pinned && stays(head.id) && stays(tail.id)) facts.set(key, fact);
  }
  for (const id of hand.pinned) near.add(id);
  for (const { entity } of [...view.linked, ...view.answers]) if (entity) near.add(entity.id);
  const explored = [...entitiesOf(all.values())].filter((id) => !near.has(id)).length;
  return { facts, supported, explored };
}

function entitiesOf(facts: Iterable<Fact>): Set<number> {
  return new Set([...facts].flatMap((fact) => [fact.head.id, fact.tail.id]));
}

/** An entity that came with a fact added by hand. */
function addedNode(hand: Exploration, id: number): Node | undefined {
  return [...hand.added.values()].flatMap(({ head, tail }) => [head, tail]).find((node) => node.id === id);
}

/** Steps from the topic, as the path that first reached a node walked them; others one past a neighbour. */
function depths(view: RunView, topics: ReadonlySet<number>, facts: readonly Fact[]): Map<number, number> {
  // Topics that lead to each other alone, as those of "is A the capital of B", stand from left to right.
  const ends = [...facts].flatMap(({ head, tail }) => [head.id, tail.id]);
  const [first] = topics;
  const alone = first !== undefined && ends.includes(first) && ends.every((id) => topics.has(id));
  const depth = new Map([...topics].filter((id) => !alone || id === first).map((id) => [id, 0]));
  const walks = [...view.paths.map((path) => path.hops), ...view.chains.map((chain) => chain.hops)];
  for (const { source, target } of walks.flat()) {
    const from = depth.get(source.id);
    if (from !== undefined && !depth.has(target.id)) depth.set(target.id, from + 1);
  }
  const rest = [...facts, ...view.jumps.map((jump) => ({ head: jump.source, tail: jump.target }))];
  for (let grown = true; grown;) {
    grown = false;
    for (const { head, tail } of rest) {
      const [h, t] = [depth.get(head.id), depth.get(tail.id)];
      if ((h === undefined) === (t === undefined)) continue;
      if (h === undefined) depth.set(head.id, (t ?? 0) + 1);
      else depth.set(tail.id, h + 1);
      grown = true;
    }
  }
  return depth;
}

function litFacts(
  view: RunView,
  hand: Exploration,
  { chain, lit, node = null }: GraphOptions,
): ReadonlySet<string> {
  // What is pointed at may not be drawn yet, in a replay: then nothing is dimmed for it.
  const jumps = new Set(view.jumps.map(jumpKey));
  const pointed = lit?.filter((key) => view.facts.has(key) || jumps.has(key)) ?? [];
  if (pointed.length) return new Set(pointed);
  if (hand.marked.length) return new Set(hand.marked);
  if (chain === null) return new Set();
  const leading = node === null ? [] : leadingTo(node, view.chains[chain]?.hops ?? []);
  if (leading.length) return new Set(leading);
  const merged = view.chains[chain]?.merged_with ?? [];
  return new Set([chain, ...merged].flatMap((index) => [...(view.chainFacts[index] ?? [])]));
}

const sceneOf = ({ only, limit, relations }: GraphOptions): string =>
  [only, limit, ...[...relations].sort()].join(" ");

const RANK: Record<Role, number> = { topic: 0, answer: 1, path: 2, window: 3, faint: 4 };

export function buildGraph(view: RunView, hand: Exploration, options: GraphOptions): GraphModel {
  const { facts, supported, explored } = gather(view, hand, options);
  const topics = new Set([
    ...view.linked.map((l) => l.entity.id),
    ...(view.subgraph?.topics ?? []).map((n) => n.id),
  ]);
  const answers = new Set(view.answers.flatMap((answer) => (answer.entity ? [answer.entity.id] : [])));
  const depth = depths(view, topics, [...facts.values()]);
  const lit = litFacts(view, hand, options);

  const onPath = new Set<number>();
  const looked = new Set<number>();
  const window = new Set(view.window);
  const litNodes = new Set<number>();
  const degree = new Map<number, number>();
  const named = new Map<number, Node>();
  const frontier = new Set(view.frontier.map((node) => node.id));
  const touched = new Set([...facts.values()].flatMap(({ head, tail }) => [head.id, tail.id]));
  // A number of the question is no thing to begin at: "what would 6 cost" has no evidence at what else is 6.
  const isIdle = (node: Node) => node.kind === "literal" && supported.size > 0 && !touched.has(node.id);
  for (const id of topics) {
    const node = view.nodes.get(id) ?? addedNode(hand, id);
    if (node && !hand.hidden.has(id) && !(options.only === "evidence" && isIdle(node))) named.set(id, node);
  }
  for (const id of [...answers, ...frontier, ...hand.pinned]) {
    const node = view.nodes.get(id) ?? addedNode(hand, id);
    if (node && !hand.hidden.has(id)) named.set(id, node);
  }
  for (const fact of facts.values()) {
    for (const node of [fact.head, fact.tail]) {
      named.set(node.id, view.nodes.get(node.id) ?? node);
      degree.set(node.id, (degree.get(node.id) ?? 0) + 1);
      if (supported.has(fact.key)) onPath.add(node.id);
      if (window.has(fact.key)) looked.add(node.id);
      if (lit.has(fact.key)) litNodes.add(node.id);
    }
  }
  for (const node of options.also ?? []) if (!named.has(node.id)) named.set(node.id, node);
  const alone = options.only === "evidence" && supported.size > 0;
  const drawn = (id: number) => !hand.hidden.has(id) && (!alone || named.has(id));
  const jumps = view.jumps.filter((jump) => drawn(jump.source.id) && drawn(jump.target.id));
  for (const jump of jumps) {
    for (const node of [jump.source, jump.target]) {
      named.set(node.id, node);
      if (lit.has(jumpKey(jump))) litNodes.add(node.id);
    }
  }

  const all = [...named.values()].map((node): GraphNode => {
    const role: Role = topics.has(node.id)
      ? "topic"
      : answers.has(node.id)
        ? "answer"
        : onPath.has(node.id)
          ? "path"
          : looked.has(node.id)
            ? "window"
            : "faint";
    return {
      id: node.id,
      label: nameOf(node),
      kind: node.kind,
      role,
      depth: depth.get(node.id) ?? 1,
      degree: degree.get(node.id) ?? 0,
      here: frontier.has(node.id),
      ...(hand.pinned.has(node.id) && { pinned: true }),
      dim: lit.size > 0 && !litNodes.has(node.id),
    };
  });
  // Stable: within a rank, what came first stays first, so a later event never swaps what is shown.
  const rank = (node: GraphNode) => (node.pinned ? -1 : RANK[node.role]);
  const nodes = all.sort((a, b) => rank(a) - rank(b)).slice(0, options.limit);
  const shown = new Set(nodes.map((node) => node.id));

  const edges: GraphEdge[] = [];
  const lines = new Map<string, GraphEdge>();
  const walkers = new Map<string, readonly number[]>();
  for (const fact of facts.values()) {
    if (!shown.has(fact.head.id) || !shown.has(fact.tail.id)) continue;
    const twin = lines.get(`${fact.tail.id}|${fact.relation}|${fact.head.id}`);
    const walked = options.walkedBy?.get(fact.key) ?? [];
    if (twin?.verified === fact.verified && fact.head.id !== fact.tail.id) {
      walkers.set(twin.id, [...new Set([...(walkers.get(twin.id) ?? []), ...walked])].sort());
      twin.both = true;
      twin.faint &&= !supported.has(fact.key) && !window.has(fact.key);
      twin.lit ||= lit.has(fact.key);
      twin.dim = lit.size > 0 && !twin.lit;
      continue;
    }
    const edge: GraphEdge = {
      ...edgeOf(fact),
      faint: !supported.has(fact.key) && !window.has(fact.key),
      window: window.has(fact.key) && !supported.has(fact.key),
      lit: lit.has(fact.key),
      dim: lit.size > 0 && !lit.has(fact.key),
    };
    lines.set(fact.key, edge);
    walkers.set(fact.key, walked);
    edges.push(edge);
  }
  for (const jump of jumps) {
    if (!shown.has(jump.source.id) || !shown.has(jump.target.id)) continue;
    const id = jumpKey(jump);
    edges.push({
      id,
      fact: id,
      stroke: null,
      strokes: 1,
      strand: 0,
      source: jump.source.id,
      target: jump.target.id,
      relation: "similarity",
      label: `similar ${jump.score.toFixed(2)}`,
      verified: true,
      both: true,
      kind: "jump",
      faint: false,
      window: false,
      lit: lit.has(id),
      dim: lit.size > 0 && !lit.has(id),
    });
  }
  const stroked = edges.flatMap((edge) => strokesOf(edge, walkers.get(edge.id) ?? []));
  const hidden = hand.hidden.size;
  return {
    nodes,
    edges: stroked,
    total: all.length,
    hidden,
    explored,
    settled: isOver(view.phase),
    scene: sceneOf(options),
  };
}

/** The model with these entities lit, and the facts among them; as it is where none of them is drawn. */
export function lightNodes(model: GraphModel, ids: readonly number[]): GraphModel {
  const wanted = new Set(ids);
  if (!model.nodes.some((node) => wanted.has(node.id))) return model;
  return {
    ...model,
    nodes: model.nodes.map((node) => ({ ...node, dim: !wanted.has(node.id) })),
    edges: model.edges.map((edge) => {
      const lit = wanted.has(edge.source) && wanted.has(edge.target);
      return { ...edge, lit, dim: !lit };
    }),
  };
}
