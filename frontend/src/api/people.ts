// Who may log in: for administrators.
import { patch, post } from "./calls";
import { query } from "./query";
import type { components } from "./generated/schema";
import type { Id, Role } from "./types";

type Schemas = components["schemas"];

export type Person = Schemas["Account"];

/** The password is told this once. */
export type WithPassword = Schemas["MadeAccount"];

export const peopleKey = ["users"] as const;

export const usersQuery = query("users");

export const makePerson = (body: { username: string; role: Role; quota: number | null }) =>
  post("users", {}, body);

export const changePerson = (id: Id, body: { role?: Role; quota?: number | null }) =>
  patch("users/{id}", { id }, body);

export const deactivatePerson = (id: Id) => post("users/{id}/deactivate", { id });

/** Let new devices log in to an account again that wrong passwords have locked. */
export const unlockPerson = (id: Id) => post("users/{id}/unlock", { id });

/** Also lets in again who was deactivated. */
export const resetPassword = (id: Id) => post("users/{id}/password", { id });
