// Graphs that live in a SPARQL endpoint.
import { request } from "./client";
import type { Graph, Id, Problem } from "./types";

/** Where a graph lives, and how it is asked there. */
export interface Connection {
  url: string;
  /** The IRI of the graph that is asked there; "" for the endpoint's default. */
  named_graph: string;
  /** Of names and texts, the best first. */
  languages: string[];
  hops: number;
  /** Facts that are pulled for a question at most. */
  max_triples: number;
  /** Facts of one entity and direction at most. */
  per_entity: number;
  /** Seconds for one query. */
  timeout: number;
}

/** A connection, and what its last check found. */
export interface Endpoint extends Connection {
  checked_at: string;
  took_ms: number | null;
  /** Something there has a name in these languages. */
  named: boolean;
  error: Problem | null;
}

export function connectEndpoint(body: { name: string } & Connection): Promise<Graph> {
  return request("POST", "endpoints", { body });
}

export function changeEndpoint(graph: Id, body: Partial<Connection>): Promise<Graph> {
  return request("PATCH", `graphs/${graph}/endpoint`, { body });
}

export function checkEndpoint(graph: Id): Promise<Graph> {
  return request("POST", `graphs/${graph}/endpoint/check`);
}
