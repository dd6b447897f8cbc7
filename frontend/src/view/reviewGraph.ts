// The facts of an item's candidates as a drawing: those of the candidate in focus are lit, the others dimmed.
import type { Node } from "@/api/events";
import type { Drawing, Item } from "@/api/review";
import { factOfHop, type Fact } from "./runEntities";
import { edgeOf } from "./graphEdges";
import { isAnswerKnown } from "./review";
import type { GraphEdge, GraphModel, GraphNode, Mark } from "./graphModel";

/** Steps from a topic, along the hops as they were walked. */
function depths(drawings: readonly Drawing[], topics: ReadonlySet<string>): Map<number, number> {
  const depth = new Map<number, number>();
  for (const { hops } of drawings) {
    for (const { source, target } of hops) {
      if (topics.has(source.label) && !depth.has(source.id)) depth.set(source.id, 0);
      const from = depth.get(source.id);
      if (from !== undefined && !depth.has(target.id)) depth.set(target.id, from + 1);
    }
  }
  return depth;
}

/** Whether the paths that are not lit are drawn as well. */
export type Shown = "all" | "lit";

/** `focus` is the id of the candidate that is lit. */
export function reviewGraph(
  every: readonly Drawing[],
  item: Pick<Item, "topics" | "answers" | "assumed" | "answered">,
  focus: number | null,
  shown: Shown = "all",
): GraphModel {
  const drawings = shown === "all" ? every : every.filter((one) => one.candidate === focus);
  const topics = new Set(item.topics);
  const answers = new Set(item.answers);
  const facts = new Map<string, Fact>();
  const nodes = new Map<number, Node>();
  for (const { hops, missed } of drawings) {
    for (const hop of hops) {
      const fact = factOfHop(hop);
      facts.set(fact.key, fact);
      nodes.set(fact.head.id, fact.head);
      nodes.set(fact.tail.id, fact.tail);
    }
    // A number, or yes or no, is no node of the graph.
    for (const node of missed) if (node.id >= 0) nodes.set(node.id, node);
  }
  const chosen = drawings.find((one) => one.candidate === focus);
  const lit = new Set(chosen?.hops.map((hop) => factOfHop(hop).key));
  const litNodes = new Set(chosen?.hops.flatMap((hop) => [hop.source.id, hop.target.id]));
  const mark = new Map<number, Mark>();
  for (const [word, of] of [
    ["hit", chosen?.hit],
    ["extra", chosen?.extra],
    ["missed", chosen?.missed],
  ] as const) {
    if (isAnswerKnown(item)) for (const node of of ?? []) mark.set(node.id, word);
  }
  const depth = depths(drawings, topics);
  const deepest = Math.max(1, ...depth.values());
  const degree = new Map<number, number>();
  for (const { head, tail } of facts.values()) {
    for (const id of [head.id, tail.id]) degree.set(id, (degree.get(id) ?? 0) + 1);
  }
  const drawn = [...nodes.values()].map((node): GraphNode => {
    const word = mark.get(node.id);
    return {
      id: node.id,
      label: word ? `${word} · ${node.label}` : node.label,
      kind: node.kind,
      role: topics.has(node.label) ? "topic" : answers.has(node.label) ? "answer" : "path",
      depth: depth.get(node.id) ?? deepest,
      degree: degree.get(node.id) ?? 0,
      here: false,
      ...(word && { mark: word }),
      dim: chosen !== undefined && !litNodes.has(node.id) && word === undefined,
    };
  });
  const edges = [...facts.values()].map((fact): GraphEdge => ({
    ...edgeOf(fact),
    lit: lit.has(fact.key),
    dim: chosen !== undefined && !lit.has(fact.key),
  }));
  const scene = shown === "all" ? "all" : `lit ${String(focus)}`;
  return { nodes: drawn, edges, total: drawn.length, hidden: 0, explored: 0, settled: true, scene };
}
