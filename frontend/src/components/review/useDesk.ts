// The desk of an analyst: the item before them and the next one already loaded. What is submitted goes out behind
// their back, one after the other, and is kept in the browser until the server has answered.
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import { ApiError } from "@/api/client";
import {
  drawingQuery,
  loadItem,
  nextItem,
  queueItemsKey,
  redoLast,
  releaseItem,
  reviewKeys,
  submitItem,
  undoLast,
  type Item,
  type ItemRow,
  type Meanwhile,
} from "@/api/review";
import type { Page } from "@/api/types";
import { troubleOf } from "@/components/kit/says";
import { elide } from "@/store/format";
import { judgementOf, openDesk, stepBack, stepOn, withItem, type Desk, type Opinion } from "@/store/review";
import { NO_TABLE, advance, drop, holding, putFirst, receive, type Table } from "@/store/reviewTable";
import { toast } from "@/store/toasts";
import { forgetUnsent, keepUnsent, unsentOf, type Unsent } from "@/store/unsent";

/** A judgement that others came before: what stands now, and what was to be sent. */
export interface Contested extends Meanwhile {
  mine: Unsent;
}

export interface DeskState extends Table {
  change: (change: (desk: Desk) => Desk) => void;
  /** The first question could not be loaded. */
  error: Error | null;
  /** The item before the analyst is being changed by the server. */
  busy: boolean;
  /** Kept here, and not at the server, for it did not answer. */
  canRedo: boolean;
  stuck: readonly Unsent[];
  contested: readonly Contested[];
  submit: () => void;
  undo: () => void;
  redo: () => void;
  open: (item: number) => void;
  begin: () => void;
  sendAgain: () => void;
  settle: (which: Contested, how: "add" | "leave" | "look") => void;
}

/** How often the figures of the queue are asked for anew while one judges quickly. */
const FIGURES_MS = 3000;
/** How long after the server did not answer it is asked again. */
const AGAIN_MS = 5000;
/** How many items the server lets one hold. */
const HELD = 5;

/** The server did not get it, or did not finish: it is worth sending again. */
function silent(error: unknown): boolean {
  return !(error instanceof ApiError) || error.status === 0 || error.status >= 500 || error.status === 401;
}

/** Whether a judgement is about all paths that the item has by now. */
function covers({ judgement }: Unsent, item: Item): boolean {
  const said = new Set(judgement.verdicts.map((one) => one.candidate));
  return judgement.broken || item.candidates.every((one) => said.has(one.id));
}

