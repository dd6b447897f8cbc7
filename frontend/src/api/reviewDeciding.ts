// Deciding what analysts do not agree on, accepting what they do, importing, and who did what when.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { request } from "./client";
import { get } from "./queries";
import { reviewKeys, type Candidate, type ItemRow, type Judgement, type Kind, type Reason } from "./review";
import type { Id, Page } from "./types";

export interface OneSaid {
  analyst: string;
  kind: Kind | "broken";
  reasons: Reason[];
  comment: string;
}

/** An item that analysts do not agree on, with what each says of each path. */
export interface Disagreement {
  item: ItemRow;
  candidates: { candidate: Candidate; said: OneSaid[] }[];
  /** Those who call the question broken. */
  broken: OneSaid[];
}

export const SPLITS = 50;

export const disagreementsQuery = (queue: Id, all: boolean, page: number) =>
  queryOptions<Page<Disagreement>>({
    queryKey: [...reviewKeys.queues, String(queue), "disagreements", all, page],
    queryFn: () =>
      get<Page<Disagreement>>(`review/queues/${queue}/disagreements`, {
        ...(all && { all: 1 }),
        page,
        page_size: SPLITS,
      }),
    placeholderData: keepPreviousData,
  });

export function adjudicate(item: number, decision: Omit<Judgement, "shown">): Promise<{ item: ItemRow }> {
  return request("POST", `review/items/${item}/adjudicate`, { body: decision });
}

export function acceptUnanimous(queue: Id, id: string): Promise<{ accepted: number; left: number }> {
  return request("POST", `review/queues/${queue}/accept-unanimous`, { body: { id } });
}

/** `id` is that of the acceptance. */
export function undoAcceptance(queue: Id, id: string): Promise<{ undone: number }> {
  return request("POST", `review/queues/${queue}/accept-unanimous/undo`, { body: { id } });
}
