// Actions of an agent in words.
import type { AgentAction, Hop, RelationStep } from "@/api/events";
import type { ActionRow } from "@/api/trajectories";
import { count } from "./format";
import { nameOf } from "./entityNames";

const NAMES = 3;

function relation(step: RelationStep): string {
  return `${step.inverse ? "←" : "→"} ${step.label}`;
}

function fact(hop: Hop): string {
  return `${nameOf(hop.source)} ${relation(hop.step)} ${nameOf(hop.target)}`;
}

/** The first few of `names`, and how many of `total` are not named. */
function listed(names: readonly string[], total: number): string {
  const shown = names.slice(0, NAMES);
  const rest = total - shown.length;
  return rest > 0 ? `${shown.join(", ")} and ${rest} more` : shown.join(", ");
}

export interface ActionWords {
  verb: string;
  /** What it is done to; "" for an end. */
  what: string;
  /** How many facts it shows or keeps; "" where that says nothing. */
  facts: string;
}

export function actionWords(action: AgentAction): ActionWords {
  const facts = action.facts > 0 ? count(action.facts, "fact") : "";
  switch (action.kind) {
    case "explore": {
      const names = action.entities.map(nameOf);
      return { verb: "Explore", what: listed(names, Math.max(action.count, names.length)), facts };
    }
    case "choose": {
      const names = action.triples.length ? action.triples.map(fact) : action.relations.map(relation);
      return { verb: "Keep", what: listed(names, names.length), facts };
    }
    case "finish":
      return { verb: "Finish", what: "and answer from what is kept", facts: "" };
  }
}

/** An action in one line: "Keep → directed by". */
export function actionLine(action: AgentAction): string {
  const { verb, what } = actionWords(action);
  return action.kind === "finish" ? verb : `${verb} ${what}`;
}

const keyOf = ({ kind, entities, relations, triples, front }: AgentAction) =>
  JSON.stringify([
    kind,
    front,
    entities.map((node) => node.id),
    relations.map((step) => [step.name, step.inverse]),
    triples.map((hop) => [hop.source.id, hop.step.name, hop.step.inverse, hop.target.id]),
  ]);

/** Whether two actions do the same, however probable each was. */
export function sameAction(one: AgentAction | null, other: AgentAction | null): boolean {
  return one !== null && other !== null && keyOf(one) === keyOf(other);
}

const arrow = (inverse: boolean) => (inverse ? "←" : "→");

/** An action of a trajectory file in one line. */
export function rowLine(row: ActionRow): string {
  switch (row.kind) {
    case "explore":
      if (row.entities) return `Explore ${listed(row.entities, row.entities.length)}`;
      return row.front ? `Explore what choice ${row.front} reached` : "Explore the topics";
    case "choose": {
      const relations = (row.relations ?? []).map(([name, inverse]) => `${arrow(inverse)} ${name}`);
      const facts = (row.triples ?? []).map(
        ([from, name, inverse, to]) => `${from} ${arrow(inverse)} ${name} ${to}`,
      );
      return `Keep ${[...relations, ...facts].join(", ").replaceAll("_", " ")}`;
    }
    case "finish":
      return "Finish";
  }
}
