// The run reducer: events in, view model out. Pure; every event type is handled in one place.
import type {
  AgentStep,
  Answer,
  Envelope,
  EvidenceChain,
  Hop,
  LinkedEntity,
  NoAnswer,
  Node,
  RetrievedPassage,
  RouterDecided,
  RunStarted,
  SimilarityExpanded,
  SubgraphExtracted,
  Usage,
} from "@/api/events";
import type { RunEvent } from "@/api/types";
import { addStep, type Step } from "./steps";

export type Phase = "queued" | "running" | "done" | "failed" | "cancelled";

/** A fact as the graph holds it, head to tail, whichever way the retriever walked it. */
export interface Fact {
  key: string;
  head: Node;
  tail: Node;
  relation: string;
  label: string;
  verified: boolean;
}

export interface RetrievedPath {
  index: number;
  score: number;
  at_ms: number;
  facts: readonly string[];
  hops: readonly Hop[];
}

export type Jump = SimilarityExpanded & Envelope;

/** A step of an agent, with the keys of the facts it selected and of those it left. */
export interface AgentWalk {
  seq: number;
  event: AgentStep;
  chosen: readonly string[];
  dropped: readonly string[];
}

export interface RunView {
  run: string;
  seq: number;
  phase: Phase;
  startedAt: string | null;
  started: RunStarted | null;
  linked: readonly LinkedEntity[];
  unmatched: readonly string[];
  router: RouterDecided | null;
  subgraph: SubgraphExtracted | null;
  nodes: ReadonlyMap<number, Node>;
  facts: ReadonlyMap<string, Fact>;
  paths: readonly RetrievedPath[];
  passages: readonly RetrievedPassage[];
  agent: readonly AgentWalk[];
  /** Keys of the facts that the agent selected, over all its steps. */
  agentFacts: readonly string[];
  /** Where the agent stands; nowhere once its search is over. */
  standing: readonly Node[];
  jumps: readonly Jump[];
  chains: readonly EvidenceChain[];
  /** Keys of the facts of each chain, in the order of `chains`. */
  chainFacts: readonly (readonly string[])[];
  answers: readonly Answer[];
  noAnswer: NoAnswer | null;
  text: string;
  warnings: readonly string[];
  usage: Usage | null;
  tookMs: number | null;
  failure: { code: string; message: string; hint: string } | null;
  cancelled: { message: string; paths: number } | null;
  steps: readonly Step[];
}

export function emptyView(run: string): RunView {
  return {
    run,
    seq: 0,
    phase: "queued",
    startedAt: null,
    started: null,
    linked: [],
    unmatched: [],
    router: null,
    subgraph: null,
    nodes: new Map(),
    facts: new Map(),
    paths: [],
    passages: [],
    agent: [],
    agentFacts: [],
    standing: [],
    jumps: [],
    chains: [],
    chainFacts: [],
    answers: [],
    noAnswer: null,
    text: "",
    warnings: [],
    usage: null,
    tookMs: null,
    failure: null,
    cancelled: null,
    steps: [],
  };
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
function withHops(view: RunView, hops: readonly Hop[]): Grown {
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

function withNodes(view: RunView, added: readonly Node[]): ReadonlyMap<number, Node> {
  const nodes = new Map(view.nodes);
  for (const node of added) nodes.set(node.id, node);
  return nodes;
}

function changes(view: RunView, event: RunEvent): Partial<RunView> {
  switch (event.type) {
    case "run.started":
      return { phase: "running", startedAt: event.at, started: event };
    case "question.linked":
      return {
        linked: event.entities,
        unmatched: event.unmatched,
        nodes: withNodes(
          view,
          event.entities.map((linked) => linked.entity),
        ),
      };
    case "router.decided":
      return { router: event };
    case "subgraph.extracted":
      return { subgraph: event, nodes: withNodes(view, event.topics) };
    case "path.retrieved": {
      const { nodes, facts, keys } = withHops(view, event.hops);
      const path = {
        index: event.index,
        score: event.score,
        at_ms: event.at_ms,
        facts: keys,
        hops: event.hops,
      };
      return { nodes, facts, paths: [...view.paths, path] };
    }
    case "passages.retrieved":
      return { passages: event.passages };
    case "agent.step": {
      const chosen = withHops(view, event.hops);
      const grown = withHops({ ...view, ...chosen }, event.dropped);
      const walk = { seq: event.seq, event, chosen: chosen.keys, dropped: grown.keys };
      return {
        nodes: withNodes({ ...view, nodes: grown.nodes }, event.current),
        facts: grown.facts,
        agent: [...view.agent, walk],
        agentFacts: [...view.agentFacts, ...chosen.keys],
        standing: event.current,
      };
    }
    case "run.paused":
    case "agent.rewound":
      return {};
    case "similarity.expanded":
      return { nodes: withNodes(view, [event.source, event.target]), jumps: [...view.jumps, event] };
    case "chains.built": {
      let grown = view;
      const chainFacts: string[][] = [];
      for (const chain of event.chains) {
        const { nodes, facts, keys } = withHops(grown, chain.hops);
        grown = { ...grown, nodes, facts };
        chainFacts.push(keys);
      }
      return { nodes: grown.nodes, facts: grown.facts, chains: event.chains, chainFacts, standing: [] };
    }
    case "answer.delta":
      return { text: view.text + event.text };
    case "answer.final":
      return {
        phase: "done",
        standing: [],
        answers: event.answers,
        noAnswer: event.no_answer,
        text: event.text,
        warnings: event.warnings,
        usage: event.usage,
        tookMs: event.took_ms,
        nodes: withNodes(
          view,
          event.answers.flatMap((answer) => (answer.entity ? [answer.entity] : [])),
        ),
      };
    case "run.failed":
      return { phase: "failed", failure: { code: event.code, message: event.message, hint: event.hint } };
    case "run.cancelled":
      return { phase: "cancelled", cancelled: { message: event.message, paths: event.paths } };
  }
}

/** The similarity jumps that the agent made after its step `step`. */
export function jumpsAfter(view: RunView, step: number): readonly Jump[] {
  return view.jumps.filter((jump) => jump.step === step);
}

/** What the drawing calls a jump, among its edges. */
export function jumpKey(jump: SimilarityExpanded): string {
  return `~${jump.source.id}|${jump.target.id}`;
}

/** The view after `event`. Events must come in order; `runLog` sees to that. */
export function reduceRun(view: RunView, event: RunEvent): RunView {
  return {
    ...view,
    ...changes(view, event),
    run: event.run,
    seq: event.seq,
    steps: addStep(view.steps, event, view.startedAt ?? event.at),
  };
}

/** The view as it stood after event `seq`, for replay. */
export function viewAt(run: string, events: readonly RunEvent[], seq: number): RunView {
  return events.filter((event) => event.seq <= seq).reduce(reduceRun, emptyView(run));
}

export function isOver(phase: Phase): boolean {
  return phase === "done" || phase === "failed" || phase === "cancelled";
}
