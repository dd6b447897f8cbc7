// Which training was started from which review queue, as far as this browser knows.
import { create } from "zustand";
import { persist } from "zustand/middleware";
import type { Id, Job } from "@/api/types";

interface Trainings {
  jobs: Readonly<Record<string, Id>>;
  started: (queue: Id, job: Id) => void;
}

export const useTrainings = create<Trainings>()(
  persist(
    (set) => ({
      jobs: {},
      started: (queue, job) => {
        set((state) => ({ jobs: { ...state.jobs, [String(queue)]: job } }));
      },
    }),
    { name: "clew-review-trainings" },
  ),
);

/** The comparison of the checkpoint that was in use with the one that a training made; null when none was asked for. */
export function comparisonOf(job: Job): string | null {
  const { reports } = (job.result ?? {}) as { reports?: Id[] | null };
  return reports?.length === 2 ? `/experiments/compare?ids=${reports.join(",")}` : null;
}

/** What a training learned from a review. */
export function learnedFrom(job: Job): { accepted: number; rejected: number } | null {
  const { labels } = (job.result ?? {}) as { labels?: { accepted?: number; rejected?: number } | null };
  if (labels?.accepted === undefined) return null;
  return { accepted: labels.accepted, rejected: labels.rejected ?? 0 };
}
