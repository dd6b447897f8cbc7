// Two or more reports of the same questions: figures, differences, and what was gained and lost.
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { ApiError } from "@/api/client";
import { compareReportsQuery } from "@/api/queries";
import type { ReportComparison, ReportDetail } from "@/api/reportTypes";
import type { Id } from "@/api/types";
import { ChangedQuestions } from "@/components/experiments/ChangedQuestions";
import { RiskCard } from "@/components/experiments/RiskCard";
import { Interval } from "@/components/experiments/Interval";
import { Button, Pick } from "@/components/kit/controls";
import { EmptyState, ErrorNotice, Loading, Notice } from "@/components/kit/feedback";
import { useUrl } from "@/components/kit/url";
import { Card } from "@/components/kit/Card";
import { Page } from "@/components/kit/Page";
import { integer, metricName, metricValue, milliseconds } from "@/view/format";
import { useMethodName } from "@/components/kit/useMethodName";
import { betterBy, difference, metricNames, reportLabel, settingsThatDiffer, signed } from "@/view/reports";

type Value = ReportComparison["metrics"][number]["values"][number];

function Cell({ name, value, base }: { name: string; value: Value | undefined; base: Value | undefined }) {
  const known = value?.value ?? null;
  if (value === undefined || known === null) return <td className="num muted">–</td>;
  const diff = base && difference(base, value);
  const { low, high } = value;
  const better = diff ? betterBy(name, diff.by) : null;
  return (
    <td className="num">
      <div>
        {diff && (
          <span
            className={`diff ${diff.apart && better !== null ? (better ? "good-text" : "bad-text") : "muted"}`}
            title={
              diff.apart
                ? "The 95% intervals do not overlap"
                : diff.known
                  ? "The 95% intervals overlap: it may be chance"
                  : "No interval is known"
            }
          >
            {signed(diff.by, better === null ? 1 : 3)}
            {diff.apart ? " *" : ""}
          </span>
        )}{" "}
        <span className="strong">{metricValue(name, known)}</span>
      </div>
      <div className="small muted">
        {low !== null && high !== null ? `${metricValue(name, low)} – ${metricValue(name, high)}` : "–"}
      </div>
      <Interval value={known} low={low} high={high} />
    </td>
  );
}

