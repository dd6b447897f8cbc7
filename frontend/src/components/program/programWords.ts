// How a program is told on the pages.
import type { ProgramExecuted, ProgramStep } from "@/api/events";
import { count, integer, valueText } from "@/view/format";
import type { RunView } from "@/view/runView";

/** What a step does, with its days as people write them. */
export const stepText = ({ text }: Pick<ProgramStep, "text">) =>
  text.replace(/\b\d{4}-\d\d-\d\d\b/g, valueText);

/** What a step gives: how many it kept, or its value. */
export function outcomeOf(step: ProgramStep): string {
  return step.result === "set" ? `${integer(step.count)} kept` : step.display || "no value";
}

export const keptNothing = (step: ProgramStep): boolean =>
  step.result === "set" ? step.count === 0 : step.value === "";

/** The first step that kept nothing, for which the question has no answer; -1 where a no is one. */
export function emptyStep({ steps }: ProgramExecuted): number {
  return steps.at(-1)?.result === "truth" ? -1 : steps.findIndex(keptNothing);
}

export function stepsText(program: ProgramExecuted): string {
  return program.steps.map((step, index) => `${index + 1}. ${stepText(step)}: ${outcomeOf(step)}`).join("\n");
}

/** Values that the answers were ranked by, by their entities, and those of the next after them. */
export function rankedOf({ program }: Pick<RunView, "program">) {
  const ranked = program?.ranked ?? [];
  return {
    values: new Map(
      ranked
        .filter((one) => one.answer)
        .map(({ node, display, group }) => [node.id, group ? `${group} · ${display}` : display]),
    ),
    runnersUp: ranked.filter((one) => !one.answer),
  };
}

/** The list behind a number or a yes, which the last step made of it; null where there is none. */
export function listBehind({
  program,
}: Pick<RunView, "program">): { title: string; step: ProgramStep } | null {
  const op = program?.read.program.op;
  if (op !== "Count" && op !== "Exists") return null;
  const step = program?.steps.find((one) => one.path.join(".") === "source");
  if (step?.result !== "set" || !step.nodes.length) return null;
  return {
    title:
      op === "Count"
        ? `The ${integer(step.count)} that were counted`
        : `${count(step.count, "match", "matches")} found`,
    step,
  };
}
