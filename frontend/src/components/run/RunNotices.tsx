// Everything about a run that is not an answer: waiting, reconnecting, stopped, failed, warned.
import type { Graph, Problem, Run, Status } from "@/api/types";
import { Button } from "@/components/kit/controls";
import { Notice, Spinner } from "@/components/kit/feedback";
import { nameList } from "@/view/nameList";
import { count, ordinal } from "@/view/format";
import type { Link } from "@/store/runStore";
import { isOver, type RunView } from "@/view/runView";
import { nameOf } from "@/view/entityNames";

interface Props {
  view: RunView;
  link: Link;
  run: Run | undefined;
  graph: Graph | undefined;
  status: Status | undefined;
  onAgain: () => void;
}

function Failure({ problem, paths, onAgain }: { problem: Problem; paths: number; onAgain: () => void }) {
  return (
    <Notice
      tone="bad"
      urgent
      title={problem.message}
      acts={
        <Button size="small" icon="retry" onPress={onAgain}>
          Ask again
        </Button>
      }
    >
      {paths > 0 && `${count(paths, "path")} found before that ${paths === 1 ? "is" : "are"} kept. `}
      {problem.hint}
    </Notice>
  );
}

function WaitingNotice({ status, position }: { status: Status | undefined; position: number | null }) {
  if (status?.workers.answers === 0) {
    return (
      <Notice tone="warn" title="No worker is running, so this question waits">
        It is kept and starts by itself as soon as a worker does. You can leave this page and come back.
      </Notice>
    );
  }
  return (
    <p className="waiting" role="status">
      <Spinner />{" "}
      {position === null || position === 1
        ? "Waiting for a worker…"
        : `Waiting for a worker: ${ordinal(position)} in line`}
      {position === 1 && " Yours is the next question."}
    </p>
  );
}

export function RunNotices({ view, link, run, graph, status, onAgain }: Props) {
  const waits = view.phase === "queued" && link !== "missing" && run?.state !== "failed";
  // What the server said when it was asked is said once: while it waits, of the workers as they are now.
  const warning = waits && status?.workers.answers === 0 ? null : run?.warning;
  const problem = view.failure ?? (run?.state === "failed" ? run.error : null);
  const otherVersion = run && graph?.snapshot && graph.snapshot.hash !== run.snapshot ? graph : null;
  const given = view.linked.filter((one) => one.source === "given");
  const pinned = run?.program ? "" : nameList(given.map((one) => nameOf(one.entity)));
  return (
    <>
      {link === "reconnecting" && view.phase !== "done" && (
        <Notice tone="warn" title="Connection lost. Reconnecting…">
          What has arrived is kept; the rest follows from the server’s log.
        </Notice>
      )}
      {link === "crowded" && view.phase !== "done" && (
        <Notice tone="warn" title="Too many pages are open to follow this question live">
          It goes on. Close some tabs that you do not need: this page then catches up by itself.
        </Notice>
      )}
      {waits && <WaitingNotice status={status} position={run?.position ?? null} />}
      {problem && <Failure problem={problem} paths={view.paths.length} onAgain={onAgain} />}
      {view.cancelled && (
        <Notice
          tone="warn"
          title="Stopped: this result is incomplete"
          acts={
            <Button size="small" icon="retry" onPress={onAgain}>
              Ask again
            </Button>
          }
        >
          {count(view.paths.length, "path")} found until then {view.paths.length === 1 ? "is" : "are"} kept.
        </Notice>
      )}
      {warning && (
        <Notice tone="warn" title={warning.message}>
          {warning.hint}
        </Notice>
      )}
      {view.warnings.map((warning) => (
        <Notice key={warning} tone="warn" title={warning} />
      ))}
      {otherVersion && isOver(view.phase) && (
        <Notice
          tone="info"
          title={`${otherVersion.name} has a newer version`}
          acts={
            <Button size="small" icon="retry" onPress={onAgain}>
              Ask again
            </Button>
          }
        >
          This was computed on an earlier version. Asking again uses the current one.
          {pinned && (
            <>
              {" "}
              Pin <bdi>{pinned}</bdi> again if it is still there.
            </>
          )}
        </Notice>
      )}
      {graph?.index_state === "building" && (
        <Notice tone="info" title={`${graph.name} is still being indexed`}>
          Names are matched by spelling for now; matching by meaning joins when the index is done.
        </Notice>
      )}
    </>
  );
}
