// Long work, wherever one is: stage, count, rate, time left, error, cancel. It survives a reload,
// because the jobs live on the server.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Dialog, DialogTrigger, Popover } from "react-aria-components";
import { Link } from "react-router";
import { cancelJob, jobLogQuery, retryJob } from "@/api/queries";
import { useMayManage } from "@/api/rights";
import type { Job, JobStage } from "@/api/types";
import { Icon } from "@/components/kit/Icon";
import { Button } from "@/components/kit/controls";
import { Ago, JobBadge, Progress, troubleOf } from "@/components/kit/feedback";
import { useAct } from "@/components/kit/useAct";
import { FileRow } from "@/components/uploads/Files";
import { count, duration, integer, percent } from "@/view/format";
import { isActive, useJobStore } from "@/store/jobStore";
import { useUploads } from "@/store/uploads";

const STATES: Record<Job["state"], string> = {
  queued: "waiting for a worker",
  running: "running",
  done: "done",
  failed: "failed",
  cancelled: "cancelled",
};

/** "1,200 of 5,000 rows · 310 rows/s · 12 s left" */
export function jobProgress(job: Job): string {
  const parts: string[] = [];
  if (job.done || job.total) {
    parts.push(`${integer(job.done)}${job.total ? ` of ${integer(job.total)}` : ""} ${job.unit}`);
  }
  if (job.rate) parts.push(`${integer(Math.round(job.rate * 10) / 10)} ${job.unit}/s`);
  if (job.eta_s !== null && job.state === "running") parts.push(`${duration(job.eta_s)} left`);
  return parts.join(" · ");
}

/** How far a job is in all; null where nobody knows. */
function shareOf({ stages, overall, done, total }: Job): number | null {
  if (stages.length > 1 || overall > 0) return overall;
  return total ? done / total : null;
}

/** Where the work of a job is seen. */
function placeOf(job: Job): string {
  const { report, study, round, test } = (job.result ?? {}) as Partial<
    Record<"report" | "study" | "round" | "test", Job["id"]>
  >;
  if (study !== undefined) return `/studies/${study}`;
  if (job.kind === "study") return "/studies";
  if (round !== undefined) return `/test-rounds/${round}`;
  if (test !== undefined) return `/tests/${test}`;
  if (job.kind === "test") return `/graphs/${job.graph}/tests`;
  if (report !== undefined) return `/experiments/${report}`;
  if (job.kind === "evaluate") return `/experiments?graph=${job.graph}`;
  return `/graphs/${job.graph}`;
}

/** Where a training's checkpoint is compared with the one that was in use; null when that was not asked for. */
function comparisonOf(job: Job): string | null {
  const { reports } = (job.result ?? {}) as { reports?: Job["id"][] | null };
  return reports?.length === 2 ? `/experiments/compare?ids=${reports.join(",")}` : null;
}

/** What a graph's self-training came to; null of other work. */
export function selfTrained(job: Job): string | null {
  if (job.kind !== "self-train" || job.state !== "done") return null;
  const { kept, skipped, compared, metrics } = (job.result ?? {}) as {
    kept?: boolean;
    skipped?: string;
    compared?: number;
    metrics?: { exact_set: number; exact_set_before: number };
  };
  if (skipped !== undefined) return `Not trained: ${skipped}`;
  const figures = metrics
    ? ` Of the same ${compared ?? "held-out"} questions written from the graph ${percent(metrics.exact_set)} are answered exactly with it, ${percent(metrics.exact_set_before)} without.`
    : "";
  return `${kept ? "Kept: it takes part in answering." : "Discarded: the graph is answered as well without it."}${figures}`;
}

function Log({ job }: { job: Job }) {
  const { data, error } = useQuery({
    ...jobLogQuery(job.id),
    refetchInterval: isActive(job) ? 2000 : false,
  });
  if (error) return <p className="small bad-text">{troubleOf(error).message}</p>;
  if (data?.length === 0) return <p className="small muted">Nothing has been written yet.</p>;
  return (
    <ol className="job-log small" aria-label={`Log of ${job.title}`}>
      {data?.map((line, place) => (
        <li key={place} className={line.level === "info" ? "" : "bad-text"}>
          <span className="muted tabular">
            <Ago iso={line.at} />
          </span>{" "}
          {line.text}
        </li>
      ))}
    </ol>
  );
}

const DONE: Record<JobStage["state"], string> = {
  waiting: "to come",
  running: "now",
  done: "done",
  skipped: "not needed",
  failed: "failed",
  stopped: "stopped",
};

/** All that a job goes through, where that is more than one thing. */
function Stages({ job }: { job: Job }) {
  if (job.stages.length < 2) return null;
  return (
    <ol className="job-stages small" aria-label={`Stages of ${job.title}`}>
      {job.stages.map(({ name, label, state }) => (
        <li key={name} className={state} {...(state === "running" && { "aria-current": "step" as const })}>
          {state === "done" && <Icon name="check" />}
          {label}
          <span className="sr-only">: {DONE[state]}</span>
        </li>
      ))}
    </ol>
  );
}

