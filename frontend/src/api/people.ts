// Who may log in: for administrators.
import { queryOptions } from "@tanstack/react-query";
import { get, request } from "./client";
import type { Id, Role } from "./types";

export interface Person {
  id: Id;
  username: string;
  role: Role;
  is_active: boolean;
  /** Their password was made for them, and they have not chosen one yet. */
  must_change_password: boolean;
  groups: string[];
  last_seen_at: string | null;
  date_joined: string;
  /** Bytes: kept, allowed to them in particular, allowed after all. */
  used: number;
  quota: number | null;
  limit: number | null;
}

/** The password is told this once. */
export type WithPassword = Person & { password: string };

export const peopleKey = ["users"] as const;

export const usersQuery = queryOptions({
  queryKey: peopleKey,
  queryFn: () => get<Person[]>("users"),
});

export function makePerson(body: {
  username: string;
  role: Role;
  quota: number | null;
}): Promise<WithPassword> {
  return request("POST", "users", { body });
}

export function changePerson(id: Id, body: { role?: Role; quota?: number | null }): Promise<Person> {
  return request("PATCH", `users/${id}`, { body });
}

export function deactivatePerson(id: Id): Promise<Person> {
  return request("POST", `users/${id}/deactivate`);
}

/** Also lets in again who was deactivated. */
export function resetPassword(id: Id): Promise<WithPassword> {
  return request("POST", `users/${id}/password`);
}
