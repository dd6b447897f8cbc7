// Edits of a graph by hand, their log, and suggested duplicates.
import { post } from "./calls";
import { query } from "./query";
import type { components } from "./generated/schema";
import type { Id } from "./types";

type Schemas = components["schemas"];

export type Edit = Schemas["Edit"];
export type Operation = Schemas["OperationRequest"];
export type Effect = Schemas["Effect"];
export type Duplicate = Schemas["Duplicate"];

export interface NewEdit {
  operation: Operation;
  reason: string;
  source: string;
}

export const editsQuery = (graph: Id, page: number) =>
  query("graphs/{id}/edits", { id: graph, page, page_size: 10 }, { keepsLast: true });

export const relationsQuery = (graph: Id) => query("graphs/{id}/relations", { id: graph });

export const previewEdit = (graph: Id, operation: Operation) =>
  post("graphs/{id}/edits/preview", { id: graph }, { edits: [{ operation, reason: "", source: "" }] });

export const createEdit = (graph: Id, edit: NewEdit) =>
  post("graphs/{id}/edits", { id: graph }, { edits: [edit] });

export const undoEdit = (graph: Id, number: number) =>
  post("graphs/{id}/edits/{number}/undo", { id: graph, number }, { reason: "", source: "" });

/** Entities of the version `hash` that may be in the graph twice. */
export const duplicatesQuery = (graph: Id, hash: string) =>
  query("graphs/{id}/duplicates", { id: graph }, { of: hash });

export const markDistinct = (graph: Id, first: string, second: string) =>
  post("graphs/{id}/duplicates", { id: graph }, { first, second });
