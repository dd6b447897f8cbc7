// What a session of judging consists of, and what it tells those around it.
import { ApiError } from "@/api/client";
import type { Conflict, Item, ItemRow } from "@/api/review";
import type { Loaded } from "@/view/loadedItems";
import type { Unsent } from "./unsent";

/** A judgement that another came before: what the person said before, and what was to be sent. */
export interface Contested extends Conflict {
  mine: Unsent;
}

export interface SessionState extends Loaded {
  /** The first question could not be loaded. */
  error: Error | null;
  /** The item before the analyst is being changed by the server. */
  busy: boolean;
  canRedo: boolean;
  /** Kept here, and not at the server, for it did not answer or did not take them. */
  unsent: readonly Unsent[];
  /** Why. */
  unsentBecause: Error | null;
  contested: readonly Contested[];
}

/** What a session tells those around it. */
export interface Listener {
  /** An item will be shown soon. */
  onLoaded: (item: Item) => void;
  /** What is drawn of an item is not true any more. */
  onItemChanged: (item: number) => void;
  onRowChanged: (row: Pick<ItemRow, "id" | "state" | "submitted">) => void;
  /** The figures of the queue are not true any more. */
  onProgress: () => void;
  onError: (error: unknown) => void;
}

/** Refused for now: who is not signed in, may not judge, or whose graph is deleted, may be again. */
const FOR_NOW = [401, 403, 404, 408, 429];

/** The server did not take it, and may later: it is kept, and worth sending again. */
export function unanswered(error: unknown): boolean {
  return (
    !(error instanceof ApiError) ||
    error.status === 0 ||
    error.status >= 500 ||
    FOR_NOW.includes(error.status)
  );
}

/** Whether a judgement is about all paths that the item has by now. */
export function covers({ judgement }: Unsent, item: Item): boolean {
  const judged = new Set(judgement.verdicts.map((one) => one.candidate));
  return judgement.broken || item.candidates.every((one) => judged.has(one.id));
}

/** Whether the next item is to be asked for. */
export function wantsMore({ ahead, empty, error }: SessionState): boolean {
  return ahead.length === 0 && !empty && error === null;
}
