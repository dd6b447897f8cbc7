// A program to be judged: its steps with what each kept, while it is in focus.
import { useState } from "react";
import type { ProgramExecuted } from "@/api/events";
import { ProgramSteps } from "@/components/program/ProgramSteps";
import "@/components/program/program.css";
import { integer, valueText } from "@/view/format";

const NAMES = 3;

/** What a program gives in a few words: of a set the first names, else the number, or yes or no. */
export function givenBy({ steps }: ProgramExecuted): string {
  const last = steps.at(-1);
  if (!last) return "nothing";
  if (last.result !== "set") return valueText(last.value) || "no value";
  const names = last.nodes.slice(0, NAMES).map((node) => node.label);
  const more = last.count - names.length;
  return [names.join("; ") || "nothing", more > 0 && `+${integer(more)}`].filter(Boolean).join(" ");
}

export function CandidateProgram({ executed, focused }: { executed: ProgramExecuted; focused: boolean }) {
  const [chosen, setChosen] = useState<number | null>(null);
  if (!focused) return null;
  return (
    <ProgramSteps program={executed} chosen={chosen} onChoose={setChosen} graph={undefined} edit={null} />
  );
}
