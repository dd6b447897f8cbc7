// How a program is told on the pages.
import type { ProgramExecuted, ProgramStep } from "@/api/events";
import { count, integer, valueText } from "@/store/format";
import { unitOf } from "@/store/answerWords";
import { stepWords, unitOfStep } from "@/store/computed";
import type { RunView } from "@/store/runView";
import { inUnit } from "@/store/words";

/** What a step gives: how many it kept, or its value in the unit of its column. */
export function outcomeOf(program: ProgramExecuted, step: ProgramStep): string {
  if (step.result === "set") return `${integer(step.count)} kept`;
  return inUnit(step.value, unitOfStep(program, step)) || "no value";
}

export const keptNothing = (step: ProgramStep): boolean =>
  step.result === "set" ? step.count === 0 : step.value === "";

/** The first step that kept nothing, for which the question has no answer; -1 where a no is one. */
export function emptyStep({ steps }: ProgramExecuted): number {
  return steps.at(-1)?.result === "truth" ? -1 : steps.findIndex(keptNothing);
}

export function stepsText(program: ProgramExecuted): string {
  return program.steps
    .map((step, index) => `${index + 1}. ${stepWords(step.text)}: ${outcomeOf(program, step)}`)
    .join("\n");
}

/** A value that a program came to, as an answer: in the unit of its column. */
export function computedAnswer({ program }: Pick<RunView, "program">, label: string): string {
  const last = program?.steps.at(-1);
  return program && last?.value === label ? inUnit(label, unitOfStep(program, last)) : valueText(label);
}

/** Values that the answers were ranked by, by their entities, and those of the next after them. */
export function rankedOf({ program }: Pick<RunView, "program">) {
  const ranked = program?.ranked ?? [];
  const unit = unitOf(program?.steps.at(-1)?.text ?? "");
  const shown = (value: string) => inUnit(value, unit);
  return {
    values: new Map(
      ranked
        .filter((one) => one.answer)
        .map(({ node, value, group }) => [node.id, group ? `${group} · ${shown(value)}` : shown(value)]),
    ),
    runnersUp: ranked.filter((one) => !one.answer).map((one) => ({ ...one, value: shown(one.value) })),
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
