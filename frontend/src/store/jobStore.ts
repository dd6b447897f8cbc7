// Jobs that the tray knows, newest first, and the state of their socket.
import { create } from "zustand";
import type { Job, JobState } from "@/api/types";

interface JobStore {
  jobs: readonly Job[];
  live: boolean;
  /** The server follows no more sockets of this person. */
  crowded: boolean;
  put: (jobs: readonly Job[]) => void;
  setLive: (live: boolean) => void;
  setCrowded: (crowded: boolean) => void;
}

const KEPT = 50;

export function isActive({ state }: { state: JobState }): boolean {
  return state === "queued" || state === "running";
}

/**
 * `known` with `news` replacing jobs of the same id, newest first. Of two accounts of a job the newer is kept: the
 * answer to a request may come after news that the socket has brought meanwhile.
 */
export function mergeJobs(known: readonly Job[], news: readonly Job[]): readonly Job[] {
  const byId = new Map(known.map((job) => [String(job.id), job]));
  for (const job of news) {
    const before = byId.get(String(job.id));
    if (!before || !(before.revision > job.revision)) byId.set(String(job.id), job);
  }
  return [...byId.values()]
    .sort((a, b) => Number(isActive(b)) - Number(isActive(a)) || b.created_at.localeCompare(a.created_at))
    .slice(0, KEPT);
}

export const useJobStore = create<JobStore>()((set) => ({
  jobs: [],
  live: false,
  crowded: false,
  put: (news) => {
    set((state) => ({ jobs: mergeJobs(state.jobs, news) }));
  },
  setLive: (live) => {
    set({ live });
  },
  setCrowded: (crowded) => {
    set({ crowded });
  },
}));
