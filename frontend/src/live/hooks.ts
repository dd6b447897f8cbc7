import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useSyncExternalStore } from "react";
import { accessKeys } from "@/api/access";
import { refresh } from "@/api/cache";
import { keys, listJobs } from "@/api/queries";
import { reviewKeys } from "@/api/review";
import { studyKeys } from "@/api/studies";
import type { RunState } from "@/api/types";
import { useJobStore } from "@/store/jobStore";
import type { RunLog } from "@/view/runLog";
import { useRunStore, type Link } from "@/store/runStore";
import { isOver } from "@/view/runView";
import { followJobs } from "./jobsSocket";
import { followRun, followRuns } from "./runSocket";

/** What the server said of a run, and when. */
interface News {
  state: RunState | undefined;
  at: number;
}

/** What is drawn anew at most so often: the log of a run that has ended comes all at once, event by event. */
const PICTURE_MS = 40;

function byPicture(changed: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let told = 0;
  const tell = () => {
    timer = undefined;
    told = performance.now();
    changed();
  };
  const stop = useRunStore.subscribe((state, before) => {
    if (state.logs === before.logs || timer !== undefined) return;
    const wait = told + PICTURE_MS - performance.now();
    if (wait <= 0) tell();
    else timer = setTimeout(tell, wait);
  });
  return () => {
    clearTimeout(timer);
    stop();
  };
}

const useLogs = () => useSyncExternalStore(byPicture, () => useRunStore.getState().logs);

/** The log of a run, followed live while the component is there. `news` may say that it was taken up after its end. */
export function useRunLog(run: string | undefined, news: News): { log: RunLog | undefined; link: Link } {
  const client = useQueryClient();
  const logs = useLogs();
  const log = run ? logs[run] : undefined;
  const link = useRunStore((state) => (run ? state.links[run] : undefined)) ?? "connecting";
  const revived = useRunStore((state) => (run ? state.revived[run] : undefined)) ?? 0;
  const follow = useEffectEvent((id: string) =>
    followRun(id, { revived: revived > 0, ahead: news.state !== "queued" }),
  );
  useEffect(() => (run ? follow(run) : undefined), [run, revived]);
  const phase = log?.view.phase ?? "queued";
  // It may come to rest twice between two renderings: each rest has its own event.
  const rest = (isOver(phase) || phase === "paused") && log ? log.view.seq : 0;
  useEffect(() => {
    if (rest) void refresh(client, keys.runs);
  }, [rest, client]);
  // Only when it was said just now: what was said before the end is no news.
  const hear = useEffectEvent(() => {
    if (run && news.state && isOver(phase) && !isOver(news.state)) useRunStore.getState().revive(run);
  });
  useEffect(() => {
    hear();
  }, [news.at]);
  return { log, link };
}

/** The logs of several runs, all followed live over one socket while the component is there. */
export function useRunLogs(runs: readonly string[]): (RunLog | undefined)[] {
  const client = useQueryClient();
  const known = useLogs();
  const logs = runs.map((run) => known[run]);
  const names = runs.join(",");
  useEffect(() => {
    return names ? followRuns(names.split(",")) : undefined;
  }, [names]);
  const over = logs.filter((log) => log && isOver(log.view.phase)).length;
  useEffect(() => {
    if (!over) return;
    void refresh(client, keys.runs, keys.comparisons);
  }, [over, client]);
  return logs;
}

/** What a job may change that begins or ends. */
const WITH_JOBS = [
  keys.graphs,
  keys.checkpoints,
  keys.labelSets,
  keys.reports,
  studyKeys.studies,
  keys.jobs,
  reviewKeys.queues,
  accessKeys.storage,
];

/** Keeps the job store, the graph queries and the word of the server's state fresh. Used once, by the shell. */
export function useJobNews(signedIn: boolean): void {
  const client = useQueryClient();
  useEffect(() => {
    if (!signedIn) return undefined;
    const look = () => void client.invalidateQueries({ queryKey: keys.status });
    for (const change of ["online", "offline"]) window.addEventListener(change, look);
    let connected = false;
    const stop = followJobs({
      onLoss: look,
      onConnect: () => {
        void listJobs().then((page) => {
          useJobStore.getState().put(page.results);
        });
        // Nobody said what changed while the socket was down.
        if (connected) void refresh(client, ...WITH_JOBS);
        connected = true;
      },
      onJob: (job) => {
        if (job.state !== "running") void refresh(client, ...WITH_JOBS);
      },
      onGraph: () => void refresh(client, keys.graphs),
    });
    return () => {
      stop();
      for (const change of ["online", "offline"]) window.removeEventListener(change, look);
    };
  }, [signedIn, client]);
}
