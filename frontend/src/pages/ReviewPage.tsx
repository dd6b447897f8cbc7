// Review queues: how far they are, how far people agree, and making one.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { sessionQuery } from "@/api/queries";
import { queuesQuery, type Queue } from "@/api/review";
import { queueStatisticsQuery } from "@/api/reviewFigures";
import { CreateQueue } from "@/components/review/CreateQueue";
import { DeletedQueues, DeleteQueue } from "@/components/review/DeletedQueues";
import { saveQueue } from "@/components/review/QueueActs";
import { ActMenu, Button } from "@/components/kit/controls";
import { Ago, EmptyState, JobBadge, Progress, QueryState } from "@/components/kit/feedback";
import { useUrl } from "@/components/kit/url";
import { ResourceTable } from "@/components/kit/ResourceTable";
import { Page } from "@/components/kit/Page";
import { count, integer, percent } from "@/view/format";

function Agreement({ queue }: { queue: Queue }) {
  const { data } = useQuery(queueStatisticsQuery(queue.id));
  const found = data?.agreement;
  if (found?.percent == null) return <span className="muted">–</span>;
  return (
    <span title={`${count(found.paths, "candidate")} judged by two or more`}>
      {percent(found.percent)}
      <span className="small muted"> α {found.alpha === null ? "–" : found.alpha.toFixed(2)}</span>
    </span>
  );
}

function Row({ queue, mayWrite, onDelete }: { queue: Queue; mayWrite: boolean; onDelete: () => void }) {
  const judged = queue.items - queue.progress.open;
  return (
    <tr>
      <td className="cell-name">
        {queue.state === "done" ? <Link to={`/review/${queue.id}`}>{queue.name}</Link> : queue.name}{" "}
        {queue.state !== "done" && <JobBadge state={queue.state} />}
        {!queue.current && <span className="badge warn">version {queue.version} of the graph</span>}
        <div className="small muted">
          {[queue.graph_name, queue.question_set_name, ...queue.label_sets.map(({ name }) => name)]
            .filter(Boolean)
            .join(" · ")}
        </div>
        {queue.error && <div className="small bad-text">{queue.error.message}</div>}
      </td>
      <td>
        {queue.state === "done" && (
          <>
            <Progress label={`Progress of ${queue.name}`} share={queue.items ? judged / queue.items : 1} />
            <span className="small muted tabular">
              {queue.progress.mine > 0 && `${integer(queue.progress.mine)} by you · `}
              {integer(judged)} of {integer(queue.items)} {queue.overlap > 1 && "complete"}
              {queue.progress.broken > 0 && `, ${integer(queue.progress.broken)} broken`}
            </span>
          </>
        )}
      </td>
      <td className="num">{queue.state === "done" && <Agreement queue={queue} />}</td>
      <td className="num hide-narrow">{queue.overlap}</td>
      <td className="muted nowrap hide-narrow">
        <Ago iso={queue.created_at} />
      </td>
      <td>
        <ActMenu
          label={`Actions on ${queue.name}`}
          acts={[
            {
              id: "jsonl",
              label: "Labels (JSONL)",
              icon: "download",
              onAction: () => void saveQueue(queue, "jsonl"),
            },
            {
              id: "csv",
              label: "Every verdict (CSV)",
              icon: "download",
              onAction: () => void saveQueue(queue, "csv"),
            },
            mayWrite && { id: "delete", label: "Delete…", icon: "trash", bad: true, onAction: onDelete },
          ]}
        />
      </td>
    </tr>
  );
}

export function ReviewPage() {
  const [params, put] = useUrl();
  const [deleting, setDeleting] = useState<Queue | null>(null);
  const { data: session } = useQuery(sessionQuery);
  const queues = useQuery(queuesQuery);
  const mayWrite = session?.user?.role === "admin" || session?.user?.role === "analyst";
  const rows = queues.data?.results ?? [];
  const create = mayWrite && (
    <Button look="primary" onPress={() => put({ new: "1" })}>
      New queue
    </Button>
  );
  return (
    <Page title="Review" wide acts={rows.length > 0 && create}>
      <QueryState of={queues} what="review queues" retry />
      {queues.data && rows.length === 0 && (
        <EmptyState title="No review queue yet" act={create}>
          In a queue, people judge which paths through the graph are the reason for an answer; methods learn
          from what they say. It is made of a labelled question set: label one on the{" "}
          <Link to="/graphs">graph’s page</Link> first. {!mayWrite && "An analyst or an admin can make one."}
        </EmptyState>
      )}
      {rows.length > 0 && (
        <ResourceTable
          heads={[
            ["Queue"],
            ["Judged"],
            ["Agreement", "num", "Of pairs of verdicts; Krippendorff's alpha"],
            ["Analysts per question", "num hide-narrow"],
            ["Made", "hide-narrow"],
          ]}
          acts
          card
        >
          {rows.map((queue) => (
            <Row key={queue.id} queue={queue} mayWrite={mayWrite} onDelete={() => setDeleting(queue)} />
          ))}
        </ResourceTable>
      )}
      <DeletedQueues mayWrite={mayWrite} />
      <DeleteQueue queue={deleting} onClose={() => setDeleting(null)} />
      <CreateQueue isOpen={params.has("new") && mayWrite} onClose={() => put({ new: null })} />
    </Page>
  );
}
