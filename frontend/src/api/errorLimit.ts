// The limit on wrong answers of a graph, and what is known of it.
import { post, put } from "./calls";
import { query } from "./query";
import type { components } from "./generated/schema";
import type { Id } from "./types";

type Schemas = components["schemas"];

export type ErrorLimit = Schemas["ErrorLimit"];
export type Guarantee = Schemas["Guarantee"];
export type VerifiedGuarantee = Schemas["VerifiedGuarantee"];

/** It changes with the graph, of which the jobs' socket tells. */
export const errorLimitQuery = (graph: Id) => query("graphs/{id}/error-limit", { id: graph });

export const setErrorLimit = (graph: Id, at_most_wrong: number | null) =>
  put("graphs/{id}/error-limit", { id: graph }, { at_most_wrong });

export const calibrateErrorLimit = (graph: Id) => post("graphs/{id}/error-limit", { id: graph });
