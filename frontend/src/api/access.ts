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

/** What is made of a graph and goes to the trash, by the names that addresses have. */
export type MadeKind = "question-sets" | "checkpoints" | "reports";

/** A deleted graph, a deleted version of one, or something made of it; `id` is the graph's. */
export interface Trashed {
  kind: "graphs" | "versions" | MadeKind;
  id: Id;
  /** Of what was made of the graph. */
  key: Id | null;
  name: string;
  graph_name: string;
  version: number | null;
  triples: number | null;
  questions: number | null;
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

/** A question set under another name where its own is taken. */
export function restoreMade(kind: MadeKind, key: Id, name?: string): Promise<void> {
  return request("POST", `trash/${kind}/${key}/restore`, { body: name ? { name } : {} });
}

/** Take a row of the trash back; what it is called then. */
export async function restore(row: Trashed, name?: string): Promise<string> {
  if (row.kind === "graphs") return (await restoreGraph(row.id, name)).name;
  if (row.kind === "versions") {
    const graph = await restoreVersion(row.id, row.version ?? 0);
    return `${graph.name}, version ${row.version ?? 0},`;
  }
  await restoreMade(row.kind, row.key ?? 0, name);
  return name ?? row.name;
}

export function purge({ kind, id, key, version }: Trashed, confirm: string): Promise<void> {
  const path =
    kind === "graphs"
      ? `trash/${id}`
      : kind === "versions"
        ? `trash/${id}/versions/${version ?? 0}`
        : `trash/${kind}/${key ?? 0}`;
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
    question_sets: number;
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
