// Graphs that live in a SPARQL endpoint.
import { request } from "./client";
import type { Connection, Graph, Id, Visibility } from "./types";

export function connectEndpoint(body: { name: string; visibility: Visibility } & Connection): Promise<Graph> {
  return request("POST", "endpoints", { body });
}

export function changeEndpoint(graph: Id, body: Partial<Connection>): Promise<Graph> {
  return request("PATCH", `graphs/${graph}/endpoint`, { body });
}

export function checkEndpoint(graph: Id): Promise<Graph> {
  return request("POST", `graphs/${graph}/endpoint/check`);
}
