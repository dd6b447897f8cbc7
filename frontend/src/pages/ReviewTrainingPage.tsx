// What was trained from a queue: how far it is, whether it is better than what was used before, and which is used.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import type { Queue } from "@/api/review";
import { TRAININGS, trainingsQuery, type QueueTraining } from "@/api/reviewDeciding";
import { useManagesGraph } from "@/api/rights";
import { usePromotion } from "@/components/graphs/usePromotion";
import { QueueFrame } from "@/components/review/QueueFrame";
import { TrainFromQueue } from "@/components/review/TrainFromQueue";
import { Pages } from "@/components/kit/Pages";
import { Button } from "@/components/kit/controls";
import { useMethodName } from "@/components/kit/useMethodName";
import { Ago, EmptyState, Fingerprint, JobBadge, Progress, QueryState } from "@/components/kit/feedback";
import { ResourceTable } from "@/components/kit/ResourceTable";
import { count, metricValue } from "@/view/format";
import { isActive, useJobStore } from "@/store/jobStore";
import { signed } from "@/view/reports";

export function ReviewTrainingPage() {
  return <QueueFrame part="training">{({ queue }) => <Trainings queue={queue} />}</QueueFrame>;
}

/** How a training stands: how far, what it learned from, or why it failed. */
function State({ training }: { training: QueueTraining }) {
  const live = useJobStore((state) => state.jobs.find((one) => String(one.id) === String(training.job.id)));
  const job = live ?? training.job;
  const { labels } = (job.result ?? {}) as {
    labels?: { accepted: number; rejected: number; programs?: number };
  };
  const what = labels?.programs === undefined ? "path" : "program";
  return (
    <>
      <JobBadge state={job.state} />
      {isActive(job) && (
        <div className="small muted">
          <Progress label={job.title} share={job.total ? job.done / job.total : null} />
          {[job.stage, job.message].filter(Boolean).join(": ")}
        </div>
      )}
      {labels && (
        <div className="small muted">
          {count(labels.accepted, what)} accepted, {count(labels.rejected, what)} rejected
        </div>
      )}
      {job.error && (
        <div className="small bad-text">
          {job.error.message} {job.error.hint}
        </div>
      )}
    </>
  );
}

/** Macro-F1 of what was used before and of the new checkpoint, on the same test questions. */
function Compared({ reports }: { reports: QueueTraining["reports"] }) {
  const [before, after] = reports;
  if (!before || !after) return <span className="muted">–</span>;
  const broken = reports.find((one) => one.state === "failed" || one.state === "cancelled");
  if (broken) return <Link to={`/experiments/${broken.id}`}>The comparison {broken.state}</Link>;
  if (before.macro_f1 === null || after.macro_f1 === null) {
    return <span className="muted">Being compared on the test questions</span>;
  }
  return (
    <>
      <span className="tabular">
        {metricValue("macro_f1", before.macro_f1)} → {metricValue("macro_f1", after.macro_f1)}{" "}
        <span className="muted">({signed(after.macro_f1 - before.macro_f1, 3)})</span>
      </span>
      <div className="small">
        <Link to={`/experiments/compare?ids=${before.id},${after.id}`}>Question by question</Link>
      </div>
    </>
  );
}

/** The checkpoint, whether it is used, and the way to change that. */
function Use({
  training: { checkpoint, job },
  promotion: { promote, back },
  mayPromote,
}: {
  training: QueueTraining;
  promotion: ReturnType<typeof usePromotion>;
  mayPromote: boolean;
}) {
  if (!checkpoint) return job.state === "done" ? <span className="muted">deleted</span> : null;
  return (
    <span className="row wrap">
      <Fingerprint value={checkpoint.fingerprint} of="Checkpoint" />
      {checkpoint.in_use && <span className="badge good">in use</span>}
      {!checkpoint.current && <span className="badge warn">earlier snapshot</span>}
      {mayPromote && checkpoint.current && !checkpoint.promoted_at && (
        <Button size="small" isDisabled={promote.isPending} onPress={() => promote.mutate(checkpoint)}>
          Promote
        </Button>
      )}
      {mayPromote && checkpoint.promoted_at && (
        <Button
          size="small"
          icon="undo"
          isDisabled={back.isPending}
          onPress={() => back.mutate(checkpoint.method)}
        >
          Roll back
        </Button>
      )}
    </span>
  );
}

function Trainings({ queue }: { queue: Queue }) {
  const [page, setPage] = useState(1);
  const [open, setOpen] = useState(false);
  const found = useQuery(trainingsQuery(queue.id, page));
  const promotion = usePromotion(queue.graph);
  const mayPromote = useManagesGraph()(queue.graph);
  const methodName = useMethodName();
  const rows = found.data?.results ?? [];
  const train = (
    <Button look="primary" onPress={() => setOpen(true)}>
      Train from this queue
    </Button>
  );
  return (
    <div className="page wide">
      {rows.length > 0 && (
        <div className="row wrap">
          <span className="small muted">
            What methods learned from the verdicts of this queue. All checkpoints of the graph are on{" "}
            <Link to={`/graphs/${queue.graph}`}>its page</Link>.
          </span>
          <span className="grow" />
          {train}
        </div>
      )}
      <QueryState of={found} what="the trainings" retry />
      {found.data && rows.length === 0 && (
        <EmptyState title="Nothing has been trained from this queue yet" act={train}>
          A method learns from the labels of the queue as the verdicts leave them. The new checkpoint is
          compared with the one in use on the same test questions, and used when you promote it.
        </EmptyState>
      )}
      {rows.length > 0 && (
        <ResourceTable
          heads={[
            ["Method"],
            ["State"],
            [
              "Macro-F1",
              undefined,
              "Of what was in use before, and of the new checkpoint, on the same test questions",
            ],
            ["Checkpoint"],
          ]}
          card
        >
          {rows.map((one) => (
            <tr key={one.job.id}>
              <td>
                {methodName(one.method)}
                <div className="small muted">
                  <Ago iso={one.job.created_at} />
                  {one.by && ` by ${one.by}`}
                </div>
              </td>
              <td className="training-state">
                <State training={one} />
              </td>
              <td>
                <Compared reports={one.reports} />
              </td>
              <td>
                <Use training={one} promotion={promotion} mayPromote={mayPromote} />
              </td>
            </tr>
          ))}
        </ResourceTable>
      )}
      <Pages what="trainings" page={page} size={TRAININGS} data={found.data} onPage={setPage} />
      <TrainFromQueue queue={queue} isOpen={open} onClose={() => setOpen(false)} />
    </div>
  );
}
