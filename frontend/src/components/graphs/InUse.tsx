// What answers a graph's questions at present, and what is coming: its self-training, or what that came to.
import { selfTrained } from "@/components/shell/JobsTray";
import { Progress } from "@/components/kit/feedback";
import type { Checkpoint, Graph, Job } from "@/api/types";
import { useMethodName } from "@/components/kit/useMethodName";
import { isActive, useJobStore } from "@/store/jobStore";

/** The graph's latest self-training, as far as jobs reach back. */
function latest(jobs: readonly Job[], graph: Graph): Job | undefined {
  return jobs
    .filter((job) => job.kind === "self-train" && String(job.graph) === String(graph.id))
    .sort((a, b) => b.created_at.localeCompare(a.created_at))[0];
}

/** What is to be known of a self-training that is not done. */
function unfinished({ state, error }: Job): string {
  if (state === "cancelled") return "Self-training was stopped: nothing of it is used.";
  return `Self-training failed, and nothing of it is used: ${error?.message ?? "the worker’s log says why."}`;
}

export function InUse({ graph, checkpoints }: { graph: Graph; checkpoints: readonly Checkpoint[] }) {
  const job = useJobStore((state) => latest(state.jobs, graph));
  const methodName = useMethodName();
  const inUse = checkpoints.filter((one) => one.in_use);
  const used = inUse.find((one) => one.method === graph.checkpoint?.method) ?? inUse[0];
  const coming = job !== undefined && isActive(job);
  return (
    <div className="body">
      <p>
        <strong>In use:</strong>{" "}
        {used
          ? `${methodName(used.method)} ${used.fingerprint.slice(0, 8)}, trained on ${used.foreign ? "another" : "this"} graph${
              used.question_set_name ? ` (${used.question_set_name.toLowerCase()})` : ""
            }.`
          : "programs and relation paths as Clew reads them on any graph; nothing was trained on this one."}
      </p>
      {coming && (
        <>
          <p>
            <strong>Coming:</strong> self-training on questions written from the graph
            {job.state === "queued" ? "; it waits for a worker" : job.stage && `: ${job.stage}`}. Its
            checkpoint is used if it answers held-out questions better.
          </p>
          <Progress label={job.title} share={job.overall} />
        </>
      )}
      {job && !coming && !used && <p className="muted">{selfTrained(job) ?? unfinished(job)}</p>}
    </div>
  );
}
