// Review queues and the questions in them: their types, and every call that judging makes.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { get, request, requestFile } from "./client";
import type { Hop, Node, RelationStep } from "./events";
import type { EntityMatch, Id, Job, JobState, Page, Problem } from "./types";

export const reviewKeys = { queues: ["review", "queues"], items: ["review", "items"] } as const;

export type Ordering = "uncertainty" | "sequential" | "random";
export type ItemState = "open" | "done" | "broken";
export type Kind = "rational" | "not-rational" | "unsure";
export type Reason =
  | "coincidence"
  | "wrong-relation"
  | "too-wide"
  | "too-narrow"
  | "detour"
  | "wrong-topic"
  | "wrong-answer"
  | "unclear";

/** Relations by name, each walked forward or (true) against its direction. */
export type Path = readonly (readonly [relation: string, inverse: boolean])[];

export interface Queue {
  id: Id;
  name: string;
  graph: Id;
  graph_name: string;
  snapshot: string;
  version: number;
  /** The graph still has the version that the queue is about. */
  current: boolean;
  question_set: Id | null;
  question_set_name: string;
  label_sets: { id: Id; name: string }[];
  ordering: Ordering;
  seed: number;
  overlap: number;
  state: JobState;
  job: Id | null;
  items: number;
  candidates: number;
  progress: { open: number; done: number; broken: number };
  error: Problem | null;
  created_at: string;
  created_by: string | null;
}

export interface Candidate {
  id: number;
  topic: string;
  path: Path;
  steps: RelationStep[];
  sources: { source: string; label_set: Id | null; name: string; score: number; explanation: string }[];
  reached: number;
  hits: number;
  precision: number;
  recall: number;
  /** The analyst who added it, and the candidate that they changed for it. */
  author?: string | null;
  edited_from?: number | null;
  retired?: boolean;
}

export interface SaidOf {
  candidate: number | null;
  kind: Kind | "broken";
  reasons: Reason[];
  comment: string;
}

export interface Said {
  analyst: string;
  at: string;
  comment: string;
  verdicts: SaidOf[];
}

export interface ItemRow {
  id: number;
  queue: Id;
  position: number;
  key: string;
  question: string;
  doubt: number;
  reason: string;
  state: ItemState;
  submitted: number;
  version: number;
  /** Whether those who judged it say the same; of complete ones. */
  accord?: "none" | "unanimous" | "split";
  /** What all say of it was accepted. */
  settled?: boolean;
}

/** What a person says the right answers are. */
export interface Answered {
  /** Of the event. */
  id: string;
  analyst: string;
  at: string;
  answers: string[];
}

export interface Item extends ItemRow {
  topics: string[];
  answers: string[];
  /** Nobody said so: a run gave these answers beside the doubted one. */
  assumed?: boolean;
  /** Who said what the answers are. */
  answered?: Answered | null;
  /** What others call right since. */
  suggested?: Answered[];
  shown: string;
  candidates: Candidate[];
  mine: Said | null;
  /** Who decided, where analysts disagreed. */
  adjudicated?: Said | null;
}

export interface Drawing {
  candidate: number;
  hops: Hop[];
  hit: Node[];
  extra: Node[];
  missed: Node[];
}

export interface NewQueue {
  graph: Id;
  question_set: Id;
  label_sets: Id[];
  name?: string;
  ordering: Ordering;
  seed?: number;
  overlap: number;
}

export interface Verdict {
  candidate: number;
  kind: Kind;
  reasons: readonly Reason[];
  comment: string;
}

export interface Judgement {
  /** Made here, once for each submission: sent again, it records nothing. */
  id: string;
  version: number;
  shown: string;
  verdicts: readonly Verdict[];
  broken: boolean;
  reasons: readonly Reason[];
  comment: string;
}

/** What 409 `judged_meanwhile` carries: the item as it is, and what was said of it. */
export interface Meanwhile {
  item: Item;
  theirs: Said[];
}

/** What a path reaches, step by step, and how it could go on. */
export interface Walk {
  valid: boolean;
  error: Problem | null;
  steps: (RelationStepReached & { sample: Node[] })[];
  reached: number;
  hits: number;
  precision: number;
  recall: number;
  same_as: number | null;
  next: Extension[];
  /** Null: it stands at too many facts to tell. */
  next_total: number | null;
  hops: Hop[];
  hit: Node[];
  extra: Node[];
  missed: Node[];
}

interface RelationStepReached {
  relation: string;
  label: string;
  inverse: boolean;
  reached: number;
}

