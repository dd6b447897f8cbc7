import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useShallow } from "zustand/react/shallow";
import { keys, listJobs } from "@/api/queries";
import { useJobStore } from "@/store/jobStore";
import type { RunLog } from "@/store/runLog";
import { useRunStore, type Link } from "@/store/runStore";
import { isOver } from "@/store/runView";
import { followJobs } from "./jobsSocket";
import { followRun } from "./runSocket";

/** The log of a run, followed live while the component is there. */
export function useRunLog(run: string | undefined): { log: RunLog | undefined; link: Link } {
  const client = useQueryClient();
  const log = useRunStore((state) => (run ? state.logs[run] : undefined));
  const link = useRunStore((state) => (run ? state.links[run] : undefined)) ?? "connecting";
  useEffect(() => (run ? followRun(run) : undefined), [run]);
  const over = log ? isOver(log.view.phase) : false;
  useEffect(() => {
    if (over) void client.invalidateQueries({ queryKey: keys.runs });
  }, [over, client]);
  return { log, link };
}

/** The logs of several runs, all followed live while the component is there. */
export function useRunLogs(runs: readonly string[]): (RunLog | undefined)[] {
  const client = useQueryClient();
  const logs = useRunStore(useShallow((state) => runs.map((run) => state.logs[run])));
  const names = runs.join(",");
  useEffect(() => {
    const stops = names ? names.split(",").map((run) => followRun(run)) : [];
    return () => {
      for (const stop of stops) stop();
    };
  }, [names]);
  const over = logs.filter((log) => log && isOver(log.view.phase)).length;
  useEffect(() => {
    if (!over) return;
    for (const queryKey of [keys.runs, keys.comparisons]) void client.invalidateQueries({ queryKey });
  }, [over, client]);
  return logs;
}

/** Keeps the job store and the graph queries fresh. Used once, by the shell. */
export function useJobNews(signedIn: boolean): void {
  const client = useQueryClient();
  useEffect(() => {
    if (!signedIn) return undefined;
    return followJobs({
      onConnect: () => {
        void listJobs().then((page) => {
          useJobStore.getState().put(page.results);
        });
      },
      onJob: (job) => {
        if (job.state !== "running") {
          for (const queryKey of [keys.graphs, keys.checkpoints, keys.labelSets, keys.reports, keys.jobs]) {
            void client.invalidateQueries({ queryKey });
          }
        }
      },
      onGraph: () => {
        void client.invalidateQueries({ queryKey: keys.graphs });
      },
    });
  }, [signedIn, client]);
}
