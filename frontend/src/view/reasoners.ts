// What turns the retrieved into answers, as a person chooses among them.

export interface ReasonerChoice {
  id: string;
  label: string;
  detail: string;
  disabled?: boolean;
}

const CHOICES: readonly ReasonerChoice[] = [
  { id: "extractive", label: "Extractive", detail: "Follows relation paths; complete sets, no LLM" },
  { id: "llm", label: "Language model", detail: "Reads the evidence chains and writes the answer" },
  {
    id: "llm-program",
    label: "Program by a language model",
    detail: "It writes the steps, the graph computes them",
  },
];

/** Whether a language model takes part. */
export const asksModel = (reasoner: string | null): boolean => reasoner !== null && reasoner !== "extractive";

/** The reasoners, with what stands against one. */
export function reasonerChoices(llm: boolean, takesWrittenPrograms: boolean): ReasonerChoice[] {
  return CHOICES.map((one) => {
    if (asksModel(one.id) && !llm)
      return { ...one, disabled: true, detail: "None is set up: an admin can, under Language models" };
    if (one.id === "llm-program" && !takesWrittenPrograms)
      return { ...one, disabled: true, detail: "Not by this method: choose one of relation paths" };
    return one;
  });
}
