// The annotation session of a page, with what it tells the cache.
import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useEffect, useState, useSyncExternalStore } from "react";
import { drawingQuery, itemKey, queueItemsKey, reviewKeys, type ItemRow } from "@/api/review";
import type { Page } from "@/api/types";
import { troubleOf } from "@/components/kit/feedback";
import { AnnotationSession } from "@/store/annotationSession";
import type { Listener, SessionState } from "@/store/annotationState";
import { toast } from "@/store/toasts";

/** How often the figures of the queue are asked for anew while one judges quickly. */
const FIGURES_MS = 3000;

function listenerOf(client: QueryClient, queue: string): Listener {
  let figures: ReturnType<typeof setTimeout> | undefined;
  const onProgress = () => {
    figures ??= setTimeout(() => {
      figures = undefined;
      void client.invalidateQueries({ queryKey: [...reviewKeys.queues, queue] });
    }, FIGURES_MS);
  };
  return {
    onProgress,
    // The drawing says what went wrong.
    onLoaded: ({ id }) => void client.query(drawingQuery(id)).catch(() => undefined),
    onItemChanged: (id) => void client.invalidateQueries({ queryKey: itemKey(id) }),
    onRowChanged: ({ id, state, submitted }) => {
      client.setQueriesData<Page<ItemRow>>(
        { queryKey: queueItemsKey(queue) },
        (page) =>
          page && {
            ...page,
            results: page.results.map((one) => (one.id === id ? { ...one, state, submitted } : one)),
          },
      );
      onProgress();
    },
    onError: (error) => {
      const { message, hint } = troubleOf(error);
      toast(`${message} ${hint}`);
    },
  };
}

/** A session for as long as the page is there; `first` is the item to begin with. */
export function useAnnotationSession(
  queue: string,
  user: string,
  first: number | null,
): [AnnotationSession, SessionState] {
  const client = useQueryClient();
  const [session] = useState(() => new AnnotationSession(queue, user, first, listenerOf(client, queue)));
  useEffect(() => session.start(), [session]);
  return [session, useSyncExternalStore(session.subscribe, session.getState)];
}
