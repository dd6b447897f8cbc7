// Who may see a graph, tokens and groups, what is stored, and what was deleted and can come back.
import { queryOptions } from "@tanstack/react-query";
import { get, request } from "./client";
import type { Graph, Id, Page, Visibility } from "./types";

export interface Group {
  id: number;
  name: string;
  members: string[];
}

export type Scope = "read" | "ask" | "write" | "admin";

export interface ApiToken {
  id: Id;
  name: string;
  scopes: Scope[];
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
}

export const accessKeys = {
  groups: ["groups"],
  tokens: ["tokens"],
  trash: ["trash"],
  storage: ["storage"],
} as const;

export const groupsQuery = queryOptions({
  queryKey: accessKeys.groups,
  queryFn: () => get<Page<Group>>("groups", { page_size: 200 }),
});

export function makeGroup(body: { name: string; members: string[] }): Promise<Group> {
  return request("POST", "groups", { body });
}

export function changeGroup(id: number, body: { name?: string; members?: string[] }): Promise<Group> {
  return request("PATCH", `groups/${id}`, { body });
}

export function deleteGroup(id: number): Promise<void> {
  return request("DELETE", `groups/${id}`);
}

export const tokensQuery = queryOptions({
  queryKey: accessKeys.tokens,
  queryFn: () => get<ApiToken[]>("tokens"),
});

/** The token itself is told this once. */
export function makeToken(body: { name: string; scopes: Scope[]; expires_days?: number }) {
  return request<ApiToken & { token: string }>("POST", "tokens", { body });
}

export function deleteToken(id: Id): Promise<void> {
  return request("DELETE", `tokens/${id}`);
}

export function changeAccess(
  graph: Id,
  body: { visibility?: Visibility; groups?: number[]; owner?: string },
): Promise<Graph> {
  return request("PATCH", `graphs/${graph}`, { body });
}

export function changeGraphNames(graph: Id, body: { name: string; description: string }): Promise<Graph> {
  return request("PATCH", `graphs/${graph}`, { body });
}

/** A deleted graph, or (`version`) a deleted version of one. */
export interface Trashed {
  id: Id;
  name: string;
  version: number | null;
  triples: number;
  owner: string | null;
  deleted_at: string;
  deleted_by: string | null;
  kept_until: string;
}

export const trashQuery = queryOptions({
  queryKey: accessKeys.trash,
  queryFn: () => get<Trashed[]>("trash"),
});

/** Under another name where its own is taken. */
export function restoreGraph(id: Id, name?: string): Promise<Graph> {
  return request("POST", `trash/${id}/restore`, { body: name ? { name } : {} });
}

export function restoreVersion(graph: Id, version: number): Promise<Graph> {
  return request("POST", `trash/${graph}/versions/${version}/restore`);
}

export function purge({ id, version }: Trashed, confirm: string): Promise<void> {
  const path = version === null ? `trash/${id}` : `trash/${id}/versions/${version}`;
  return request("DELETE", path, { query: { confirm } });
}

/** Bytes. */
export interface Storage {
  graphs: {
    id: Id;
    name: string;
    trashed: boolean;
    uploads: number;
    snapshots: number;
    caches: number;
    others: number;
    total: number;
  }[];
  uploads: number;
  total: number;
  free: number;
  mine: number;
  quota: number | null;
}

export const storageQuery = queryOptions({
  queryKey: accessKeys.storage,
  queryFn: () => get<Storage>("storage"),
});
