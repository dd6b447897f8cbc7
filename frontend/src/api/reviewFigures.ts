// What a review queue says about itself: how far it is, and how far people agree.
import { queryOptions } from "@tanstack/react-query";
import { get } from "./calls";
import { reviewKeys } from "./review";
import type { components } from "./generated/schema";
import type { Id } from "./types";

type Schemas = components["schemas"];

export type QueueStatistics = Schemas["Statistics"];

export const queueStatisticsQuery = (id: Id) =>
  queryOptions({
    queryKey: [...reviewKeys.queues, String(id), "statistics"],
    queryFn: () => get("review/queues/{id}/statistics", { id }),
  });
