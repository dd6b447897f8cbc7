// Deciding what analysts do not agree on, accepting what they do, importing, and who did what when.
import { getFile, post } from "./calls";
import { query } from "./query";
import { upload } from "./client";
import type { Judgement } from "./review";
import type { components } from "./generated/schema";
import type { Id } from "./types";

type Schemas = components["schemas"];

export type OneSaid = Schemas["AnalystVerdict"];

/** An item that analysts do not agree on, with what each says of each path. */
export type Disagreement = Schemas["Disagreement"];

export const SPLITS = 50;

export const disagreementsQuery = (queue: Id, all: boolean, page: number) =>
  query(
    "review/queues/{id}/disagreements",
    { id: queue, all: all || null, page, page_size: SPLITS },
    { keepsLast: true },
  );

export const adjudicate = (item: number, decision: Omit<Judgement, "shown">) =>
  post("review/items/{id}/adjudicate", { id: item }, decision);

export const takeDecisionBack = (item: number, id: string, version: number) =>
  post("review/items/{id}/adjudicate/undo", { id: item }, { id, version });

export const acceptUnanimous = (queue: Id, id: string) =>
  post("review/queues/{id}/accept-unanimous", { id: queue }, { id });

/** `id` is that of the acceptance. */
export const undoAcceptance = (queue: Id, id: string) =>
  post("review/queues/{id}/accept-unanimous/undo", { id: queue }, { id });

export type Imported = Schemas["Imported"];

export function importVerdicts(queue: Id, file: File, as: string): Promise<Imported> {
  const form = new FormData();
  form.set("file", file);
  if (as) form.set("as", as);
  return upload(`review/queues/${queue}/import`, form, () => undefined);
}

export const undoImport = (queue: Id, id: string) =>
  post("review/queues/{id}/import/undo", { id: queue }, { id });

/** Something that happened, which nothing changes any more. */
export type ReviewEvent = Schemas["ReviewEvent"];

export const EVENTS = 50;

export const eventsQuery = (queue: Id, filter: { item: string; analyst: string; page: number }) =>
  query("review/queues/{id}/events", { id: queue, ...filter, page_size: EVENTS }, { keepsLast: true });

export const downloadEvents = (
  queue: Id,
  format: "jsonl" | "csv",
  filter: { item: string; analyst: string },
) => getFile("review/queues/{id}/events", { id: queue, ...filter, format });

export type NewFlag = Schemas["NewFlagRequest"];

export const flagRun = (run: string, body: NewFlag) => post("runs/{id}/flag", { id: run }, body);

/** A training from a queue, with what it left and the reports before and after. */
export type QueueTraining = Schemas["QueueTraining"];

export const TRAININGS = 20;

export const trainingsQuery = (queue: Id, page: number) =>
  query("review/queues/{id}/trainings", { id: queue, page, page_size: TRAININGS }, { keepsLast: true });
