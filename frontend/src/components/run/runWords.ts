// What a run is doing and how it ended, in a sentence.
import { count } from "@/view/format";
import type { RunView } from "@/view/runView";
import { nameOf } from "@/view/entityNames";

/** What a screen reader hears when a run ends. */
export function outcome(view: RunView): string {
  if (view.phase === "done") {
    return view.noAnswer
      ? `No answer. ${view.noAnswer.message}`
      : `${count(view.answers.length, view.answers[0]?.guess ? "guess" : "answer", view.answers[0]?.guess ? "guesses" : "answers")}: ${view.answers
          .slice(0, 5)
          .map(nameOf)
          .join(", ")}`;
  }
  if (view.phase === "failed") return `The run failed. ${view.failure?.message ?? ""}`;
  if (view.phase === "cancelled") return "Stopped. The result is incomplete.";
  if (view.phase === "paused") return `Paused. ${view.pause?.message ?? ""}`;
  return view.phase === "running" ? "Running" : "";
}

/** What is going on, for the line that stands where the answers will. */
export function doing(view: RunView): string {
  const walk = view.agent.at(-1);
  if (view.chains.length) return "Reasoning over the evidence";
  if (view.program) return "Gathering the facts that prove it";
  if (walk) return `Step ${walk.event.step}: ${walk.event.observation}`;
  if (view.passages.length) return `Reading ${count(view.passages.length, "passage")}`;
  if (view.paths.length) return `Retrieving paths, ${view.paths.length} so far`;
  if (view.subgraph) return `Searching ${count(view.subgraph.triples, "triple")}`;
  return view.linked.length ? "Cutting out the subgraph" : "Linking entities";
}
