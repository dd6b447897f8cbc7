// The leaderboard of a question set: what was measured on it, best first, and what papers print of the benchmark.
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { questionSetsQuery } from "@/api/queries";
import { leaderboardQuery, type Leaderboard, type Place } from "@/api/studies";
import { Interval } from "@/components/experiments/Interval";
import { Card } from "@/components/kit/Card";
import { Pick } from "@/components/kit/controls";
import { Ago, EmptyState, Fingerprint, QueryState } from "@/components/kit/feedback";
import { Page } from "@/components/kit/Page";
import { ResourceTable } from "@/components/kit/ResourceTable";
import { useUrl } from "@/components/kit/url";
import { useMethodName } from "@/components/kit/useMethodName";
import { integer, metricName, metricValue, percent } from "@/view/format";
import { KEY_METRICS, signed } from "@/view/reports";

const METRICS = [...KEY_METRICS, "exact_match", "answer_recall"];
const NONE = "none";

function Row({
  place,
  rank,
  metric,
  board,
}: {
  place: Place;
  rank: number;
  metric: string;
  board: Leaderboard;
}) {
  const methodName = useMethodName();
  const [low, high] = place.intervals[metric] ?? [null, null];
  const lead = board.leads.find((one) => one.report === place.id);
  const others = new Set(board.places.map((one) => one.group)).size > 1;
  return (
    <tr>
      <td className="num muted">{rank}</td>
      <td className="cell-name">
        <Link to={`/experiments/${place.id}`} className="run-link">
          {place.variant ?? methodName(place.method)}
        </Link>{" "}
        {place.fingerprint ? <Fingerprint value={place.fingerprint} of="Checkpoint" /> : null}
        <div className="small muted">
          {place.variant && `${methodName(place.method)} · `}
          {place.reasoner}
          {place.llm && ` (${place.llm})`} · budget {place.budget}
          {place.fraction !== null && ` · ${percent(place.fraction)} of the training questions`} · seed{" "}
          {place.seed} · topics {place.topics}
          {place.study !== null && (
            <>
              {" "}
              · <Link to={`/studies/${place.study}`}>study</Link>
            </>
          )}
        </div>
      </td>
      <td className="num hide-narrow">
        {integer(place.n)}
        {others && (
          <div className="small muted mono" title="Only reports with the same mark asked the same questions">
            {place.group.slice(0, 4)}
          </div>
        )}
      </td>
      <td
        className={lead?.significant ? "num strong" : "num"}
        title={lead && `${signed(lead.difference, 3)} over the runner-up, p = ${lead.p.toPrecision(2)}`}
      >
        {metricValue(metric, place.metrics[metric] ?? null)}
      </td>
      <td className="hide-narrow">
        <Interval value={place.metrics[metric] ?? 0} low={low} high={high} width={140} />
      </td>
      {KEY_METRICS.filter((name) => name !== metric).map((name) => (
        <td key={name} className="num hide-narrow">
          {metricValue(name, place.metrics[name] ?? null)}
        </td>
      ))}
      <td className="muted nowrap hide-narrow">
        <Ago iso={place.created_at} />
      </td>
    </tr>
  );
}

function Quoted({ board }: { board: Leaderboard }) {
  return (
    <Card
      title={`Quoted: ${board.benchmark ?? ""}`}
      count={board.quoted.length}
      beside={
        <span className="muted small">printed in papers, on their own test sets; not measured here</span>
      }
    >
      <ResourceTable
        heads={[
          ["System"],
          ["Reader"],
          ["Paper"],
          ["Macro-F1", "num"],
          ["Hit", "num"],
          ["Exact match", "num hide-narrow"],
        ]}
      >
        {board.quoted.map((one) => (
          <tr key={`${one.system} ${one.reader} ${one.paper}`} className="quoted">
            <td>
              {one.system} <span className="badge">quoted</span>
            </td>
            <td>{one.reader}</td>
            <td className="muted">
              {one.paper}, {one.table}
            </td>
            {["macro_f1", "hit", "exact_match"].map((name) => (
              <td key={name} className={`num ${name === "exact_match" ? "hide-narrow" : ""}`}>
                {metricValue(name, one.metrics[name] ?? null)}
              </td>
            ))}
          </tr>
        ))}
      </ResourceTable>
    </Card>
  );
}

