// The frame of every page of a queue: who may be there, its bar, and what there is to know of it.
import { useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { Link, useParams } from "react-router";
import { sessionQuery } from "@/api/queries";
import { carryOver, queueQuery, type Queue } from "@/api/review";
import type { Role } from "@/api/types";
import { Button, IconButton } from "@/components/kit/controls";
import { useEscapeToPage, useTitle } from "@/components/kit/hooks";
import { useAct } from "@/components/kit/useAct";
import { EmptyState, ErrorNotice, Loading, Notice } from "@/components/kit/feedback";
import { KeysDialog } from "./KeysDialog";
import { QueueActs } from "./QueueActs";
import { ReviewBar } from "./ReviewBar";

export interface Frame {
  queue: Queue;
  user: { username: string; role: Role };
  /** A dialog of the frame has the keys. */
  paused: boolean;
}

interface Props {
  /** What the part is called, in the page's title. */
  part: string;
  children: (frame: Frame) => ReactNode;
}

function OlderVersion({ queue }: { queue: Queue }) {
  const carry = useAct(() => carryOver(queue.id), { job: (job) => job, failed: true });
  return (
    <Notice
      tone="warn"
      title={`This queue uses version ${queue.version} of the graph.`}
      acts={
        queue.current_version !== null && (
          <Button isDisabled={carry.isPending || carry.isSuccess} onPress={() => carry.mutate()}>
            {carry.isSuccess ? "Being carried over…" : `Carry over to version ${queue.current_version}`}
          </Button>
        )
      }
    >
      Verdicts carry over to the new version; only questions whose paths it changed come back, with what you
      said as a draft. A training does it by itself.
    </Notice>
  );
}

export function QueueFrame({ part, children }: Props) {
  const { id = "" } = useParams();
  const queue = useQuery(queueQuery(id));
  const { data: session } = useQuery(sessionQuery);
  const [keys, setKeys] = useState(false);
  useEscapeToPage();
  useTitle([queue.data?.name ?? "Review", part].filter(Boolean).join(" · "));
  if (queue.error && !queue.data) {
    return (
      <div className="page">
        <ErrorNotice
          error={queue.error}
          acts={<Button onPress={() => void queue.refetch()}>Try again</Button>}
        />
        <p>
          <Link to="/review">All queues</Link>
        </p>
      </div>
    );
  }
  const user = session?.user;
  if (!queue.data || !user) return <Loading what="the queue" />;
  if (queue.data.state !== "done") {
    return (
      <EmptyState title={queue.data.name} act={<Link to="/review">All queues</Link>}>
        {queue.data.error?.message ??
          `This queue is not ready: ${queue.data.state}. The jobs tray shows its job.`}
      </EmptyState>
    );
  }
  if (user.role === "viewer") {
    return (
      <EmptyState title={queue.data.name} act={<Link to="/review">All queues</Link>}>
        Only an analyst or an admin can judge. Ask an admin for the role.
      </EmptyState>
    );
  }
  return (
    <div className="review" key={id}>
      <ReviewBar queue={queue.data}>
        <IconButton icon="gear" label="Keys of this page" onPress={() => setKeys(true)} />
        <QueueActs queue={queue.data} />
      </ReviewBar>
      {!queue.data.current && <OlderVersion queue={queue.data} />}
      {children({ queue: queue.data, user, paused: keys })}
      <KeysDialog isOpen={keys} onClose={() => setKeys(false)} />
    </div>
  );
}