export function useDesk(queue: string, user: string, first: number | null): DeskState {
  const client = useQueryClient();
  const [table, setTable] = useState<Table>(NO_TABLE);
  const [error, setError] = useState<Error | null>(null);
  const [waiting, setWaiting] = useState(0);
  const [stuck, setStuck] = useState<readonly Unsent[]>([]);
  const [contested, setContested] = useState<readonly Contested[]>([]);
  const now = useRef(table);
  const tail = useRef<Promise<unknown>>(Promise.resolve());
  const outbox = useRef<Unsent[]>([]);
  const said = useRef(new Map<number, Opinion>());
  const [redoable, setRedoable] = useState(false);
  const start = useRef(first);
  const gone = useRef(false);

  const put = useCallback((change: (table: Table) => Table) => {
    now.current = change(now.current);
    setTable(now.current);
  }, []);
  const warm = useCallback(
    (item: Item | null) => {
      if (item) client.query(drawingQuery(item.id)).catch(() => undefined); // the drawing says what went wrong
    },
    [client],
  );
  const tell = useCallback((reason: unknown) => {
    const { message, hint } = troubleOf(reason);
    toast(`${message} ${hint}`);
  }, []);

  const figures = useRef<ReturnType<typeof setTimeout> | null>(null);
  const freshen = useCallback(() => {
    figures.current ??= setTimeout(() => {
      figures.current = null;
      void client.invalidateQueries({ queryKey: [...reviewKeys.queues, queue] });
    }, FIGURES_MS);
  }, [client, queue]);
  const putRow = useCallback(
    ({ id, state, submitted }: Pick<ItemRow, "id" | "state" | "submitted">) => {
      client.setQueriesData<Page<ItemRow>>(
        { queryKey: queueItemsKey(queue) },
        (page) =>
          page && {
            ...page,
            results: page.results.map((one) => (one.id === id ? { ...one, state, submitted } : one)),
          },
      );
      freshen();
    },
    [client, queue, freshen],
  );

  /** What the server must not give: what is on the table, and what it has not heard of. It takes so many. */
  const held = useCallback(
    () => [...new Set([...holding(now.current), ...outbox.current.map((one) => one.item)])].slice(0, HELD),
    [],
  );
  const take = useCallback(
    (item: Item | null) => {
      // Judged already, and not sent yet: the server cannot know.
      if (item && outbox.current.some((one) => one.item === item.id)) return;
      put((table) => receive(table, item));
      warm(item);
    },
    [put, warm],
  );

  /** One after the other, in the order they were asked for. */
  const inTurn = useCallback(<T>(work: () => Promise<T>): Promise<T> => {
    const turn = tail.current.then(work, work);
    tail.current = turn.catch(() => undefined);
    return turn;
  }, []);

  const refused = useCallback(
    async (entry: Unsent, reason: ApiError) => {
      if (reason.code === "judged_meanwhile") {
        // It stays kept: after a reload it is asked about again.
        const { item, theirs } = reason.body as Meanwhile;
        if (covers(entry, item)) {
          setContested((list) => [...list, { item, theirs, mine: entry }]);
          return;
        }
      }
      forgetUnsent(entry.judgement.id);
      tell(reason);
      if (reason.status === 404 || reason.code === "decided") return;
      // It changed, or something is missing: back to the desk with it, and what was said of it.
      const fresh = await loadItem(entry.item);
      put((table) => putFirst(table, openDesk(fresh, said.current.get(entry.item))));
    },
    [put, tell],
  );

  /** Send what waits, the oldest first; stops where the server does not answer. */
  const flush = useCallback(
    () =>
      inTurn(async () => {
        for (let entry = outbox.current[0]; entry; entry = outbox.current[0]) {
          try {
            const { item, next } = await submitItem(entry.item, entry.judgement, held());
            forgetUnsent(entry.judgement.id);
            take(next);
            putRow(item);
          } catch (reason) {
            if (silent(reason)) {
              setStuck([...outbox.current]);
              throw reason;
            }
            await refused(entry, reason as ApiError).catch(tell);
          }
          outbox.current = outbox.current.slice(1);
        }
        setStuck([]);
      }),
    [held, inTurn, putRow, refused, take, tell],
  );

  const topUp = useCallback(
    () =>
      inTurn(async () => {
        if (gone.current || now.current.empty || now.current.ahead.length > 0) return;
        const { item } = await nextItem(queue, held());
        take(item !== null && holding(now.current).includes(item.id) ? null : item);
      }),
    [held, inTurn, queue, take],
  );

  const begin = useCallback(() => {
    void inTurn(async () => {
      if (start.current === null) {
        const { item } = await nextItem(queue, held());
        put((table) => receive({ ...table, empty: false }, item));
        warm(item);
        return;
      }
      const item = await loadItem(start.current);
      start.current = null;
      // First, also where something that was still to be sent has brought the next one.
      put((table) => putFirst({ ...table, empty: false }, openDesk(item)));
      warm(item);
    }).catch((reason: unknown) => {
      setError(reason as Error);
    });
  }, [held, inTurn, put, queue, warm]);

  useEffect(() => {
    gone.current = false;
    outbox.current = unsentOf(user, queue);
    if (outbox.current.length) void flush().catch(() => undefined);
    begin();
    const online = () => void flush().catch(() => undefined);
    window.addEventListener("online", online);
    return () => {
      gone.current = true;
      window.removeEventListener("online", online);
      if (figures.current) clearTimeout(figures.current);
      // Others may have what is not judged here; if this is not heard, the reservations run out.
      for (const item of holding(now.current)) void releaseItem(item).catch(() => undefined);
    };
  }, [begin, flush, queue, user]);

  const { desk, ahead, empty } = table;
  const wants = ahead.length === 0 && !empty && error === null;
  const current = desk?.item.id;
  useEffect(() => {
    if (!wants) return;
    topUp().catch((reason: unknown) => {
      // While there is something to judge, the next one comes with its submission.
      if (now.current.desk === null) setError(reason as Error);
    });
  }, [wants, current, topUp]);

  useEffect(() => {
    if (!stuck.length) return undefined;
    const again = setTimeout(() => void flush().catch(() => undefined), AGAIN_MS);
    return () => {
      clearTimeout(again);
    };
  }, [stuck, flush]);

  const post = useCallback(
    (entry: Unsent) => {
      keepUnsent(entry);
      outbox.current = [...outbox.current, entry];
      setRedoable(false);
      void flush().catch(() => undefined); // what is stuck is shown
    },
    [flush],
  );

  const submit = () => {
    const { desk } = now.current;
    const judgement = desk && judgementOf(desk, crypto.randomUUID());
    if (!desk || !judgement) return;
    const { id, question } = desk.item;
    said.current.set(id, desk.opinion);
    put(advance);
    post({ user, queue, item: id, question, at: Date.now(), judgement });
  };

  /** Let the server bring an item back, or say again what was taken back. */
  const travel = (work: () => Promise<void>) => {
    setWaiting((count) => count + 1);
    void flush()
      .then(() => inTurn(work))
      .catch(tell)
      .finally(() => {
        setWaiting((count) => count - 1);
        freshen();
      });
  };

  return {
    ...table,
    error,
    busy: waiting > 0,
    canRedo: redoable || (desk?.future.length ?? 0) > 0,
    stuck,
    contested,
    change: (change) => {
      put((table) => {
        const desk = table.desk && change(table.desk);
        if (desk?.opinion !== table.desk?.opinion) setRedoable(false);
        return { ...table, desk };
      });
    },
    submit,
    undo: () => {
      const back = desk && stepBack(desk);
      if (back) {
        put((table) => ({ ...table, desk: back }));
      } else if (waiting === 0) {
        travel(async () => {
          const { item } = await undoLast(queue, crypto.randomUUID());
          // What is on the desk stays there: a path that was added to it is taken back.
          put((table) =>
            table.desk?.item.id === item.id
              ? { ...table, desk: withItem(table.desk, item) }
              : putFirst({ ...table, empty: false }, openDesk(item, said.current.get(item.id))),
          );
          void client.invalidateQueries({ queryKey: [...reviewKeys.items, item.id] });
          warm(item);
          putRow(item);
          setRedoable(true);
          toast(`Taken back: ${elide(item.question, 60)}`, { ms: 3000 });
        });
      }
    },
    redo: () => {
      const on = desk && stepOn(desk);
      if (on) {
        put((table) => ({ ...table, desk: on }));
      } else if (!redoable) {
        toast("There is nothing to do again.");
      } else if (waiting === 0) {
        travel(async () => {
          const { item } = await redoLast(queue, crypto.randomUUID());
          put((table) =>
            item.mine === null && table.desk?.item.id === item.id
              ? { ...table, desk: withItem(table.desk, item) }
              : drop(table, item.id),
          );
          void client.invalidateQueries({ queryKey: [...reviewKeys.items, item.id] });
          putRow(item);
          setRedoable(false);
          toast(`Done again: ${elide(item.question, 60)}`, { ms: 3000 });
        });
      }
    },
    open: (id) => {
      if (id === current) return;
      const known = now.current.ahead.find((one) => one.item.id === id);
      if (known) {
        put((table) => putFirst(table, known));
        return;
      }
      void loadItem(id).then((item) => {
        put((table) => putFirst(table, openDesk(item)));
        warm(item);
      }, tell);
    },
    begin: () => {
      setError(null);
      void flush().catch(() => undefined);
      begin();
    },
    sendAgain: () => void flush().catch(tell),
    settle: (which, how) => {
      setContested((list) => list.filter((one) => one !== which));
      const { item, mine } = which;
      forgetUnsent(mine.judgement.id);
      if (how === "look") {
        put((table) => putFirst(table, openDesk(item, said.current.get(item.id))));
      } else if (how === "add") {
        const judgement = {
          ...mine.judgement,
          id: crypto.randomUUID(),
          version: item.version,
          shown: item.shown,
        };
        post({ ...mine, at: Date.now(), judgement });
      }
    },
  };
}
