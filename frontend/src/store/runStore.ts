// The runs that are open in this tab, each with its event log and the state of its connection.
import { create } from "zustand";
import type { RunEvent } from "@/api/types";
import { emptyLog, take, type RunLog, type Taken } from "./runLog";

export type Link = "connecting" | "live" | "reconnecting" | "closed" | "missing" | "signed-out";

interface RunState {
  logs: Record<string, RunLog>;
  links: Record<string, Link>;
  open: (run: string) => void;
  event: (event: RunEvent) => Taken;
  link: (run: string, link: Link) => void;
}

export const useRunStore = create<RunState>()((set, get) => ({
  logs: {},
  links: {},
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
}));
