// Every question asked, to find, to open, to ask again, to delete.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useNavigate } from "react-router";
import { ask, deleteRun, graphsQuery, keys, runsQuery, sessionQuery } from "@/api/queries";
import type { Run } from "@/api/types";
import { useUrl } from "@/components/kit/url";
import { Pages, usePage } from "@/components/kit/Pages";
import { Button, IconButton, Pick, named } from "@/components/kit/controls";
import { useSettled } from "@/components/kit/hooks";
import { Ago, EmptyState, troubleOf, QueryState } from "@/components/kit/feedback";
import { ResourceTable } from "@/components/kit/ResourceTable";
import { useAct } from "@/components/kit/useAct";
import { Page } from "@/components/kit/Page";
import { Find } from "@/components/kit/TextField";
import { elide, integer, milliseconds, valueText } from "@/view/format";
import { toast } from "@/store/toasts";
import { useMethodName } from "@/components/kit/useMethodName";

const SIZE = 25;
const UNDO_MS = 6000;
const STATES = ["queued", "running", "paused", "done", "failed", "cancelled"];

/** Why there is none, for people. */
const NO_ANSWER: Readonly<Record<string, string>> = {
  entity_not_linked: "no name of the graph was recognised",
  no_path: "nothing leads to an answer",
  reasoner_declined: "none was sure enough",
  not_in_graph: "the graph lacks what is asked",
  not_understood: "the question was not understood",
  too_long: "the question was too long to be read in full",
};

/** What became of an answer that somebody flagged. */
const FLAGGED: Record<NonNullable<Run["flagged"]>, string> = {
  open: "flagged: waits for analysts",
  done: "flagged: judged",
  broken: "flagged: cannot be judged",
};

function Outcome({ run }: { run: Run }) {
  if (run.state === "failed") return <span className="bad-text">{run.error?.message ?? "failed"}</span>;
  if (run.no_answer)
    return (
      <span className="muted">
        No answer: {NO_ANSWER[run.no_answer.reason] ?? run.no_answer.reason.replaceAll("_", " ")}
      </span>
    );
  if (run.state === "queued" || run.state === "running")
    return <span className="badge accent">{run.state}</span>;
  if (run.state === "paused") return <span className="badge warn">paused: waits for you</span>;
  const rest = run.answers_count - run.answers.length;
  return (
    <>
      {run.incomplete && <span className="badge warn">stopped</span>}{" "}
      {run.answers.slice(0, 4).map(valueText).join(", ")}
      {run.answers_count > 4 && (
        <span className="muted"> +{integer(Math.max(rest, run.answers_count - 4))}</span>
      )}
    </>
  );
}

interface RowProps {
  run: Run;
  showsWho: boolean;
  onDelete: (run: Run) => void;
}

function RunRow({ run, showsWho, onDelete }: RowProps) {
  const navigate = useNavigate();
  const again = useAct(
    () =>
      ask({
        graph: run.graph,
        question: run.question,
        method: run.method,
        ...(run.checkpoint !== null && { checkpoint: run.checkpoint }),
        budget: run.budget,
        seed: run.seed,
      }),
    { done: (created) => void navigate(`/runs/${created.id}`), failed: "It could not be asked again." },
  );
  const methodName = useMethodName();
  return (
    <tr>
      <td className="cell-main">
        <Link to={`/runs/${run.id}`} className="run-link">
          {elide(run.question, 160)}
        </Link>
        {showsWho && run.user && <div className="small muted">{run.user}</div>}
        <div className="small elide-2">
          <Outcome run={run} />
        </div>
        {run.flagged && (
          <Link to={`/runs/${run.id}`} className={`badge ${run.flagged === "open" ? "warn" : "good"}`}>
            {FLAGGED[run.flagged]}
          </Link>
        )}
      </td>
      <td className="hide-narrow">
        <Link to={`/graphs/${run.graph}`}>
          <bdi>{run.graph_name}</bdi>
        </Link>
      </td>
      <td className="muted nowrap hide-narrow">
        {methodName(run.method)}
        {run.across && (
          <div className="small">
            <Link to={`/across/${run.across}`}>several graphs</Link>
          </div>
        )}
        {run.group && (
          <div className="small">
            <Link to={`/compare/${run.group}`}>compared</Link>
          </div>
        )}
      </td>
      <td className="num hide-narrow">{run.duration_ms === null ? "–" : milliseconds(run.duration_ms)}</td>
      <td className="muted nowrap">
        <Ago iso={run.created_at} />
      </td>
      <td className="acts">
        <IconButton
          icon="retry"
          label="Ask again"
          isDisabled={again.isPending}
          onPress={() => again.mutate()}
        />
        <IconButton icon="trash" label="Delete" onPress={() => onDelete(run)} />
      </td>
    </tr>
  );
}

