// What a run has found in the graph: entities, facts, jumps.
import type { Envelope, Hop, Node, SimilarityExpanded } from "@/api/events";

/** A fact as the graph holds it, head to tail, whichever way the retriever walked it. */
export interface Fact {
  key: string;
  head: Node;
  tail: Node;
  relation: string;
  label: string;
  verified: boolean;
}

export type Jump = SimilarityExpanded & Envelope;

/** What was found by some moment: taking steps of an agent back brings an earlier one again. */
export interface Found {
  nodes: ReadonlyMap<number, Node>;
  facts: ReadonlyMap<string, Fact>;
  /** Keys of the facts that the agent selected, over all its steps. */
  agentFacts: readonly string[];
  /** Keys of the facts it looks at and has not decided about. */
  window: readonly string[];
  /** Where the agent stands; nowhere once its search is over. */
  frontier: readonly Node[];
  jumps: readonly Jump[];
}

/** The fact behind a hop: turned round when the hop was walked against it. */
export function factOfHop(hop: Hop): Fact {
  const [head, tail] = hop.step.inverse ? [hop.target, hop.source] : [hop.source, hop.target];
  return {
    key: `${head.id}|${hop.step.name}|${tail.id}`,
    head,
    tail,
    relation: hop.step.name,
    label: hop.step.label,
    verified: hop.verified,
  };
}

interface Grown {
  nodes: ReadonlyMap<number, Node>;
  facts: ReadonlyMap<string, Fact>;
  keys: string[];
}

/** Add the facts of `hops` to the view. A fact once found in the snapshot stays verified. */
export function withHops(view: Pick<Found, "nodes" | "facts">, hops: readonly Hop[]): Grown {
  const nodes = new Map(view.nodes);
  const facts = new Map(view.facts);
  const keys: string[] = [];
  for (const hop of hops) {
    const fact = factOfHop(hop);
    nodes.set(fact.head.id, fact.head);
    nodes.set(fact.tail.id, fact.tail);
    const known = facts.get(fact.key);
    if (!known || (fact.verified && !known.verified)) facts.set(fact.key, fact);
    keys.push(fact.key);
  }
  return { nodes, facts, keys };
}

export function withNodes(view: Pick<Found, "nodes">, added: readonly Node[]): ReadonlyMap<number, Node> {
  const nodes = new Map(view.nodes);
  for (const node of added) nodes.set(node.id, node);
  return nodes;
}

/** What the drawing calls a jump, among its edges. */
export function jumpKey(jump: SimilarityExpanded): string {
  return `~${jump.source.id}|${jump.target.id}`;
}
