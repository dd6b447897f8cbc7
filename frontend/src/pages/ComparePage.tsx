// Several methods on one question, side by side and in one drawing, while they run and afterwards.
import { Unseen } from "@/components/kit/Unseen";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { Link, useNavigate, useParams } from "react-router";
import { checkpointsQuery, graphsQuery, runGroupQuery, statusQuery, stopRun } from "@/api/queries";
import type { Graph, Run } from "@/api/types";
import { draftOfRun } from "@/components/ask/draft";
import { SideBySide } from "@/components/ask/AskLayout";
import { AnswerMatrix } from "@/components/compare/AnswerMatrix";
import { CompareDialog } from "@/components/compare/CompareDialog";
import { ComparedChains } from "@/components/compare/ComparedChains";
import { Differences } from "@/components/compare/Differences";
import { RunToggles } from "@/components/compare/RunToggles";
import { RunsTable, type Compared } from "@/components/compare/RunsTable";
import { GraphPanel } from "@/components/graph/GraphPanel";
import { warmGraph } from "@/components/graph/GraphStage";
import { Button } from "@/components/kit/controls";
import { useMedia, usePageKeys, useTitle } from "@/components/kit/hooks";
import { EmptyState } from "@/components/kit/feedback";
import { useUrl, useUrlNumber } from "@/components/kit/url";
import { useRunLogs } from "@/live/hooks";
import { copyText } from "@/components/kit/files";
import { elide } from "@/view/format";
import { methodChoices } from "@/view/methods";
import { overlay } from "@/view/overlay";
import { isOver } from "@/view/runView";
import { toast } from "@/store/toasts";
import { useMethodName } from "@/components/kit/useMethodName";
import { pressedKey } from "@/view/keys";

const NARROW = "(max-width: 820px)";

/** The runs of a group with what is known of each by now. */
function useCompared(runs: readonly Run[], off: ReadonlySet<number>): Compared[] {
  const methodName = useMethodName();
  const logs = useRunLogs(runs.map((run) => run.id));
  return runs.map((run, place) => {
    const view = logs[place]?.view ?? null;
    const twin = runs.some((other) => other !== run && other.method === run.method);
    const checkpoint = view?.started?.checkpoint?.slice(0, 6) ?? "";
    const name = methodName(run.method);
    return { run, name: twin ? `${name} ${checkpoint}` : name, view, shown: !off.has(place) };
  });
}

/** Stop every run that still goes on; says so when one could not be stopped. */
async function stopAll(ids: readonly string[]): Promise<void> {
  const stopped = await Promise.allSettled(ids.map((id) => stopRun(id)));
  const failed = stopped.filter((one) => one.status === "rejected").length;
  if (failed) toast(`${failed} of ${ids.length} runs could not be stopped. Try again.`);
}

