// What a review queue says about itself: how far it is, and how far people agree.
import { queryOptions } from "@tanstack/react-query";
import { get } from "./client";
import { reviewKeys, type ItemState } from "./review";
import type { Id } from "./types";

export interface QueueStatistics {
  progress: Record<ItemState, number>;
  people: { analyst: string; judged: number; last: string | null; reserved: number }[];
  agreement: {
    paths: number;
    percent: number | null;
    alpha: number | null;
    /** Over the paths that `raters` judged. */
    fleiss: number | null;
    raters: number | null;
  };
  pairs: { analysts: string[]; paths: number; percent: number | null; kappa: number | null }[];
  /** How often each reason was given. */
  reasons: Record<string, number>;
  /** Items: all say the same; not all do; accepted as they are; decided by a person. */
  unanimous: number;
  disagreements: number;
  settled: number;
  adjudicated: number;
}

export const queueStatisticsQuery = (id: Id) =>
  queryOptions({
    queryKey: [...reviewKeys.queues, String(id), "statistics"],
    queryFn: () => get<QueueStatistics>(`review/queues/${id}/statistics`),
  });
