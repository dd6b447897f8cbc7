// What a review queue says about itself: how far it is, and how far people agree.
import { query } from "./query";
import type { components } from "./generated/schema";
import type { Id } from "./types";

type Schemas = components["schemas"];

export type QueueStatistics = Schemas["Statistics"];

export const queueStatisticsQuery = (id: Id) => query("review/queues/{id}/statistics", { id });
