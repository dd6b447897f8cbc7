// Evaluation reports: find one, start one, choose some to compare.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useNavigate } from "react-router";
import { graphsQuery, questionSetsQuery, reportsQuery, sessionQuery, statusQuery } from "@/api/queries";
import type { Report } from "@/api/reportTypes";
import { Corrections } from "@/components/experiments/Corrections";
import { Trajectories } from "@/components/experiments/Trajectories";
import { EvaluateDialog } from "@/components/experiments/EvaluateDialog";
import { Pages, usePage } from "@/components/kit/Pages";
import { Button, Pick, named } from "@/components/kit/controls";
import { usePageKeys } from "@/components/kit/hooks";
import { useIsTrained } from "@/components/kit/useIsTrained";
import { Ago, EmptyState, Fingerprint, JobBadge, QueryState } from "@/components/kit/feedback";
import { useUrl } from "@/components/kit/url";
import { ResourceTable } from "@/components/kit/ResourceTable";
import { Page } from "@/components/kit/Page";
import { count, exactTime, integer, metricName, metricValue, milliseconds } from "@/view/format";
import { asksModel } from "@/view/reasoners";
import { KEY_METRICS, reportLabel } from "@/view/reports";
import { useMethodName } from "@/components/kit/useMethodName";
import { pressedKey } from "@/view/keys";

const SIZE = 50;
const ALL = "all";
const COMPARED = 8;
/** Metrics that have room on a phone. */
const ALSO_NARROW = new Set<string>(["hit", "macro_f1"]);

interface RowProps {
  report: Report;
  picked: boolean;
  full: boolean;
  onPick: () => void;
}

function Row({ report, picked, full, onPick }: RowProps) {
  const isTrained = useIsTrained()(report.method);
  const methodName = useMethodName();
  const done = report.state === "done";
  const p50 = report.latency_ms?.p50 ?? null;
  return (
    <tr className={picked ? "on" : ""}>
      <td className="cell-check">
        <input
          type="checkbox"
          aria-label={`Compare ${reportLabel(report, methodName)} on ${report.question_set_name}, ${report.split}, topics ${report.topics}, started ${exactTime(report.created_at)}`}
          title={done ? undefined : "Only reports that are done can be compared"}
          checked={picked}
          disabled={!done || (full && !picked)}
          onChange={onPick}
        />
      </td>
      <td className="cell-name">
        <Link to={`/experiments/${report.id}`} className="run-link">
          {methodName(report.method)}
        </Link>{" "}
        {report.fingerprint ? (
          <Fingerprint value={report.fingerprint} of="Checkpoint" />
        ) : (
          isTrained && <span className="badge">untrained</span>
        )}
        {asksModel(report.reasoner) && <span className="badge">language model</span>}
        <div className="small muted narrow-only">
          <bdi>{report.question_set_name}</bdi>, {report.split}, topics {report.topics}
          {report.n !== null && `, n ${integer(report.n)}`}
        </div>
      </td>
      <td className="hide-narrow">
        <bdi>{report.question_set_name}</bdi> <span className="muted">{report.split}</span>
        <div className="small muted">
          <bdi>{report.graph_name}</bdi> · topics {report.topics}
        </div>
      </td>
      <td className="num hide-narrow">{report.n === null ? "–" : integer(report.n)}</td>
      {done ? (
        KEY_METRICS.map((name) => (
          <td key={name} className={`num ${ALSO_NARROW.has(name) ? "" : "hide-narrow"}`}>
            {metricValue(name, report.metrics[name] ?? null)}
          </td>
        ))
      ) : (
        <td colSpan={KEY_METRICS.length} className="num nowrap">
          <JobBadge state={report.state} />
        </td>
      )}
      <td className="num hide-narrow">{p50 === null ? "–" : milliseconds(p50)}</td>
      <td className="muted nowrap">
        <Ago iso={report.created_at} />
      </td>
    </tr>
  );
}

/** What to do first, in the order it has to be done. */
function FirstSteps({ onEvaluate }: { onEvaluate: (() => void) | undefined }) {
  return (
    <EmptyState
      title="No evaluation yet"
      act={
        onEvaluate && (
          <Button look="primary" onPress={onEvaluate}>
            Evaluate
          </Button>
        )
      }
    >
      An evaluation asks every question of a set and compares the answers with the known ones. It needs a
      graph with a question set; train a method on the <Link to="/graphs">graph’s page</Link> first, or
      measure it untrained. {!onEvaluate && "An analyst or an admin can start one."}
    </EmptyState>
  );
}

