// What Explore draws: the facts among entities that somebody chose, and paths between two.
import { get } from "./calls";
import { query } from "./query";
import type { components } from "./generated/schema";
import type { Id } from "./types";

export type Picture = components["schemas"]["Picture"];
export type PictureNode = Picture["nodes"][number];

/** `snapshot` is the hash of a version; null takes the current one, or an endpoint as it is now. */
export const pictureQuery = (graph: Id, snapshot: string | null, entities: readonly number[]) =>
  query(
    "graphs/{id}/picture",
    { id: graph, entities: entities.join(","), ...(snapshot && { snapshot }) },
    { enabled: entities.length > 0, staleTime: 600_000, keepsLast: true },
  );

export const pathsBetween = (graph: Id, snapshot: string | null, source: number, target: number) =>
  get("graphs/{id}/paths", { id: graph, source, target, ...(snapshot && { snapshot }) });

/** Entities that share facts with one, those that share most first. */
export const similarQuery = (graph: Id, snapshot: string | null, entity: number) =>
  query("graphs/{id}/similar", { id: graph, entity, ...(snapshot && { snapshot }) }, { staleTime: 600_000 });

/** Where one can begin: the best-connected entities. An endpoint names none. */
export const hubsQuery = (graph: Id) =>
  query("graphs/{id}/entities", { id: graph, q: "", limit: 12 }, { staleTime: 600_000 });