function MetricsTable({ comparison }: { comparison: ReportComparison }) {
  const { reports, metrics } = comparison;
  const methodName = useMethodName();
  const byName = new Map(metrics.map((metric) => [metric.name, metric.values]));
  const names = metricNames(
    Object.fromEntries(
      metrics.map(({ name, values }) => [name, values.find((one) => one.value !== null)?.value ?? null]),
    ),
  );
  return (
    <Card
      title="Metrics"
      className="fit"
      beside={
        <span className="muted small">
          differences from the baseline; * the 95% confidence intervals do not overlap
        </span>
      }
    >
      <div className="scroll-x">
        <table className="table dense compare-table">
          <thead>
            <tr>
              <th>Metric</th>
              {reports.map((report, index) => (
                <th key={report.id} className="num">
                  <Link to={`/experiments/${report.id}`} title={report.fingerprint ?? "untrained"}>
                    {reportLabel(report, methodName)}
                  </Link>
                  {index === 0 && <div className="muted small">baseline</div>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {names.map((name) => (
              <tr key={name}>
                <th scope="row">{metricName(name)}</th>
                {reports.map((report, index) => (
                  <Cell
                    key={report.id}
                    name={name}
                    value={byName.get(name)?.[index]}
                    base={index ? byName.get(name)?.[0] : undefined}
                  />
                ))}
              </tr>
            ))}
            {(["p50", "p95"] as const).map((name) => (
              <tr key={name}>
                <th scope="row">Latency {name}</th>
                {reports.map((report) => (
                  <td key={report.id} className="num">
                    {report.latency_ms ? milliseconds(report.latency_ms[name]) : "–"}
                  </td>
                ))}
              </tr>
            ))}
            <tr>
              <th scope="row">Retrieval p50</th>
              {reports.map((report) => (
                <td key={report.id} className="num">
                  {report.retrieval_ms ? milliseconds(report.retrieval_ms.p50) : "–"}
                </td>
              ))}
            </tr>
            {settingsThatDiffer(reports, methodName).map(({ name, values }) => (
              <tr key={name}>
                <th scope="row" className="muted">
                  {name}
                </th>
                {values.map((value, index) => (
                  <td key={reports[index]?.id} className="num muted">
                    {value}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  );
}

function Refused({ error, ids }: { error: unknown; ids: string }) {
  const choose = (
    <Link className="btn" to={`/experiments?pick=${ids}`}>
      Choose others
    </Link>
  );
  const heading = <h1 className="sr-only">These reports cannot be compared</h1>;
  if (error instanceof ApiError && error.code === "not_comparable") {
    return (
      <>
        {heading}
        <Notice tone="warn" urgent title={error.message} acts={choose}>
          {error.hint || "Figures are compared only when the same questions were asked of the same snapshot."}
        </Notice>
      </>
    );
  }
  return (
    <>
      {heading}
      <ErrorNotice error={error} acts={choose} />
    </>
  );
}

/** The two reports whose questions are listed: as the address says, else the first and the last. */
function pairOf(reports: readonly ReportDetail[], text: string): [ReportDetail, ReportDetail] | null {
  const [a, b] = text.split("-").map((id) => reports.find((report) => String(report.id) === id));
  if (a && b && a !== b) return [a, b];
  const [first, last] = [reports[0], reports.at(-1)];
  return first && last && first !== last ? [first, last] : null;
}

/** What was gained and lost within a pair; known only for pairs with the baseline, either way round. */
function changesOf({ pairs }: ReportComparison, [a, b]: [ReportDetail, ReportDetail]) {
  const is = (one: { id: Id }, id: Id) => String(one.id) === String(id);
  const there = pairs.find((pair) => is(a, pair.a) && is(b, pair.b));
  if (there) return there;
  const back = pairs.find((pair) => is(b, pair.a) && is(a, pair.b));
  return back && { ...back, gained: back.lost, lost: back.gained };
}

export function CompareReportsPage() {
  const [params, put] = useUrl();
  const methodName = useMethodName();
  const ids = (params.get("ids") ?? "").split(",").filter(Boolean);
  const comparison = useQuery({ ...compareReportsQuery(ids), enabled: ids.length > 1 });
  const { data } = comparison;
  const pair = data ? pairOf(data.reports, params.get("pair") ?? "") : null;
  const [first] = data?.reports ?? [];
  const counts = data && pair ? changesOf(data, pair) : undefined;
  if (ids.length < 2) {
    return (
      <EmptyState
        page
        title="Choose two or more reports"
        act={
          <Link className="btn primary" to={`/experiments?pick=${ids.join(",")}`}>
            All reports
          </Link>
        }
      >
        Tick them in the list of experiments, then press Compare.
      </EmptyState>
    );
  }
  const pairs = (data?.reports ?? []).flatMap((a) =>
    (data?.reports ?? []).flatMap((b) =>
      a === b
        ? []
        : [{ id: `${a.id}-${b.id}`, label: `${reportLabel(a, methodName)} → ${reportLabel(b, methodName)}` }],
    ),
  );
  return (
    <Page
      title="Compare reports"
      within={["Experiments", "/experiments"]}
      wide
      acts={
        data && (
          <Link className="btn" to={`/experiments?pick=${ids.join(",")}`}>
            Choose others
          </Link>
        )
      }
    >
      {comparison.error && <Refused error={comparison.error} ids={ids.join(",")} />}
      {comparison.isPending && <Loading what="the comparison" />}
      {data && first && (
        <>
          <p className="muted">
            <bdi>{first.question_set_name}</bdi>, {first.split} · {integer(first.n ?? 0)} questions ·{" "}
            <Link to={`/graphs/${first.graph}`}>
              <bdi>{first.graph_name}</bdi>
            </Link>{" "}
            · topics {first.topics}
          </p>
          <MetricsTable comparison={data} />
          <RiskCard
            all={data.reports.flatMap((report) =>
              report.risk
                ? [{ label: `${reportLabel(report, methodName)} (${report.id})`, risk: report.risk }]
                : [],
            )}
          />
          {pair && (
            <>
              <div className="pair-bar">
                {data.reports.length > 2 && (
                  <Pick
                    label="Pair"
                    options={pairs}
                    value={`${pair[0].id}-${pair[1].id}`}
                    onChange={(id) => put({ pair: id, page: null })}
                  />
                )}
                <p>
                  From <strong>{reportLabel(pair[0], methodName)}</strong> to{" "}
                  <strong>{reportLabel(pair[1], methodName)}</strong>
                  {counts && (
                    <span className="tabular">
                      : <span className="good-text">{integer(counts.gained)} gained</span>,{" "}
                      <span className="bad-text">{integer(counts.lost)} lost</span>, answers differ on{" "}
                      {integer(counts.changed)}
                    </span>
                  )}
                </p>
                <Button
                  look="plain"
                  size="small"
                  onPress={() => {
                    put({ pair: `${pair[1].id}-${pair[0].id}`, page: null });
                  }}
                >
                  Swap
                </Button>
              </div>
              <ChangedQuestions a={pair[0]} b={pair[1]} counts={counts} />
            </>
          )}
        </>
      )}
    </Page>
  );
}
