// Where facts come from: the file and row that state them, or the person who added them.
import { query } from "./query";
import type { components } from "./generated/schema";
import type { Id } from "./types";

export type FactSource = NonNullable<components["schemas"]["LocatedFact"]["source"]>;

/** How many facts one request may ask about. */
export const SOURCES_MAX = 50;

/** The sources of facts by their keys, `head|relation|tail`. */
export const factSourcesQuery = (graph: Id, snapshot: string | null, fact: readonly string[]) =>
  query(
    "graphs/{id}/facts/sources",
    { id: graph, fact, ...(snapshot && { snapshot }) },
    { staleTime: Infinity, retry: false },
  );
