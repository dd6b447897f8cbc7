// The desk of an analyst: the item before them, the next one already loaded, submitting and undoing.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { ApiError } from "@/api/client";
import { drawingQuery, loadItem, nextItem, reviewKeys, submitItem, undoLast, type Item } from "@/api/review";
import { openDesk, judgementOf, type Desk } from "@/store/review";
import { toast } from "@/store/toasts";
import { troubleOf } from "@/components/kit/says";

export interface DeskState {
  desk: Desk | null;
  setDesk: (change: (desk: Desk) => Desk) => void;
  /** Nothing is left for this analyst. */
  finished: boolean;
  error: Error | null;
  busy: boolean;
  submit: () => void;
  undo: () => void;
  begin: () => void;
}

export function useDesk(queue: string): DeskState {
  const client = useQueryClient();
  const [desk, put] = useState<Desk | null>(null);
  const [finished, setFinished] = useState(false);
  /** Of the submission that is being made: kept until it is answered, so that sending again records nothing. */
  const id = useRef(crypto.randomUUID());
  const open = (item: Item | null) => {
    id.current = crypto.randomUUID();
    put(item && openDesk(item));
    setFinished(item === null);
    if (item) client.query(drawingQuery(item.id)).catch(() => undefined); // the drawing says what went wrong
  };
  const load = useMutation({
    mutationFn: () => nextItem(queue, []),
    onSuccess: ({ item }) => {
      open(item);
    },
  });
  const { mutate: begin } = load;
  useEffect(() => {
    begin();
  }, [begin, queue]);
  const told = (error: unknown) => {
    const { message, hint } = troubleOf(error);
    toast(`${message} ${hint}`);
  };
  const send = useMutation({
    mutationFn: (now: Desk) => {
      const judgement = judgementOf(now, id.current);
      if (!judgement) throw new Error("Judge every path first, or call the question broken (b).");
      return submitItem(now.item.id, judgement, []);
    },
    onSuccess: ({ next }) => {
      open(next);
      void client.invalidateQueries({ queryKey: reviewKeys.queues });
    },
    onError: (error, { item }) => {
      told(error);
      if (!(error instanceof ApiError) || error.code !== "judged_meanwhile") return;
      // What is said here stays; sent again for the item as it is now, it is one more opinion.
      void loadItem(item.id).then((fresh) => {
        put((now) => (now?.item.id === fresh.id ? { ...now, item: fresh } : now));
      }, told);
    },
  });
  const back = useMutation({
    mutationFn: (event: string) => undoLast(queue, event),
    onSuccess: ({ item }) => {
      open(item);
      void client.invalidateQueries({ queryKey: reviewKeys.queues });
    },
    onError: told,
  });
  return {
    desk,
    setDesk: (change) => {
      put((now) => now && change(now));
    },
    finished,
    error: load.error,
    busy: send.isPending || back.isPending,
    submit: () => {
      if (desk && !send.isPending) send.mutate(desk);
    },
    undo: () => {
      if (!back.isPending) back.mutate(crypto.randomUUID());
    },
    begin,
  };
}
