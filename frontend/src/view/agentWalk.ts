// The steps of an agent: what each brought into the window, kept and left, and taking them back.
import type { AgentAction, AgentStep, Envelope } from "@/api/events";
import { withHops, withNodes, type Found, type Jump } from "./runEntities";

/** A step of an agent, with the keys of the facts it selected, looked at and left. */
export interface AgentWalk {
  seq: number;
  event: AgentStep;
  chosen: readonly string[];
  seen: readonly string[];
  dropped: readonly string[];
  /** What was found before it. */
  before: Found;
}

/** What of a run the steps of its agent change. */
export interface Walked extends Found {
  /** The steps that stand, and those that a person took back. */
  agent: readonly AgentWalk[];
  undone: readonly AgentWalk[];
  /** While it is paused: why, and what the agent could do next, best first. */
  pause: { message: string; alternatives: readonly AgentAction[] } | null;
}

function foundOf(view: Found): Found {
  const { nodes, facts, agentFacts, window, frontier, jumps } = view;
  return { nodes, facts, agentFacts, window, frontier, jumps };
}

/** Whether two explorations are of the same entities: then the second shows the next page of their facts. */
function sameFront(one: AgentAction | null | undefined, other: AgentAction): boolean {
  const named = (action: AgentAction) => action.entities.map((node) => node.id).join();
  return one?.kind === "explore" && one.front === other.front && named(one) === named(other);
}

/** What is looked at and not decided about after a step. */
function windowAfter(view: Walked, event: AgentStep, seen: readonly string[]): readonly string[] {
  if (!event.valid) return view.window;
  const before = view.agent.at(-1)?.event.chosen;
  return event.chosen?.kind === "explore" && sameFront(before, event.chosen)
    ? [...view.window, ...seen]
    : seen;
}

/** What a step of an agent changes. */
export function stepped(view: Walked, event: AgentStep & Envelope): Partial<Walked> {
  const seen = withHops(view, event.seen);
  const chosen = withHops({ ...view, ...seen }, event.hops);
  const grown = withHops({ ...view, ...chosen }, event.dropped);
  const before = foundOf(view);
  const walk = { seq: event.seq, event, chosen: chosen.keys, seen: seen.keys, dropped: grown.keys, before };
  return {
    nodes: withNodes({ ...view, nodes: grown.nodes }, event.current),
    facts: grown.facts,
    agent: [...view.agent, walk],
    agentFacts: [...view.agentFacts, ...chosen.keys],
    window: windowAfter(view, event, seen.keys),
    frontier: event.current,
  };
}

/** The view once the steps behind `kept` of an agent, and the end they led to, count no more. */
export function rewound(view: Walked, kept: number): Partial<Walked> {
  const gone = view.agent.slice(kept);
  return {
    ...gone[0]?.before,
    pause: null,
    agent: view.agent.slice(0, kept),
    undone: [...view.undone, ...gone],
  };
}

/** The similarity jumps that the agent made after its step `step`. */
export function jumpsAfter(view: Walked, step: number): readonly Jump[] {
  return view.jumps.filter((jump) => jump.step === step);
}
