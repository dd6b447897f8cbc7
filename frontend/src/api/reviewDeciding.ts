// Deciding what analysts do not agree on, accepting what they do, importing, and who did what when.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { get, request, requestFile, upload } from "./client";
import {
  reviewKeys,
  type Candidate,
  type ItemRow,
  type Judgement,
  type Kind,
  type Reason,
  type SaidOf,
} from "./review";
import type { Checkpoint, FlagKind, Id, Job, JobState, Page } from "./types";

export interface OneSaid {
  analyst: string;
  kind: Kind | "broken";
  reasons: Reason[];
  comment: string;
}

/** An item that analysts do not agree on, with what each says of each path. */
export interface Disagreement {
  item: ItemRow;
  candidates: { candidate: Candidate; said: OneSaid[] }[];
  /** Those who call the question broken. */
  broken: OneSaid[];
}

export const SPLITS = 50;

export const disagreementsQuery = (queue: Id, all: boolean, page: number) =>
  queryOptions<Page<Disagreement>>({
    queryKey: [...reviewKeys.queues, String(queue), "disagreements", all, page],
    queryFn: () =>
      get<Page<Disagreement>>(`review/queues/${queue}/disagreements`, {
        ...(all && { all: 1 }),
        page,
        page_size: SPLITS,
      }),
    placeholderData: keepPreviousData,
  });

export function adjudicate(item: number, decision: Omit<Judgement, "shown">): Promise<{ item: ItemRow }> {
  return request("POST", `review/items/${item}/adjudicate`, { body: decision });
}

export function takeDecisionBack(item: number, id: string, version: number): Promise<{ item: ItemRow }> {
  return request("POST", `review/items/${item}/adjudicate/undo`, { body: { id, version } });
}

export function acceptUnanimous(queue: Id, id: string): Promise<{ accepted: number; left: number }> {
  return request("POST", `review/queues/${queue}/accept-unanimous`, { body: { id } });
}

/** `id` is that of the acceptance. */
export function undoAcceptance(queue: Id, id: string): Promise<{ undone: number }> {
  return request("POST", `review/queues/${queue}/accept-unanimous/undo`, { body: { id } });
}

export interface Imported {
  /** Lines. */
  read: number;
  /** That were not there before. */
  verdicts: number;
  added_paths: number;
  problems: { line: number; message: string; text: string }[];
  problems_total: number;
  /** By which all of it is taken back. */
  undo: string;
}

export function importVerdicts(queue: Id, file: File, as: string): Promise<Imported> {
  const form = new FormData();
  form.set("file", file);
  if (as) form.set("as", as);
  return upload(`review/queues/${queue}/import`, form, () => undefined);
}

export function undoImport(queue: Id, id: string): Promise<{ undone: number }> {
  return request("POST", `review/queues/${queue}/import/undo`, { body: { id } });
}

/** Something that happened, which nothing changes any more. */
export interface ReviewEvent {
  id: string;
  at: string;
  analyst: string;
  kind:
    | "submitted"
    | "replaced"
    | "undone"
    | "redone"
    | "added-path"
    | "adjudicated"
    | "undecided"
    | "settled"
    | "unsettled"
    | "imported"
    | "answered";
  item: number;
  question_id: string;
  question: string;
  /** Hash of what the analyst saw. */
  shown: string;
  comment: string;
  path: number | null;
  undoes: string | null;
  replaces: string | null;
  batch: string | null;
  /** What the right answers were, and are by this event. */
  answers?: { before: string[]; now: string[] } | null;
  verdicts: SaidOf[];
}

export const EVENTS = 50;

export const eventsQuery = (queue: Id, filter: { item: string; analyst: string; page: number }) =>
  queryOptions<Page<ReviewEvent>>({
    queryKey: [...reviewKeys.queues, String(queue), "events", filter],
    queryFn: () => get<Page<ReviewEvent>>(`review/queues/${queue}/events`, { ...filter, page_size: EVENTS }),
    placeholderData: keepPreviousData,
  });

export function downloadEvents(
  queue: Id,
  format: "jsonl" | "csv",
  filter: { item: string; analyst: string },
): Promise<Blob> {
  return requestFile(`review/queues/${queue}/events`, { ...filter, format });
}

export interface NewFlag {
  id: string;
  kind: FlagKind;
  answer?: number;
  chain?: number;
  comment: string;
  right_answers?: readonly string[];
}

export function flagRun(run: string, body: NewFlag): Promise<{ queue: Id; item: number }> {
  return request("POST", `runs/${run}/flag`, { body });
}

/** A training from a queue, with what it left and the reports before and after. */
export interface QueueTraining {
  job: Job;
  method: string;
  by: string | null;
  /** Null until it is there, and when it was deleted. */
  checkpoint: Checkpoint | null;
  /** Two where they are compared. */
  reports: { id: Id; state: JobState; macro_f1: number | null }[];
}

export const TRAININGS = 20;

export const trainingsQuery = (queue: Id, page: number) =>
  queryOptions<Page<QueueTraining>>({
    queryKey: [...reviewKeys.queues, String(queue), "trainings", page],
    queryFn: () =>
      get<Page<QueueTraining>>(`review/queues/${queue}/trainings`, { page, page_size: TRAININGS }),
    placeholderData: keepPreviousData,
  });
