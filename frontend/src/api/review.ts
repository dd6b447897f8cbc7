// Review queues: their types, and every call about them.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { request, requestFile } from "./client";
import type { Hop, Node, RelationStep } from "./events";
import { get } from "./queries";
import type { Id, Job, JobState, Page, Problem } from "./types";

export const reviewKeys = { queues: ["review", "queues"], items: ["review", "items"] } as const;

export type Ordering = "uncertainty" | "sequential" | "random";
export type ItemState = "open" | "done" | "broken";
export type Kind = "rational" | "not-rational" | "unsure";

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
  progress: Record<ItemState, number>;
  error: Problem | null;
  created_at: string;
  created_by: string | null;
}

export interface Candidate {
  id: number;
  topic: string;
  steps: RelationStep[];
  sources: { source: string; label_set: Id; name: string; score: number; explanation: string }[];
  reached: number;
  hits: number;
  precision: number;
  recall: number;
}

export interface Said {
  analyst: string;
  at: string;
  comment: string;
  verdicts: { candidate: number | null; kind: Kind | "broken"; reasons: string[]; comment: string }[];
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
}

export interface Item extends ItemRow {
  topics: string[];
  answers: string[];
  shown: string;
  version: number;
  candidates: Candidate[];
  mine: Said | null;
}

export interface Drawing {
  candidate: number;
  hops: Hop[];
  hit: Node[];
  extra: Node[];
  missed: Node[];
}

export interface QueueStatistics {
  progress: Record<ItemState, number>;
  people: { analyst: string; judged: number; last: string }[];
  agreement: { paths: number; percent: number | null; alpha: number | null };
  pairs: { analysts: string[]; paths: number; percent: number | null; kappa: number | null }[];
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

export interface Judgement {
  /** Made here, once for each submission: sent again, it records nothing. */
  id: string;
  version: number;
  shown: string;
  verdicts: { candidate: number; kind: Kind }[];
  broken: boolean;
  comment: string;
}

export const queuesQuery = queryOptions({
  queryKey: reviewKeys.queues,
  queryFn: () => get<Page<Queue>>("review/queues", { page_size: 100 }),
});

export const queueQuery = (id: string) =>
  queryOptions({ queryKey: [...reviewKeys.queues, id], queryFn: () => get<Queue>(`review/queues/${id}`) });

export const queueStatisticsQuery = (id: Id) =>
  queryOptions({
    queryKey: [...reviewKeys.queues, String(id), "statistics"],
    queryFn: () => get<QueueStatistics>(`review/queues/${id}/statistics`),
  });

export const queueItemsQuery = (id: string, state: string, q: string, page: number) =>
  queryOptions<Page<ItemRow>>({
    queryKey: [...reviewKeys.queues, id, "items", state, q, page],
    queryFn: () => get<Page<ItemRow>>(`review/queues/${id}/items`, { state, q, page, page_size: 50 }),
    placeholderData: keepPreviousData,
  });

export const drawingQuery = (item: number) =>
  queryOptions({
    queryKey: [...reviewKeys.items, item, "drawing"],
    queryFn: () => get<Drawing[]>(`review/items/${item}/drawing`),
    // It is of one version of the graph, and never changes.
    staleTime: Infinity,
  });

export function createQueue(body: NewQueue): Promise<{ queue: Queue; job: Job }> {
  return request("POST", "review/queues", { body });
}

export function deleteQueue(id: Id): Promise<void> {
  return request("DELETE", `review/queues/${id}`);
}

export function downloadQueue(id: Id, format: "jsonl" | "csv"): Promise<Blob> {
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

export function undoLast(queue: Id, id: string): Promise<{ item: Item }> {
  return request("POST", `review/queues/${queue}/undo`, { body: { id } });
}