export function ExperimentsPage() {
  const navigate = useNavigate();
  const [params, put] = useUrl();
  const value = (name: string) => params.get(name) ?? "";
  const [page, setPage] = usePage();
  // The address follows a moment later; ticks must not wait for it.
  const [picked, setPicked] = useState<readonly string[]>(value("pick").split(",").filter(Boolean));
  const tick = (next: readonly string[]) => {
    setPicked(next);
    put({ pick: next.join(",") });
  };
  const filter = {
    graph: value("graph"),
    question_set: value("set"),
    split: value("split"),
    method: value("method"),
  };
  const { data: session } = useQuery(sessionQuery);
  const { data: status } = useQuery(statusQuery);
  const graphs = useQuery(graphsQuery);
  const sets = useQuery(questionSetsQuery(filter.graph || null));
  const reports = useQuery(reportsQuery({ ...filter, page, page_size: SIZE }));
  const mayWrite = session?.user?.role === "admin" || session?.user?.role === "analyst";
  const rows = reports.data?.results ?? [];
  const filtered = Object.values(filter).some(Boolean);
  const evaluate = () => {
    put({ evaluate: "1" });
  };
  const compare = () => void navigate(`/experiments/compare?ids=${picked.join(",")}`);
  usePageKeys((event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (pressedKey(event) === "c" && picked.length > 1) compare();
    if (pressedKey(event) === "n" && mayWrite) evaluate();
  });
  const pick = (name: string, label: string, all: string, options: { id: string; label: string }[]) => (
    <Pick
      label={label}
      value={value(name) || ALL}
      options={[{ id: ALL, label: all }, ...options]}
      onChange={(id) => {
        put({ [name]: id === ALL ? null : id, page: null, ...(name === "graph" && { set: null }) });
      }}
    />
  );
  return (
    <Page
      title="Experiments"
      count={reports.data?.count}
      wide
      acts={
        <>
          {pick("graph", "Graph", "All graphs", named(graphs.data?.results ?? []))}
          {pick("set", "Question set", "All question sets", named(sets.data?.results ?? []))}
          {pick(
            "split",
            "Split",
            "All splits",
            ["test", "dev", "train"].map((id) => ({ id, label: id })),
          )}
          {pick(
            "method",
            "Method",
            "All methods",
            (status?.methods ?? []).filter((one) => one.available).map(({ id }) => ({ id, label: id })),
          )}
          <Link className="btn" to="/studies">
            Studies
          </Link>
          <Link className="btn" to="/leaderboard">
            Leaderboard
          </Link>
          {mayWrite && (
            <Button look="primary" onPress={evaluate}>
              Evaluate
            </Button>
          )}
        </>
      }
    >
      <QueryState of={reports} what="reports" retry />
      {reports.data && rows.length === 0 && !filtered && (
        <FirstSteps onEvaluate={mayWrite ? evaluate : undefined} />
      )}
      {reports.data && rows.length === 0 && filtered && (
        <EmptyState
          title="No report matches"
          act={
            <Button onPress={() => put({ graph: null, set: null, split: null, method: null, page: null })}>
              Clear the filters
            </Button>
          }
        >
          Choose another graph, question set, split or method.
        </EmptyState>
      )}
      {rows.length > 0 && (
        <>
          <div className="pick-bar">
            <Button isDisabled={picked.length < 2} onPress={compare} icon="compare">
              {picked.length < 2 ? "Compare" : `Compare ${count(picked.length, "report")}`}
            </Button>
            {picked.length < 2 ? (
              <span className="muted small">
                Tick two or more reports of one question set to compare them.
              </span>
            ) : (
              <Button look="plain" size="small" onPress={() => tick([])}>
                Clear
              </Button>
            )}
          </div>
          <ResourceTable
            card
            heads={[
              [
                <span key="compare" className="sr-only">
                  Compare
                </span>,
              ],
              ["Method and checkpoint"],
              ["Question set", "hide-narrow"],
              ["n", "num hide-narrow"],
              ...KEY_METRICS.map(
                (name) => [metricName(name), `num ${ALSO_NARROW.has(name) ? "" : "hide-narrow"}`] as const,
              ),
              ["Latency p50", "num hide-narrow", "Half of the questions took no longer"],
              ["Started"],
            ]}
          >
            {rows.map((report) => {
              const id = String(report.id);
              return (
                <Row
                  key={id}
                  report={report}
                  picked={picked.includes(id)}
                  full={picked.length >= COMPARED}
                  onPick={() => {
                    const next = picked.includes(id) ? picked.filter((one) => one !== id) : [...picked, id];
                    tick(next);
                  }}
                />
              );
            })}
          </ResourceTable>
        </>
      )}
      <Pages what="the reports" page={page} size={SIZE} data={reports.data} byTime onPage={setPage} />
      <Trajectories graph={filter.graph || null} mayWrite={mayWrite} />
      <Corrections graph={filter.graph || null} />
      <EvaluateDialog
        start={{ graph: filter.graph || null, ...(filter.method && { method: filter.method }) }}
        isOpen={params.has("evaluate") && mayWrite}
        onClose={() => put({ evaluate: null })}
      />
    </Page>
  );
}
