// Language models, their limits and what they cost: calls and what they answer.
import { queryOptions } from "@tanstack/react-query";
import { get, request } from "./client";
import type { LLMUsage, Page, Problem } from "./types";

/** What only administrators see is null to others. `id` 0 is the one that the environment sets. */
export interface LanguageModel {
  id: number;
  name: string;
  model: string;
  source: "environment" | "page";
  enabled: boolean;
  default: boolean;
  context_length: number;
  base_url: string | null;
  key_set: boolean | null;
  /** Of a million tokens; null where it is not known. */
  prompt_price: number | null;
  completion_price: number | null;
  requests_per_minute: number | null;
  changed_at: string | null;
}

/** What is entered. An `api_key` that is left out stays as it is; an empty one takes it away. */
export interface LanguageModelBody {
  name: string;
  base_url: string;
  model: string;
  api_key?: string;
  context_length: number;
  prompt_price: number | null;
  completion_price: number | null;
  requests_per_minute: number;
  enabled: boolean;
  default: boolean;
}

export interface ModelTest {
  state: "waiting" | "done" | "failed";
  reply: string;
  latency_ms: number | null;
  usage: LLMUsage | null;
  error: Problem | null;
}

export type LimitName = "run_tokens" | "run_cost" | "user_day_tokens" | "user_day_cost";
/** Null is no limit. */
export type Limits = Record<LimitName, number | null>;

export interface DayUsage {
  day: string;
  mine: LLMUsage;
  users: { user: string; usage: LLMUsage }[];
}

export interface ModelChange {
  at: string;
  user: string | null;
  name: string;
  action: "created" | "changed" | "deleted" | "tested" | "limits";
  fields: Record<string, [unknown, unknown]>;
}

export const modelKeys = ["language-models"] as const;

export const languageModelsQuery = queryOptions({
  queryKey: [...modelKeys, "list"],
  queryFn: () => get<Page<LanguageModel>>("language-models", { page_size: 100 }),
});

export const modelTestQuery = (test: string) =>
  queryOptions({
    queryKey: [...modelKeys, "test", test],
    queryFn: () => get<ModelTest>(`language-models/tests/${test}`),
    refetchInterval: ({ state }) => (state.data?.state === "waiting" && !state.error ? 700 : false),
  });

export const limitsQuery = queryOptions({
  queryKey: [...modelKeys, "limits"],
  queryFn: () => get<Limits>("language-limits"),
});

export const usageQuery = queryOptions({
  queryKey: [...modelKeys, "usage"],
  queryFn: () => get<DayUsage>("language-usage"),
});

export const changesQuery = queryOptions({
  queryKey: [...modelKeys, "changes"],
  queryFn: () => get<Page<ModelChange>>("language-models/changes", { page_size: 20 }),
});

export function addModel(body: LanguageModelBody): Promise<LanguageModel> {
  return request("POST", "language-models", { body });
}

export function changeModel(id: number, body: Partial<LanguageModelBody>): Promise<LanguageModel> {
  return request("PATCH", `language-models/${id}`, { body });
}

export function deleteModel(id: number): Promise<void> {
  return request("DELETE", `language-models/${id}`);
}

export function testModel(id: number): Promise<{ test: string }> {
  return request("POST", `language-models/${id}/test`);
}

export function changeLimits(body: Partial<Limits>): Promise<Limits> {
  return request("PATCH", "language-limits", { body });
}
