// One's own webhooks: addresses that are told what happens.
import { patch, post, remove } from "./calls";
import { query } from "./query";
import type { components } from "./generated/schema";
import type { Id } from "./types";

type Schemas = components["schemas"];

export type Webhook = Schemas["Webhook"];
export type WebhookEvent = Schemas["EventsEnum"];
export type Delivery = Schemas["Delivery"];

export const webhooksKey = ["webhooks"] as const;

export const webhooksQuery = query("webhooks");

/** The secret is told this once. */
export const makeWebhook = (body: { url: string; events: WebhookEvent[] }) => post("webhooks", {}, body);

export const changeWebhook = (id: Id, body: { url?: string; events?: WebhookEvent[]; enabled?: boolean }) =>
  patch("webhooks/{id}", { id }, body);

export const deleteWebhook = (id: Id) => remove("webhooks/{id}", { id });

/** The secret is told this once; the one before signs as well for a day. */
export const rotateSecret = (id: Id) => post("webhooks/{id}/rotate-secret", { id });

export const deliveriesQuery = (id: Id) => query("webhooks/{id}/deliveries", { id });

export const testWebhook = (id: Id) => post("webhooks/{id}/test", { id });

export const resendDelivery = (id: Id, number: Id) =>
  post("webhooks/{id}/deliveries/{number}/resend", { id, number });
