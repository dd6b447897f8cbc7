// Links that show an answer to people without an account: one's own, everybody's, and what one shows.
import { patch, post, remove, type BodyOf } from "./calls";
import { query } from "./query";
import type { components } from "./generated/schema";
import type { Id } from "./types";

type Schemas = components["schemas"];

export type SharedLink = Schemas["SharedLink"];
export type SharedTurn = Schemas["SharedTurn"];

export const linksKey = ["shared-links"] as const;
export const sharingPolicyKey = ["sharing-policy"] as const;

export const linksQuery = (page: number, all: boolean) =>
  query("shared-links", { page, page_size: 50, ...(all && { all }) }, { keepsLast: true });

/** The token is told this once. */
export const makeLink = (body: BodyOf<"post", "shared-links">) => post("shared-links", {}, body);

export const revokeLink = (id: Id) => remove("shared-links/{id}", { id });

export const sharingPolicyQuery = query("sharing-policy");

export const changeSharingPolicy = (body: Partial<Schemas["SharingPolicy"]>) =>
  patch("sharing-policy", {}, body);

export const sharedContentQuery = (token: string) =>
  query("shared/{token}", { token }, { staleTime: Infinity });

export const sharedUrl = (token: string) => `${window.location.origin}/shared/${token}`;

/** What a page of another site holds to show it. */
export const embedCode = (token: string) =>
  `<iframe src="${window.location.origin}/embed/${token}" title="Answer by Clew" width="100%" height="600" style="border:0"></iframe>`;
