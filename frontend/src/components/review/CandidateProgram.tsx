// A program to be judged: its steps with what each kept, while it is in focus.
import { useState } from "react";
import type { ProgramExecuted } from "@/api/events";
import { ProgramSteps } from "@/components/program/ProgramSteps";
import "@/components/program/program.css";

export function CandidateProgram({ executed, focused }: { executed: ProgramExecuted; focused: boolean }) {
  const [chosen, setChosen] = useState<number | null>(null);
  if (!focused) return null;
  return (
    <ProgramSteps program={executed} chosen={chosen} onChoose={setChosen} graph={undefined} edit={null} />
  );
}
