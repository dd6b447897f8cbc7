// Graphs that live in a SPARQL endpoint.
import { patch, post } from "./calls";
import type { Connection, Id, Visibility } from "./types";

export const connectEndpoint = (body: { name: string; visibility: Visibility } & Connection) =>
  post("endpoints", {}, body);

export const changeEndpoint = (graph: Id, body: Partial<Connection>) =>
  patch("graphs/{id}/endpoint", { id: graph }, body);

export const checkEndpoint = (graph: Id) => post("graphs/{id}/endpoint/check", { id: graph });