/** Deletes after a pause in which it can be taken back; `gone` are those that wait. */
function useDelayedDelete() {
  const client = useQueryClient();
  const [gone, setGone] = useState<ReadonlySet<string>>(new Set());
  const without = (id: string) => (now: ReadonlySet<string>) => new Set([...now].filter((one) => one !== id));
  const remove = (run: Run) => {
    setGone((now) => new Set([...now, run.id]));
    const timer = setTimeout(() => {
      deleteRun(run.id)
        .then(() => client.invalidateQueries({ queryKey: keys.runs }))
        .catch((error: unknown) => {
          setGone(without(run.id));
          toast(`The run could not be deleted. ${troubleOf(error).message}`);
        });
    }, UNDO_MS);
    toast(`Deleted “${elide(run.question, 40)}”.`, {
      ms: UNDO_MS,
      act: {
        label: "Undo",
        run: () => {
          clearTimeout(timer);
          setGone(without(run.id));
        },
      },
    });
  };
  return { gone, remove };
}

export function HistoryPage() {
  const [params, put] = useUrl();
  const graph = params.get("graph") ?? "";
  const state = params.get("state") ?? "";
  const isAdmin = useQuery(sessionQuery).data?.user?.role === "admin";
  const all = isAdmin && params.get("all") === "true";
  const [page, setPage] = usePage();
  const [text, setText] = useState(params.get("q") ?? "");
  const q = useSettled(text.trim(), 200);
  const graphs = useQuery(graphsQuery);
  const runs = useQuery(runsQuery({ q, graph, state, page, page_size: SIZE, ...(all && { all }) }));
  const { gone, remove } = useDelayedDelete();
  const filtered = Boolean(q || graph || state);
  const rows = (runs.data?.results ?? []).filter((run) => !gone.has(run.id));
  return (
    <Page
      title="History"
      count={runs.data?.count}
      acts={
        <>
          <Find
            label="Search the questions"
            value={text}
            onChange={(typed) => {
              setText(typed);
              put({ q: typed.trim(), page: null });
            }}
          />
          <Pick
            label="Graph"
            value={graph || "all"}
            options={[{ id: "all", label: "All graphs" }, ...named(graphs.data?.results ?? [])]}
            onChange={(id) => put({ graph: id === "all" ? "" : id, page: null })}
          />
          {isAdmin && (
            <Pick
              label="Whose"
              value={all ? "all" : "mine"}
              options={[
                { id: "mine", label: "My questions" },
                { id: "all", label: "Everybody’s" },
              ]}
              onChange={(id) => put({ all: id === "all" ? "true" : "", page: null })}
            />
          )}
          <Pick
            label="State"
            value={state || "all"}
            options={[{ id: "all", label: "Any state" }, ...STATES.map((one) => ({ id: one, label: one }))]}
            onChange={(id) => put({ state: id === "all" ? "" : id, page: null })}
          />
        </>
      }
    >
      <QueryState of={runs} what="the history" retry />
      {runs.data && rows.length === 0 && (
        <EmptyState
          title={filtered ? "No run matches" : "Nothing has been asked yet"}
          act={
            filtered ? (
              <Button
                onPress={() => {
                  setText("");
                  put({ q: null, graph: null, state: null, all: null, page: null });
                }}
              >
                Clear the filters
              </Button>
            ) : (
              <Link className="btn primary" to="/">
                Ask the first question
              </Link>
            )
          }
        >
          {filtered
            ? "Try fewer words, or another graph or state."
            : "Every question is kept here with its answers and evidence."}
        </EmptyState>
      )}
      {rows.length > 0 && (
        <ResourceTable
          heads={[
            ["Question and answers"],
            ["Graph", "hide-narrow"],
            ["Method", "hide-narrow"],
            ["Took", "num hide-narrow"],
            ["Asked"],
          ]}
          acts
          card
        >
          {rows.map((run) => (
            <RunRow key={run.id} run={run} showsWho={all} onDelete={remove} />
          ))}
        </ResourceTable>
      )}
      <Pages what="the history" page={page} size={SIZE} data={runs.data} byTime onPage={setPage} />
    </Page>
  );
}
