// What forms ask of how questions are asked: of which, by which method and language model, and whether somebody works.
import { useQuery } from "@tanstack/react-query";
import { languageModelsQuery } from "@/api/languageModels";
import { statusQuery } from "@/api/queries";
import type { LanguageModel } from "@/api/languageModels";
import type { MethodInfo } from "@/api/types";
import { PickField } from "./controls";

export const SPLITS = ["test", "dev", "train"] as const;

export const TOPICS = [
  { id: "given", label: "As the question set names them", detail: "Measures retrieval and reasoning alone" },
  { id: "linked", label: "Found by Clew's linker", detail: "Measures what a person gets who just asks" },
];

export const SUBGRAPHS = [
  { id: "own", label: "The question's own", detail: "Where a question brings triples; else the whole graph" },
  { id: "whole", label: "The whole graph", detail: "Also where a question brings triples of its own" },
];

export const ANSWERS = [
  { id: "all", label: "All of the split" },
  {
    id: "in-graph",
    label: "Those with an answer in the graph",
    detail: "As the papers’ -sub sets; in the question’s own subgraph where it brings one",
  },
];

interface MethodFieldProps {
  methods: readonly MethodInfo[];
  value: string | undefined;
  onChange: (id: string) => void;
}

export function MethodField({ methods, value, onChange }: MethodFieldProps) {
  const options = methods.map(({ id, label, description }) => ({ id, label, detail: description, end: id }));
  return <PickField label="Method" options={options} value={value} onChange={onChange} />;
}

interface ModelFieldProps {
  value: string | null;
  onChange: (id: string) => void;
  /** It is not shown where there are fewer. */
  least?: number;
  marksDefault?: boolean;
}

/** Which language model is asked, of those that are switched on. */
export function ModelField({ value, onChange, least = 1, marksDefault }: ModelFieldProps) {
  const { data } = useQuery(languageModelsQuery);
  const usable = (data?.results ?? []).filter((model) => model.enabled);
  if (usable.length < least) return null;
  const option = (model: LanguageModel) => ({
    id: String(model.id),
    label: model.name,
    detail: model.model,
    ...(marksDefault && model.default && { end: "default" }),
  });
  return (
    <PickField
      label="Language model"
      options={usable.map(option)}
      value={value ?? usable.find((model) => model.default)?.id}
      onChange={onChange}
    />
  );
}

/** Said where what is started has to wait. */
export function NoWorker({ what = "job" }: { what?: string }) {
  const { data } = useQuery(statusQuery);
  if (data?.workers.jobs !== 0) return null;
  return <p className="bad-text">No worker is running. The {what} is kept and starts when one does.</p>;
}
