// The evidence of a run as a scene to explore: an address that brings it back.
import type { Run } from "@/api/types";
import { addressOf } from "./exploring";
import { isOver, type RunView } from "./runView";

/** Entities that a scene begins with. */
const BEGUN = 60;

/** Where the evidence of a run can be explored: its topics pinned, what leads to the answers shown. */
export function sceneOf(run: Pick<Run, "graph" | "snapshot">, view: RunView): string | undefined {
  const topics = [...new Set(view.linked.map((one) => one.entity.id))];
  const ends = view.chainFacts.flat().flatMap((key) => {
    const fact = view.facts.get(key);
    return fact ? [fact.head.id, fact.tail.id] : [];
  });
  const answers = view.answers.flatMap((answer) => (answer.entity ? [answer.entity.id] : []));
  const rest = [...new Set([...ends, ...answers])].filter((id) => !topics.includes(id));
  if (!isOver(view.phase) || topics.length + rest.length === 0) return undefined;
  const steps = [topics, rest.slice(0, BEGUN)].filter((step) => step.length > 0);
  const scene = addressOf({
    ...{ steps, pins: topics, kinds: [], relations: [], path: [] },
    version: run.snapshot || null,
  });
  const params = new URLSearchParams(
    Object.entries(scene).filter((entry): entry is [string, string] => entry[1] !== null),
  );
  return `/graphs/${run.graph}/explore?${params.toString()}`;
}
