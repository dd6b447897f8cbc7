// A graph as a data set: its versions, its figures, what became of its files, and how its questions fit it.
import { getFile, post, remove } from "./calls";
import { query } from "./query";
import type { components } from "./generated/schema";
import type { From, Id, Reading } from "./types";

type Schemas = components["schemas"];

export type Mode = Schemas["ChangeModeEnum"];

/** What points at a version. */
export type UsedBy = Schemas["UsedBy"];

export type Version = Schemas["Version"];

export type Diff = Schemas["Diff"];

export const versionsQuery = (graph: Id) => query("graphs/{id}/versions", { id: graph });

export const diffQuery = (graph: Id, from: number, to: number) =>
  query("graphs/{id}/versions/diff", { id: graph, from, to }, { staleTime: Infinity });

export const changeGraph = (
  graph: Id,
  body: {
    mode: Mode;
    note: string;
    model: Readonly<Record<string, unknown>> | null;
    reapplies_edits?: boolean;
  } & From &
    Reading,
) => post("graphs/{id}/versions", { id: graph }, body);

export const activateVersion = (graph: Id, version: number) =>
  post("graphs/{id}/versions/{version}/activate", { id: graph, version });

export const deleteVersion = (graph: Id, version: number) =>
  remove("graphs/{id}/versions/{version}", { id: graph, version });

export const dependentsQuery = (graph: Id) => query("graphs/{id}/dependents", { id: graph });

export type GraphStatistics = Schemas["GraphStatistics"];

export const statisticsQuery = (graph: Id, hash: string) =>
  query("graphs/{id}/statistics", { id: graph }, { of: hash, staleTime: Infinity });

/** Types and the relations between them. */
export type Schema = Schemas["GraphSchema"];

export const schemaQuery = (graph: Id, hash: string) =>
  query("graphs/{id}/schema", { id: graph }, { of: hash, staleTime: Infinity });

/** What became of the files of the present version. */
export type ImportReport = Schemas["ImportReport"];

export const importReportQuery = (graph: Id, hash: string) =>
  query("graphs/{id}/report", { id: graph }, { of: hash, staleTime: Infinity, retry: false });

export const downloadProblems = (graph: Id) => getFile("graphs/{id}/problems", { id: graph, format: "csv" });

/** SHACL shapes that the RDF files of the present version keep. */
export const downloadShapes = (graph: Id) => getFile("graphs/{id}/shapes", { id: graph });

export type MissingName = Schemas["MissingName"];

/** How a question set fits its graph: counts are of distinct names. */
export type QuestionCheck = Schemas["QuestionCheck"];

export const questionCheckQuery = (set: Id) => query("question-sets/{id}/check", { id: set });

/** A zip for Hugging Face datasets and readers of Croissant. */
export const downloadDataset = (kind: "question-sets" | "label-sets" | "review/queues", id: Id) =>
  getFile(`${kind}/{id}/dataset`, { id });

export type SampledQuestion = Schemas["Sample"];

/** Questions generated from the graph's own facts; kept as a question set when it has a name. */
export const sampleQuestions = (graph: Id, body: { n: number; seed: number; name?: string }) =>
  post("graphs/{id}/sample-questions", { id: graph }, body);

export type ExportFormat = "tsv" | "facts" | "parquet" | "graphml" | "cytoscape";

/** A version as a file; with `partial` without what the format cannot hold. */
export const exportVersion = (graph: Id, { hash }: Version, format: ExportFormat, partial: boolean) =>
  getFile("graphs/{id}/export", { id: graph, format, partial, snapshot: hash });
