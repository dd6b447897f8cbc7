// Why a run does not have an answer that was expected: a worker finds out, and is asked how far it is.
import { queryOptions } from "@tanstack/react-query";
import { get, post, type BodyOf } from "./calls";
import type { components } from "./generated/schema";
import { keys } from "./queries";

type Schemas = components["schemas"];

export type WhyNot = Schemas["WhyNot"];
export type Remedy = Schemas["Remedy"];

export const askWhyNot = (run: string, expected: BodyOf<"post", "runs/{id}/why-not">) =>
  post("runs/{id}/why-not", { id: run }, expected);

export const whyNotQuery = (run: string, key: string) =>
  queryOptions({
    queryKey: [...keys.runs, run, "why-not", key],
    queryFn: () => get("runs/{id}/why-not/{key}", { id: run, key }),
    refetchInterval: ({ state }) => (state.data?.state === "waiting" && !state.error ? 500 : false),
  });
