// Who may see a graph, tokens and groups, what is stored, and what was deleted and can come back.
import { patch, post, remove } from "./calls";
import { query } from "./query";
import type { components } from "./generated/schema";
import type { Id, Visibility } from "./types";

type Schemas = components["schemas"];

export type Group = Schemas["PeopleGroup"];

export type Scope = Schemas["ScopesEnum"];

export type ApiToken = Schemas["ApiToken"];

export const accessKeys = {
  groups: ["groups"],
  tokens: ["tokens"],
  trash: ["trash"],
  storage: ["storage"],
} as const;

export const groupsQuery = query("groups", { page_size: 200 });

export const makeGroup = (body: { name: string; members: string[] }) => post("groups", {}, body);

export const changeGroup = (id: number, body: { name?: string; members?: string[] }) =>
  patch("groups/{id}", { id }, body);

export const deleteGroup = (id: number) => remove("groups/{id}", { id });

export const tokensQuery = query("tokens");

/** The token itself is told this once. */
export const makeToken = (body: { name: string; scopes: Scope[]; expires_days?: number }) =>
  post("tokens", {}, body);

export const deleteToken = (id: Id) => remove("tokens/{id}", { id });

export const changeAccess = (
  graph: Id,
  body: { visibility?: Visibility; groups?: number[]; owner?: string },
) => patch("graphs/{id}", { id: graph }, body);

export const changeGraphNames = (graph: Id, body: { name: string; description: string }) =>
  patch("graphs/{id}", { id: graph }, body);

/** What is made of a graph and goes to the trash, by the names that addresses have. */
export type MadeKind = "question-sets" | "checkpoints" | "reports" | "studies" | "tests";

/** A deleted graph, a deleted version of one, or something made of it; `id` is the graph's. */
export type Trashed = Schemas["Trashed"];

export const trashQuery = query("trash");

/** Under another name where its own is taken. */
export const restoreGraph = (id: Id, name?: string) =>
  post("trash/{id}/restore", { id }, name ? { name } : {});

export const restoreVersion = (graph: Id, version: number) =>
  post("trash/{id}/versions/{version}/restore", { id: graph, version });

/** A question set under another name where its own is taken. */
export const restoreMade = (kind: MadeKind, key: Id, name?: string) =>
  post("trash/{kind}/{key}/restore", { kind, key }, name ? { name } : {});

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

export function purge({ kind, id, key, version }: Trashed, confirm: string): Promise<undefined> {
  if (kind === "graphs") return remove("trash/{id}", { id, confirm });
  if (kind === "versions")
    return remove("trash/{id}/versions/{version}", { id, version: version ?? 0, confirm });
  return remove("trash/{kind}/{key}", { kind, key: key ?? 0, confirm });
}

/** Bytes. */
export type Storage = Schemas["Storage"];

export const storageQuery = query("storage");