export function LeaderboardPage() {
  const [params, put] = useUrl();
  const sets = useQuery(questionSetsQuery(null));
  const list = sets.data?.results ?? [];
  const id = params.get("set") ?? String(list[0]?.id ?? "");
  const metric = params.get("metric") ?? "macro_f1";
  const split = params.get("split") ?? "test";
  const benchmark = params.get("benchmark") ?? "";
  const board = useQuery({
    ...leaderboardQuery(id, { metric, split, benchmark }),
    enabled: id !== "",
  });
  const { data } = board;
  return (
    <Page
      title="Leaderboard"
      within={["Experiments", "/experiments"]}
      wide
      acts={
        <>
          <Pick
            label="Question set"
            options={list.map((one) => ({ id: String(one.id), label: one.name, detail: one.graph_name }))}
            value={id || null}
            onChange={(set) => put({ set, benchmark: null })}
          />
          <Pick
            label="Split"
            options={["test", "dev", "train", "all"].map((one) => ({ id: one, label: one }))}
            value={split}
            onChange={(one) => put({ split: one })}
          />
          <Pick
            label="Metric"
            options={METRICS.map((one) => ({ id: one, label: metricName(one) }))}
            value={metric}
            onChange={(one) => put({ metric: one })}
          />
          <Pick
            label="Quoted benchmark"
            options={[
              { id: NONE, label: "No quotes" },
              ...(data?.benchmarks ?? []).map((one) => ({ id: one, label: `Quote ${one}` })),
            ]}
            value={data?.benchmark ?? NONE}
            onChange={(one) => put({ benchmark: one })}
          />
        </>
      }
    >
      <QueryState of={sets} what="question sets" retry />
      {sets.data && list.length === 0 && (
        <EmptyState title="No question set yet">One is uploaded on the page of its graph.</EmptyState>
      )}
      {id !== "" && <QueryState of={board} what="the leaderboard" retry />}
      {data?.places.length === 0 && (
        <EmptyState
          title="Nothing has been measured on this set yet"
          act={
            <Link className="btn primary" to={`/studies/new?preset=methods&sets=${id}`}>
              Five methods side by side
            </Link>
          }
        >
          Evaluate a method on its {split} questions, or start a study.
        </EmptyState>
      )}
      {data && data.places.length > 0 && (
        <Card
          title={data.name}
          count={data.count}
          beside={<span className="muted small">{split} questions, measured here, one seed a row</span>}
        >
          <p className="body muted small">
            95% intervals by bootstrap over the n questions. Bold: the best of the reports that asked the same
            questions, where it differs from the runner-up (paired randomisation test over the questions,
            two-sided p &lt; 0.05).
          </p>
          <ResourceTable
            heads={[
              [
                <span key="rank" className="sr-only">
                  Rank
                </span>,
                "num",
              ],
              ["What was asked"],
              ["n", "num hide-narrow"],
              [metricName(metric), "num"],
              ["95%", "hide-narrow"],
              ...KEY_METRICS.filter((name) => name !== metric).map(
                (name) => [metricName(name), "num hide-narrow"] as const,
              ),
              ["Started", "hide-narrow"],
            ]}
          >
            {data.places.map((place, index) => (
              <Row key={place.id} place={place} rank={index + 1} metric={metric} board={data} />
            ))}
          </ResourceTable>
        </Card>
      )}
      {data && data.quoted.length > 0 && <Quoted board={data} />}
    </Page>
  );
}