export interface Extension extends RelationStepReached {
  hits: number;
  precision: number;
  recall: number;
}

export const queuesQuery = queryOptions({
  queryKey: reviewKeys.queues,
  queryFn: () => get<Page<Queue>>("review/queues", { page_size: 100 }),
});

export const queueQuery = (id: string) =>
  queryOptions({ queryKey: [...reviewKeys.queues, id], queryFn: () => get<Queue>(`review/queues/${id}`) });

export const ROWS = 50;

export const queueItemsKey = (id: Id) => [...reviewKeys.queues, String(id), "items"];

export const queueItemsQuery = (id: string, state: string, q: string, page: number) =>
  queryOptions<Page<ItemRow>>({
    queryKey: [...queueItemsKey(id), state, q, page],
    queryFn: () => get<Page<ItemRow>>(`review/queues/${id}/items`, { state, q, page, page_size: ROWS }),
    placeholderData: keepPreviousData,
  });

export const drawingQuery = (item: number) =>
  queryOptions({
    queryKey: [...reviewKeys.items, item, "drawing"],
    queryFn: () => get<Drawing[]>(`review/items/${item}/drawing`),
    // It is of one version of the graph, and changes with the right answers alone.
    staleTime: Infinity,
  });

export const walkQuery = (item: number, topic: string, path: Path) =>
  queryOptions<Walk>({
    queryKey: [...reviewKeys.items, item, "hops", topic, path],
    queryFn: ({ signal }) =>
      get<Walk>(`review/items/${item}/hops`, { topic, path: JSON.stringify(path) }, signal),
    staleTime: Infinity,
    placeholderData: keepPreviousData,
  });

export const topicsQuery = (item: number, q: string) =>
  queryOptions<EntityMatch[]>({
    queryKey: [...reviewKeys.items, item, "topics", q],
    queryFn: ({ signal }) => get<EntityMatch[]>(`review/items/${item}/topics`, { q }, signal),
    enabled: q.trim().length > 0,
    staleTime: 60_000,
    placeholderData: keepPreviousData,
  });

export function createQueue(body: NewQueue): Promise<{ queue: Queue; job: Job }> {
  return request("POST", "review/queues", { body });
}

export function deleteQueue(id: Id, confirm: string): Promise<void> {
  return request("DELETE", `review/queues/${id}`, { query: { confirm } });
}

export interface DeletedQueue {
  id: Id;
  name: string;
  graph: Id;
  graph_name: string;
  items: number;
  deleted_at: string;
  deleted_by: string | null;
  /** When it is deleted for good. */
  kept_until: string;
}

export const deletedQueuesQuery = queryOptions({
  queryKey: [...reviewKeys.queues, "deleted"],
  queryFn: () => get<Page<DeletedQueue>>("review/queues/deleted", { page_size: 100 }),
});

export function restoreQueue(id: Id): Promise<Queue> {
  return request("POST", `review/queues/${id}/restore`);
}

export type QueueFormat = "jsonl" | "csv" | "questions";

export function downloadQueue(id: Id, format: QueueFormat): Promise<Blob> {
  return requestFile(`review/queues/${id}/export`, { format });
}

export function nextItem(queue: Id, holding: readonly number[]): Promise<{ item: Item | null }> {
  return request("POST", `review/queues/${queue}/next`, { body: { holding } });
}

export function loadItem(id: number): Promise<Item> {
  return get(`review/items/${id}`);
}

export function submitItem(
  item: number,
  judgement: Judgement,
  holding: readonly number[],
): Promise<{ item: ItemRow; next: Item | null }> {
  return request("POST", `review/items/${item}/submit`, { body: { ...judgement, holding } });
}

export function releaseItem(item: number): Promise<void> {
  return request("POST", `review/items/${item}/release`);
}

export function undoLast(queue: Id, id: string): Promise<{ item: Item }> {
  return request("POST", `review/queues/${queue}/undo`, { body: { id } });
}

export function redoLast(queue: Id, id: string): Promise<{ item: Item }> {
  return request("POST", `review/queues/${queue}/redo`, { body: { id } });
}

/** `replaces` is what counted when the person saw the question. */
export function tellAnswers(
  item: number,
  body: { id: string; answers: readonly string[]; replaces: string | null },
): Promise<{ item: Item }> {
  return request("POST", `review/items/${item}/answers`, { body });
}

export function addCandidate(
  item: number,
  body: { id: string; topic: string; path: Path; edited_from?: number },
): Promise<{ item: Item }> {
  return request("POST", `review/items/${item}/candidates`, { body });
}
