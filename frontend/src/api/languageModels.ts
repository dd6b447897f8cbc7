// Language models, their limits and what they cost: calls and what they answer.
import { queryOptions } from "@tanstack/react-query";
import { get, patch, post, remove } from "./calls";
import { query } from "./query";
import type { components } from "./generated/schema";

type Schemas = components["schemas"];

/** What only administrators see is null to others. `id` 0 is the one that the environment sets. */
export type LanguageModel = Schemas["LanguageModel"];

/** What is entered. An `api_key` that is left out stays as it is; an empty one takes it away. */
export type LanguageModelBody = Schemas["ProviderRequest"];

export type ModelTest = Schemas["ModelTest"];

export type LimitName = keyof Limits;

/** Null is no limit. */
export type Limits = Schemas["Limits"];

export type DayUsage = Schemas["DayUsage"];

export type ModelChange = Schemas["ModelChange"];

export const modelKeys = ["language-models"] as const;

export const languageModelsQuery = query("language-models", { page_size: 100 });

export const modelTestQuery = (test: string) =>
  queryOptions({
    queryKey: [...modelKeys, "test", test],
    queryFn: () => get("language-models/tests/{id}", { id: test }),
    refetchInterval: ({ state }) => (state.data?.state === "waiting" && !state.error ? 700 : false),
  });

export const limitsQuery = query("language-limits", {}, { under: modelKeys });

export const usageQuery = query("language-usage", {}, { under: modelKeys });

export const changesQuery = query("language-models/changes", { page_size: 20 });

export const addModel = (body: LanguageModelBody) => post("language-models", {}, body);

export const changeModel = (id: number, body: Partial<LanguageModelBody>) =>
  patch("language-models/{id}", { id }, body);

export const deleteModel = (id: number) => remove("language-models/{id}", { id });

export const testModel = (id: number) => post("language-models/{id}/test", { id });

export const changeLimits = (body: Partial<Limits>) => patch("language-limits", {}, body);
