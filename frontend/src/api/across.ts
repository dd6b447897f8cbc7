// One question over several graphs.
import { post, type BodyOf } from "./calls";
import type { components } from "./generated/schema";
import { query } from "./query";

export type Across = components["schemas"]["Across"];
export type AcrossAnswer = Across["answers"][number];
export type AskedGraph = Across["graphs"][number];

/** As many graphs as one question is asked of, besides the first. */
export const OTHERS_MAX = 4;

export const askAcross = (body: BodyOf<"post", "across">) => post("across", {}, body);

export const acrossQuery = (id: string) => ({
  ...query("across/{id}", { id }),
  // Each graph answers in its own time.
  refetchInterval: ({ state }: { state: { data?: Across | undefined } }) =>
    state.data?.going ? 1_000 : (false as const),
});
