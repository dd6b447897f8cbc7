// Runs as far as the sentence that answers them needs them.
import type { Answer, ProgramExecuted, ProgramStep } from "@/api/events";
import { answerSentence } from "@/store/answerWords";
import { viewAt, type RunView } from "@/store/runView";
import { PROGRAM } from "./program";
import { RUN } from "./switzerland";

export type Told = readonly [text: string, kept: number | string];

/** A run of a program of which this is told. */
export function run(
  op: string,
  told: readonly Told[],
  names: readonly string[],
  ranked: readonly string[] = [],
  groups: readonly string[] = [],
) {
  const steps = told.map(([text, kept], index): ProgramStep => ({
    ...{ text, nodes: [], path: [String(index)] },
    ...(typeof kept === "number"
      ? { result: "set" as const, count: kept, value: "" }
      : { result: "number" as const, count: 0, value: kept }),
  }));
  const program: ProgramExecuted = {
    ...PROGRAM,
    read: { text: "", program: { op }, score: 0.9 },
    steps,
    ranked: ranked.map((value, id) => ({
      node: { id, label: names[id] ?? "", kind: "entity" },
      value,
      answer: id === 0,
      group: groups[id] ?? "",
    })),
  };
  const answers = names.map((label): Answer => ({
    ...{
      label,
      score: 0.9,
      entity: null,
      chains: [],
      verified: true,
      citations: [],
      guess: false,
      beside: [],
    },
  }));
  return { ...viewAt(RUN, [], 0), program, answers } satisfies RunView;
}

/** The sentence that answers such a run. */
export const said = (...args: Parameters<typeof run>) => answerSentence(run(...args));
