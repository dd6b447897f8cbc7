// The source of a graph: where its next versions are read from, and what came of each refresh.
import { patch, post, remove } from "./calls";
import { query } from "./query";
import type { components } from "./generated/schema";
import type { Id } from "./types";

type Schemas = components["schemas"];

export type GraphSource = Schemas["GraphSource"];
export type Refresh = Schemas["Refresh"];
export type NewSource = Schemas["NewSourceRequest"];
export type SourceKind = Schemas["SourceKindEnum"];

/** It changes with the graph, of which the jobs' socket tells. */
export const sourceQuery = (graph: Id) => query("graphs/{id}/source", { id: graph });

export const createSource = (graph: Id, body: NewSource) => post("graphs/{id}/source", { id: graph }, body);

export const changeSource = (graph: Id, body: Partial<NewSource>) =>
  patch("graphs/{id}/source", { id: graph }, body);

export const deleteSource = (graph: Id) => remove("graphs/{id}/source", { id: graph });

export const checkSource = (graph: Id, body: Partial<NewSource>) =>
  post("graphs/{id}/source/check", { id: graph }, body);

export const refreshGraph = (graph: Id) => post("graphs/{id}/source/refresh", { id: graph });

export const confirmRefresh = (graph: Id, refresh: number) =>
  post("graphs/{id}/source/refreshes/{refresh}/confirm", { id: graph, refresh });