export function JobRow({ job, workers }: { job: Job; workers: number | undefined }) {
  const cancel = useAct(() => cancelJob(job.id));
  const retry = useAct(() => retryJob(job.id));
  const [logged, setLogged] = useState(false);
  const mayManage = useMayManage();
  const running = isActive(job);
  // What was asked of it holds until it is heard of: tried again it may fail again, or be stopped another time.
  const stopping = cancel.isSuccess && isActive(cancel.data) && cancel.data.started_at === job.started_at;
  const tried = retry.isSuccess && retry.data.revision >= job.revision;
  const ended = job.state === "failed" || job.state === "cancelled";
  const place = placeOf(job);
  const comparison = comparisonOf(job);
  const outcome = selfTrained(job);
  return (
    <li className="job">
      <div className="row">
        <span className="grow elide" title={job.title}>
          <Link to={place}>
            <bdi>{job.title}</bdi>
          </Link>
        </span>
        <JobBadge state={job.state} />
        {running && mayManage(job.user, job.graph) && (
          <Button
            size="small"
            aria-label={`Cancel ${job.title}`}
            isDisabled={cancel.isPending || stopping}
            onPress={() => cancel.mutate()}
          >
            {cancel.isPending || stopping ? "Cancelling" : "Cancel"}
          </Button>
        )}
      </div>
      {job.state === "running" && <Progress label={job.title} share={shareOf(job)} />}
      {job.state !== "done" && <Stages job={job} />}
      <p className="small muted tabular job-line">
        <span className="grow elide">
          {running ? job.stage || STATES[job.state] : STATES[job.state]}
          {job.message && ` · ${job.message}`}
        </span>
        <span>{running ? jobProgress(job) : job.finished_at && <Ago iso={job.finished_at} />}</span>
      </p>
      {job.state === "queued" && workers === 0 && (
        <p className="small bad-text">
          No worker is running, so this waits. It starts by itself when one does.
        </p>
      )}
      {comparison && (
        <p className="small">
          <Link to={comparison}>Before and after on the test questions</Link>
        </p>
      )}
      {outcome && <p className="small">{outcome}</p>}
      {job.error && (
        <p className="small bad-text">
          {job.error.message} {job.error.hint}
        </p>
      )}
      <div className="row">
        {ended && mayManage(job.user, job.graph) && (
          <Button
            size="small"
            aria-label={`Try again: ${job.title}`}
            isDisabled={retry.isPending || tried}
            onPress={() => retry.mutate()}
          >
            {tried ? "Tried again" : "Try again"}
          </Button>
        )}
        <Button
          size="small"
          look="link"
          aria-expanded={logged}
          aria-label={`Log of ${job.title}`}
          onPress={() => setLogged(!logged)}
        >
          {logged ? "Hide the log" : "Log"}
        </Button>
      </div>
      {logged && <Log job={job} />}
      {retry.error && (
        <p className="small bad-text">
          {troubleOf(retry.error).message} {troubleOf(retry.error).hint}
        </p>
      )}
      {cancel.error && <p className="small bad-text">{troubleOf(cancel.error).message}</p>}
    </li>
  );
}

export function JobsTray({ workers }: { workers: number | undefined }) {
  const jobs = useJobStore((state) => state.jobs);
  const active = jobs.filter(isActive);
  const [first] = active;
  const share = first ? shareOf(first) : null;
  const uploads = useUploads((state) => state.files).filter((file) => file.state !== "done");
  return (
    <DialogTrigger>
      <Button
        look="plain"
        icon="jobs"
        className="jobs-btn"
        aria-label={`Jobs: ${active.length} running or waiting${
          uploads.length ? `, ${count(uploads.length, "upload")} under way` : ""
        }`}
      >
        <span className="wide-only">jobs</span>
        {active.length + uploads.length > 0 && (
          <span className="badge accent tabular" aria-hidden="true">
            {active.length + uploads.length}
          </span>
        )}
        {share !== null && (
          <span className="small muted tabular wide-only" aria-hidden="true">
            {Math.floor(share * 100)}%
          </span>
        )}
      </Button>
      <Popover className="popover" placement="bottom end">
        <Dialog aria-label="Jobs" className="tray">
          {uploads.length > 0 && (
            <>
              <h2>Uploads</h2>
              <ul className="files">
                {uploads.map((file) => (
                  <FileRow key={file.key} file={file} />
                ))}
              </ul>
            </>
          )}
          <h2>Jobs</h2>
          {jobs.length === 0 ? (
            <p className="muted">
              Imports, indexing, labelling, training and evaluations show up here while they run, and stay
              after a reload.
            </p>
          ) : (
            <ul>
              {jobs.slice(0, 12).map((job) => (
                <JobRow key={job.id} job={job} workers={workers} />
              ))}
            </ul>
          )}
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}
