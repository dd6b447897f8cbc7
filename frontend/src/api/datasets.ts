// A graph as a data set: its versions, its figures, what became of its files, and how its questions fit it.
import { queryOptions } from "@tanstack/react-query";
import { get, request, requestFile } from "./client";
import { keys } from "./queries";
import type { From, Graph, Id, Job, QuestionSet, Reading } from "./types";

export type Mode = "replace" | "append" | "remove";

/** What points at a version. */
export type UsedBy = Record<string, number>;

export interface Version {
  version: number;
  hash: string;
  snapshot: Id;
  mode: Mode;
  /** The version that it changed. */
  base: number | null;
  note: string;
  entities: number;
  relations: number;
  triples: number;
  passages: number;
  attributes: number;
  bytes: number;
  problems: number;
  files: { name: string; size: number }[];
  current: boolean;
  used_by: UsedBy;
  created_at: string;
  created_by: string | null;
}

export interface Diff {
  added: number;
  removed: number;
  kept: number;
  added_sample: string[][];
  removed_sample: string[][];
  relations_gained: string[];
  relations_lost: string[];
  entities_gained: number;
  entities_lost: number;
  entities_gained_sample: string[];
  entities_lost_sample: string[];
  passages_gained: number;
  passages_lost: number;
}

const of = (graph: Id, what: string) => [...keys.graphs, String(graph), what] as const;

export const versionsQuery = (graph: Id) =>
  queryOptions({
    queryKey: of(graph, "versions"),
    queryFn: () => get<Version[]>(`graphs/${graph}/versions`),
  });

export const diffQuery = (graph: Id, from: number, to: number) =>
  queryOptions({
    queryKey: [...of(graph, "diff"), from, to],
    queryFn: () => get<Diff>(`graphs/${graph}/versions/diff`, { from, to }),
    staleTime: Infinity,
  });

export function changeGraph(graph: Id, body: { mode: Mode; note: string } & From & Reading): Promise<Job> {
  return request("POST", `graphs/${graph}/versions`, { body });
}

export function activateVersion(graph: Id, version: number): Promise<Graph> {
  return request("POST", `graphs/${graph}/versions/${version}/activate`);
}

export function deleteVersion(graph: Id, version: number): Promise<void> {
  return request("DELETE", `graphs/${graph}/versions/${version}`);
}

export const dependentsQuery = (graph: Id) =>
  queryOptions({
    queryKey: of(graph, "dependents"),
    queryFn: () => get<UsedBy>(`graphs/${graph}/dependents`),
  });

export interface GraphStatistics {
  entities: number;
  relations: number;
  triples: number;
  kinds: Record<string, number>;
  /** How many entities have `low` to `high` facts. */
  degrees: { low: number; high: number; count: number }[];
  mean_degree: number;
  median_degree: number;
  hubs: { entity: number; label: string; count: number }[];
  top_relations: {
    relation: number;
    name: string;
    label: string;
    count: number;
    heads: number;
    tails: number;
    example: [string, string, string];
  }[];
  types: { id: number; label: string; count: number }[];
  components: { count: number; largest: number; largest_share: number };
  isolated: number;
  unnamed: number;
  self_loops: number;
  text: {
    passages: number;
    facts_with_passages: number;
    entities_with_passages: number;
    entities_with_attributes: number;
    entities_with_descriptions: number;
  };
}

export const statisticsQuery = (graph: Id, hash: string) =>
  queryOptions({
    queryKey: [...of(graph, "statistics"), hash],
    queryFn: () => get<GraphStatistics>(`graphs/${graph}/statistics`),
    staleTime: Infinity,
  });

/** Types and the relations between them. */
export interface Schema {
  types: { id: number; label: string; count: number }[];
  edges: { relation: number; label: string; source: number; target: number; count: number }[];
  num_types: number;
  num_edges: number;
}

export const schemaQuery = (graph: Id, hash: string) =>
  queryOptions({
    queryKey: [...of(graph, "schema"), hash],
    queryFn: () => get<Schema>(`graphs/${graph}/schema`),
    staleTime: Infinity,
  });

/** What became of the files of the present version. */
export interface ImportReport {
  triples: number;
  entities: number;
  relations: number;
  passages: number;
  duplicates: number;
  self_loops: number;
  dangling: number;
  blank_labels: number;
  odd_encodings: number;
  problems: number;
  files: {
    name: string;
    format: string;
    rows: number;
    problems: number;
    encoding: string;
    same_as: string;
  }[];
}

export const importReportQuery = (graph: Id, hash: string) =>
  queryOptions({
    queryKey: [...of(graph, "report"), hash],
    queryFn: () => get<ImportReport>(`graphs/${graph}/report`),
    staleTime: Infinity,
    retry: false,
  });

export function downloadProblems(graph: Id): Promise<Blob> {
  return requestFile(`graphs/${graph}/problems`, { format: "csv" });
}

export interface MissingName {
  name: string;
  questions: number;
  question: string;
  nearest: string[];
}

/** How a question set fits its graph: counts are of distinct names. */
export interface QuestionCheck {
  questions: number;
  /** With a topic entity that is in the graph. */
  askable: number;
  /** Askable, with an answer that is in the graph. */
  measurable: number;
  topics: number;
  topics_found: number;
  answers: number;
  answers_found: number;
  relations: number;
  relations_found: number;
  passages: number;
  passages_found: number;
  topics_missing: MissingName[];
  answers_missing: MissingName[];
  splits: [string, number][];
}

export const questionCheckQuery = (set: Id) =>
  queryOptions({
    queryKey: [...keys.questionSets, String(set), "check"],
    queryFn: () => get<QuestionCheck>(`question-sets/${set}/check`),
  });

export interface SampledQuestion {
  question: string;
  topic_entities: string[];
  answers: string[];
  hops: number;
}

/** Questions made of the graph's own facts; kept as a question set when it has a name. */
export function sampleQuestions(graph: Id, body: { n: number; seed: number; name?: string }) {
  return request<{ questions: SampledQuestion[]; question_set: QuestionSet | null }>(
    "POST",
    `graphs/${graph}/sample-questions`,
    { body },
  );
}
