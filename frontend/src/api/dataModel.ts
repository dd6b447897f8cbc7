// What the files of a graph hold: the data model that the server infers from them, and corrections of it.
import { queryOptions } from "@tanstack/react-query";
import { post } from "./calls";
import { ApiError } from "./client";
import type { components } from "./generated/schema";
import { query } from "./query";
import type { From, Id, Reading } from "./types";
import { uploadKeys } from "./uploads";

type Schemas = components["schemas"];

export type Column = Schemas["ModelColumn"];
export type ColumnType = Column["type"];
export type Kind = Schemas["ModelKind"];
export type Reference = Schemas["ModelReference"];
export type EdgeKind = Schemas["EdgeKind"];
export type DataModel = Schemas["DataModel"];

/** What a person says of a column; what is left out stays as inferred. */
export type ColumnChange = Pick<Column, "name"> &
  Partial<Pick<Column, "label" | "type" | "unit" | "is_ignored">>;

/** What a person says of a kind; `key` is null where it has none. */
export type KindChange = Pick<Kind, "table"> &
  Partial<Pick<Kind, "label" | "name" | "key">> & { readonly columns?: readonly ColumnChange[] };

/** What a person says that a column refers to. */
export type ReferenceChange = Pick<Reference, "table" | "column" | "target" | "target_column"> &
  Partial<Pick<Reference, "label" | "is_used">>;

/** Corrections of an inferred model: the parts of it that are not as inferred. */
export interface ModelChanges {
  readonly kinds: readonly KindChange[];
  readonly references: readonly ReferenceChange[];
}

const BUSY = "too_many_uploads";
const TRIES = 60;
const KEPT_MS = 5 * 60_000;

/** The model of files with corrections, or of the files that are kept of a graph; for a new version, of the graph. */
export const dataModelQuery = (
  from: From,
  reading: Reading,
  changes: ModelChanges | null,
  graph: Id | null,
) =>
  queryOptions({
    queryKey: [...uploadKeys.all, "model", from, reading, changes, graph],
    queryFn: ({ signal }) =>
      post(
        "uploads/model",
        {},
        {
          ...from,
          ...reading,
          graph: graph === null ? null : Number(graph),
          model: changes && { ...changes },
        },
        { signal },
      ),
    enabled: from.uploads.length + from.sources.length > 0 || graph !== null,
    staleTime: Infinity,
    // Of the files of a graph it is another one with the next version.
    gcTime: from.uploads.length + from.sources.length > 0 ? KEPT_MS : 0,
    // The server works on one model at a time, also on one that nobody waits for any more.
    retry: (tries, error) => error instanceof ApiError && error.code === BUSY && tries < TRIES,
    retryDelay: 1000,
  });

/** The model with which the version of a graph in use was imported. */
export const keptModelQuery = (graph: Id, hash: string) =>
  query("graphs/{id}/model", { id: graph }, { of: hash, staleTime: Infinity, retry: false });

/** Starts the version that has the facts of the current one by a changed model. */
export const changeModel = (graph: Id, changes: ModelChanges, note: string) =>
  post("graphs/{id}/model", { id: graph }, { model: { ...changes }, note });

export type ModelForm = "json" | "csvw" | "rml";

/** A model, of any form that can be read, as text of another one. */
export const convertModel = (text: string, form: ModelForm) =>
  post("uploads/model/convert", {}, { text, form });
