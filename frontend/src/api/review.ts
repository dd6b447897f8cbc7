// Review queues and the questions in them: their types, and every call that judging makes.
import { get, getFile, post, put, remove } from "./calls";
import { query } from "./query";
import type { components } from "./generated/schema";
import type { Id } from "./types";

type Schemas = components["schemas"];

export const reviewKeys = { queues: ["review", "queues"], items: ["review", "items"] } as const;

export const itemKey = (id: Id) => [...reviewKeys.items, String(id)];

export type Ordering = Schemas["OrderingEnum"];

export type QueueKind = Schemas["QueueKindEnum"];

export type ItemState = Schemas["ReviewItemStateEnum"];

export type Kind = Schemas["VerdictInputKindEnum"];

export type Reason = Schemas["ReasonsEnum"];

/** Relations by name, each walked forward or (true) against its direction. */
export type Path = Candidate["path"];

export type Queue = Schemas["Queue"];

export type Candidate = Schemas["Candidate"];

export type SaidOf = Schemas["Verdict"];

export type Said = Schemas["CurrentAnnotation"];

export type ItemRow = Schemas["ItemRow"];

/** What a person says the right answers are. */
export type Answered = Schemas["Answered"];

export type Item = Schemas["Item"];

export type Drawing = Schemas["PathPreview"];

export type NewQueue = Schemas["NewQueueRequest"];

export type Verdict = Required<Schemas["VerdictInputRequest"]>;

export type Judgement = Required<Omit<Schemas["AnnotationInputRequest"], "holding" | "verdicts">> & {
  readonly verdicts: readonly Verdict[];
};

/** What 409 `judged_meanwhile` carries: the item as it is, with what the person said of it before. */
export interface Conflict {
  item: Item;
}

/** What a person entered and did not submit. */
export type Draft = Schemas["Draft"];

export type DraftPurpose = Schemas["PurposeEnum"];

export interface DraftContent {
  readonly verdicts: readonly Verdict[];
  readonly broken: boolean;
  readonly reasons: readonly Reason[];
  readonly comment: string;
}

/** What a path reaches, step by step, and how it could go on. */
export type Walk = Schemas["Hops"];

export type Extension = Schemas["Onward"];

export const queuesQuery = query("review/queues", { page_size: 100 });

export const queueQuery = (id: string) => query("review/queues/{id}", { id });

export const ROWS = 50;

export const queueItemsKey = (id: Id) => [...reviewKeys.queues, String(id), "items"];

export const queueItemsQuery = (id: string, state: string, q: string, page: number) =>
  query("review/queues/{id}/items", { id, state, q, page, page_size: ROWS }, { keepsLast: true });

/** It is of one version of the graph, and changes with the right answers alone. */
export const drawingQuery = (item: number) =>
  query("review/items/{id}/drawing", { id: item }, { staleTime: Infinity });

export const walkQuery = (item: number, topic: string, path: Path) =>
  query(
    "review/items/{id}/hops",
    { id: item, topic, path: JSON.stringify(path) },
    { staleTime: Infinity, keepsLast: true, stops: true },
  );

export const topicsQuery = (item: number, q: string) =>
  query(
    "review/items/{id}/topics",
    { id: item, q },
    { enabled: q.trim().length > 0, staleTime: 60_000, keepsLast: true, stops: true },
  );

export const createQueue = (body: NewQueue) => post("review/queues", {}, body);

export const deleteQueue = (id: Id, confirm: string) => remove("review/queues/{id}", { id, confirm });

export type DeletedQueue = Schemas["DeletedQueue"];

export const deletedQueuesQuery = query("review/queues/deleted", { page_size: 100 });

export const restoreQueue = (id: Id) => post("review/queues/{id}/restore", { id });

export type QueueFormat = "jsonl" | "csv" | "questions";

export const downloadQueue = (id: Id, format: QueueFormat) =>
  getFile("review/queues/{id}/export", { id, format });

/**
 * A repeat changes nothing more: neither a silent network nor the end of the page need be waited for. What is sent waits
 * for what was asked before.
 */
export const PATIENCE_MS = 30_000;

export const nextItem = (queue: Id, holding: readonly number[]) =>
  post("review/queues/{id}/next", { id: queue }, { holding }, { patience: PATIENCE_MS });

export const loadItem = (id: number) => get("review/items/{id}", { id }, { patience: PATIENCE_MS });

export const submitItem = (item: number, judgement: Judgement, holding: readonly number[]) =>
  post(
    "review/items/{id}/submit",
    { id: item },
    { ...judgement, holding },
    { keepalive: true, patience: PATIENCE_MS },
  );

export const saveDraft = (
  item: number,
  body: { purpose: DraftPurpose; revision: string; base: string | null; content: DraftContent },
) => put("review/items/{id}/draft", { id: item }, body, { keepalive: true, patience: PATIENCE_MS });

export const carryOver = (queue: Id) => post("review/queues/{id}/carry-over", { id: queue });

/** Adds the program that a run executed. */
export const addProgram = (item: number, body: { id: string; run: string; edited_from: number | null }) =>
  post("review/items/{id}/programs", { id: item }, body);

export const releaseItem = (item: number) => post("review/items/{id}/release", { id: item });

export const undoLast = (queue: Id, id: string) =>
  post("review/queues/{id}/undo", { id: queue }, { id }, { patience: PATIENCE_MS });

export const redoLast = (queue: Id, id: string) =>
  post("review/queues/{id}/redo", { id: queue }, { id }, { patience: PATIENCE_MS });

/** `replaces` is what counted when the person saw the question. */
export const saveRightAnswers = (
  item: number,
  body: { id: string; answers: readonly string[]; replaces: string | null },
) => post("review/items/{id}/answers", { id: item }, body);

export const addCandidate = (
  item: number,
  body: { id: string; topic: string; path: Path; edited_from?: number },
) => post("review/items/{id}/candidates", { id: item }, body);
