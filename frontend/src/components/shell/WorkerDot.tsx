// Whether anybody is there to do the work, and what else is the matter. Said in words, not only by a colour.
import { Button as AriaButton, Dialog, DialogTrigger, Popover } from "react-aria-components";
import type { Status } from "@/api/types";
import { count } from "@/view/format";

export function WorkerDot({ status, offline }: { status: Status | undefined; offline: boolean }) {
  if (offline) {
    return (
      <span className="worker row bad-text" role="status" title="Clew looks for it every few seconds">
        <span className="dot bad" aria-hidden="true" /> server away
      </span>
    );
  }
  if (!status) return <span className="worker muted">…</span>;
  const { answers, jobs } = status.workers;
  const others = status.troubles.filter((trouble) => trouble.code !== "workers");
  const [tone, text] = others.some((trouble) => trouble.code === "queue")
    ? (["bad", "Queue unreachable"] as const)
    : answers === 0 && jobs === 0
      ? (["bad", "No worker is running"] as const)
      : answers === 0 || jobs === 0
        ? (["warn", answers === 0 ? "No answer worker" : "No job worker"] as const)
        : others.length > 0
          ? (["warn", others.length === 1 ? "1 trouble" : `${String(others.length)} troubles`] as const)
          : (["good", "worker"] as const);
  return (
    <DialogTrigger>
      <AriaButton className={`btn plain worker ${tone}-text`}>
        <span className={`dot ${tone}`} aria-hidden="true" />
        <span className={tone === "good" ? "wide-only" : ""}>{text}</span>
        {tone === "good" && <span className="sr-only"> running</span>}
      </AriaButton>
      <Popover className="popover" placement="bottom end">
        <Dialog aria-label="Workers" className="tray">
          <h2>Workers</h2>
          <dl className="facts">
            <dt>answers</dt>
            <dd>{answers ? count(answers, "process", "processes") : "none: questions wait"}</dd>
            <dt>jobs</dt>
            <dd>
              {jobs ? count(jobs, "process", "processes") : "none: imports, training and evaluations wait"}
            </dd>
            <dt>encoder</dt>
            <dd>{status.encoder}</dd>
            <dt>language model</dt>
            <dd>{status.llm.configured ? (status.llm.model ?? "configured") : "not configured"}</dd>
            <dt>version</dt>
            <dd>{status.version}</dd>
          </dl>
          {others.map((trouble) => (
            <div key={trouble.message} className="small">
              <p className={trouble.code === "queue" ? "bad-text" : "warn-text"}>{trouble.message}</p>
              <p className="muted">{trouble.hint}</p>
            </div>
          ))}
          {(answers === 0 || jobs === 0) && (
            <p className="small">
              What is asked now is kept and starts by itself. Whoever runs Clew starts it again, or looks at
              the worker&apos;s log to see why it stopped.
            </p>
          )}
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}