export function ComparePage() {
  const { id = "" } = useParams();
  const [params, put] = useUrl();
  const [chain, setChain] = useUrlNumber("chain");
  const [again, setAgain] = useState(false);
  const [stopping, setStopping] = useState(false);
  const navigate = useNavigate();
  const narrow = useMedia(NARROW);
  // The address follows a moment later; a key must not wait for it.
  const [off, setOff] = useState<ReadonlySet<number>>(
    () => new Set((params.get("off")?.match(/\d/g) ?? []).map((place) => Number(place) - 1)),
  );
  const group = useQuery(runGroupQuery(id));
  const list = useCompared(group.data?.runs ?? [], off);
  useTitle(group.data ? `Compare: ${elide(group.data.question, 50)}` : "Compare methods");
  useEffect(warmGraph, []);

  const both = overlay(list.map((one) => (one.shown ? one.view : null)));
  const toggle = (place: number) => {
    const next = new Set(off);
    if (!next.delete(place)) next.add(place);
    setOff(next);
    put({
      off: [...next]
        .sort()
        .map((one) => one + 1)
        .join(""),
      chain: null,
    });
  };
  usePageKeys((event) => {
    const place = Number(pressedKey(event)) - 1;
    if (list[place] && !event.ctrlKey && !event.metaKey && !event.altKey) toggle(place);
  });

  if (group.error || !group.data) {
    return (
      <Unseen of={group} what="comparison" instead={["Ask a question", "/"]}>
        It may have been deleted, or the address is incomplete. Type a question, press Compare and choose the
        methods to ask.
      </Unseen>
    );
  }
  const [first] = group.data.runs;
  if (!first) {
    return (
      <EmptyState
        page
        title="The runs of this comparison were deleted"
        act={
          <Link
            className="btn primary"
            to={`/?graph=${group.data.graph}&q=${encodeURIComponent(group.data.question)}`}
          >
            Ask it again
          </Link>
        }
      >
        {group.data.question}
      </EmptyState>
    );
  }
  const active = list.filter(({ run, view }) => !isOver(view?.phase ?? run.state));
  const side = (
    <>
      <RunsTable list={list} />
      <Differences list={list} />
      <AnswerMatrix list={list} onFind={(entity) => put({ node: String(entity) })} />
      <ComparedChains list={list} starts={both.chainStarts} chain={chain} onChain={setChain} />
    </>
  );
  const drawing = (
    <GraphPanel
      graph={first.graph}
      view={both.view}
      chain={chain}
      walkedBy={both.walkedBy}
      runs={<RunToggles list={list} onToggle={toggle} />}
      onAsk={() => void navigate(`/?graph=${first.graph}`)}
      onClearChain={() => setChain(null)}
    />
  );
  return (
    <div className={`ask ${narrow ? "narrow" : ""}`}>
      <header className="compare-head">
        <div className="grow">
          <h1>{group.data.question}</h1>
          <p className="muted small">
            <Link to={`/graphs/${first.graph}`}>
              <bdi>{first.graph_name}</bdi>
            </Link>{" "}
            · budget {first.budget} · seed {first.seed}
          </p>
        </div>
        <Button
          look="plain"
          icon="link"
          label="Copy the link"
          onPress={() => void copyText(window.location.href, "Link")}
        />
        <Again
          graph={first.graph}
          isOpen={again}
          draft={draftOfRun(first)}
          settings={Object.fromEntries(group.data.runs.map((run) => [run.method, run.options]))}
          onClose={() => setAgain(false)}
        />
        {active.length > 0 ? (
          <Button
            look="danger"
            icon="stop"
            isDisabled={stopping}
            onPress={() => {
              setStopping(true);
              void stopAll(active.map((one) => one.run.id)).finally(() => {
                setStopping(false);
              });
            }}
          >
            Stop all
          </Button>
        ) : (
          <Button icon="retry" onPress={() => setAgain(true)}>
            Compare again
          </Button>
        )}
      </header>
      <p className="sr-only" role="status">
        {active.length ? `${active.length} of ${list.length} runs are going on` : "All runs have ended"}
      </p>
      {narrow ? (
        <div className="ask-column">
          {side}
          <div className="column-graph tall">{drawing}</div>
        </div>
      ) : (
        <SideBySide id="clew-compare" drawing={drawing} side={side} share="46%" least={340} />
      )}
    </div>
  );
}

function Again({
  graph: id,
  draft,
  settings,
  isOpen,
  onClose,
}: {
  graph: Graph["id"];
  draft: ReturnType<typeof draftOfRun>;
  settings: Record<string, Run["options"]>;
  isOpen: boolean;
  onClose: () => void;
}) {
  const graphs = useQuery(graphsQuery);
  const status = useQuery(statusQuery);
  const checkpoints = useQuery(checkpointsQuery(id));
  const graph = graphs.data?.results.find((one) => String(one.id) === String(id));
  if (!graph) return null;
  return (
    <CompareDialog
      graph={graph}
      draft={draft}
      settings={settings}
      choices={methodChoices(status.data?.methods ?? [], checkpoints.data?.results ?? [], {
        graph,
        llm: status.data?.llm.configured ?? false,
      })}
      isOpen={isOpen}
      onClose={onClose}
    />
  );
}
