// The runs that are open in this tab, each with its event log and the state of its connection.
import { create } from "zustand";
import type { RunEvent } from "@/api/types";
import { emptyLog, take, type RunLog, type Taken } from "@/view/runLog";

export type Link = "connecting" | "live" | "reconnecting" | "crowded" | "closed" | "missing" | "signed-out";

interface RunState {
  logs: Record<string, RunLog>;
  links: Record<string, Link>;
  /** How often a run was found to go on although it had ended here. */
  revived: Record<string, number>;
  open: (run: string) => void;
  event: (event: RunEvent) => Taken;
  link: (run: string, link: Link) => void;
  revive: (run: string) => void;
  /** Names in the logs are in a language that is no longer chosen: they are read again. */
  forget: () => void;
}

export const useRunStore = create<RunState>()((set, get) => ({
  logs: {},
  links: {},
  revived: {},
  open: (run) => {
    if (!get().logs[run]) set((state) => ({ logs: { ...state.logs, [run]: emptyLog(run) } }));
  },
  event: (event) => {
    const [log, taken] = take(get().logs[event.run] ?? emptyLog(event.run), event);
    if (taken !== "duplicate") set((state) => ({ logs: { ...state.logs, [event.run]: log } }));
    return taken;
  },
  link: (run, link) => {
    set((state) => ({ links: { ...state.links, [run]: link } }));
  },
  revive: (run) => {
    set((state) => ({ revived: { ...state.revived, [run]: (state.revived[run] ?? 0) + 1 } }));
  },
  forget: () => {
    set({ logs: {}, links: {} });
  },
}));
