// The ordered log of one run. Applied events are gapless from 1; an event that came too early waits
// in `pending` until those before it are there.
import type { RunEvent } from "@/api/types";
import { emptyView, reduceRun, type RunView } from "./runView";

export interface RunLog {
  run: string;
  applied: readonly RunEvent[];
  pending: ReadonlyMap<number, RunEvent>;
  view: RunView;
}

export type Taken = "applied" | "duplicate" | "early";

export function emptyLog(run: string): RunLog {
  return { run, applied: [], pending: new Map(), view: emptyView(run) };
}

/** The log after `event`, and what became of it. A duplicate returns the very same log. */
export function take(log: RunLog, event: RunEvent): [RunLog, Taken] {
  const last = log.applied.length;
  if (event.run !== log.run || event.seq <= last || log.pending.has(event.seq)) return [log, "duplicate"];
  if (event.seq > last + 1) {
    return [{ ...log, pending: new Map(log.pending).set(event.seq, event) }, "early"];
  }
  const applied = [...log.applied];
  const pending = new Map(log.pending);
  let view = log.view;
  let next: RunEvent | undefined = event;
  while (next) {
    applied.push(next);
    view = reduceRun(view, next);
    pending.delete(next.seq);
    next = pending.get(next.seq + 1);
  }
  return [{ ...log, applied, pending, view }, "applied"];
}
