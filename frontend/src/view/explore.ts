// What a person did to the graph by hand: neighbours added, nodes hidden or pinned, a path marked. Every
// step can be taken back.
import type { Hop, Node } from "@/api/events";
import { factOfHop, type Fact } from "./runEntities";

interface Hand {
  added: ReadonlyMap<string, Fact>;
  hidden: ReadonlySet<number>;
  pinned: ReadonlySet<number>;
  marked: readonly string[];
}

export interface Exploration extends Hand {
  past: readonly Hand[];
}

export type ExploreAction =
  | { type: "expand"; hops: readonly Hop[] }
  | { type: "hide"; nodes: readonly Node["id"][] }
  /** Those that are all pinned are let go. */
  | { type: "pin"; nodes: readonly Node["id"][] }
  | { type: "mark"; facts: readonly string[] }
  | { type: "undo" }
  | { type: "reset" };

const UNDO_LIMIT = 50;

export const nothingExplored: Exploration = {
  added: new Map(),
  hidden: new Set(),
  pinned: new Set(),
  marked: [],
  past: [],
};

export function explore(state: Exploration, action: ExploreAction): Exploration {
  const { past, ...hand } = state;
  const step = (change: Partial<Hand>): Exploration => ({
    ...hand,
    ...change,
    past: [...past.slice(1 - UNDO_LIMIT), hand],
  });
  switch (action.type) {
    case "expand": {
      const facts = action.hops.map(factOfHop);
      const shown = new Set(facts.flatMap((fact) => [fact.head.id, fact.tail.id]));
      return step({
        added: new Map([...state.added, ...facts.map((fact) => [fact.key, fact] as const)]),
        hidden: new Set([...state.hidden].filter((id) => !shown.has(id))),
      });
    }
    case "hide":
      return step({
        hidden: new Set([...state.hidden, ...action.nodes]),
        pinned: new Set([...state.pinned].filter((id) => !action.nodes.includes(id))),
      });
    case "pin": {
      const others = [...state.pinned].filter((id) => !action.nodes.includes(id));
      const letGo = action.nodes.every((id) => state.pinned.has(id));
      return step({ pinned: new Set(letGo ? others : [...others, ...action.nodes]) });
    }
    case "mark":
      return step({ marked: action.facts });
    case "undo": {
      const before = past.at(-1);
      return before ? { ...before, past: past.slice(0, -1) } : state;
    }
    case "reset":
      return nothingExplored;
  }
}
