// The figures of a report, each with its confidence interval.
import type { ReportDetail } from "@/api/reportTypes";
import { Card } from "@/components/kit/Card";
import { count, integer, metricName, metricValue } from "@/view/format";
import { metricNames } from "@/view/reports";
import { Interval } from "./Interval";

/** Pixels from 0 to 1. */
const SCALE = 480;
const UNFIT_SHOWN = 10;

function Programs({ of }: { of: NonNullable<ReportDetail["programs"]> }) {
  const fitting = of.given - of.unfit.length;
  return (
    <p className="muted small">
      {count(of.given, "question")} {of.given === 1 ? "brings" : "bring"} a program. Of the {integer(fitting)}{" "}
      that fit the graph {integer(of.exact)} were read as just that, {integer(of.same_answers)} were answered
      as it answers them, and for {integer(of.none_run)} no program was run.
      {of.unfit.length > 0 && ` Not of this graph: ${of.unfit.slice(0, UNFIT_SHOWN).join(", ")}.`}
    </p>
  );
}

export function MetricsCard({ report }: { report: ReportDetail }) {
  return (
    <Card
      title="Metrics"
      beside={<span className="muted small">with 95% bootstrap confidence intervals</span>}
    >
      <div className="scroll-x">
        <table className="table dense metrics-table">
          <thead>
            <tr>
              <th>Metric</th>
              <th className="num">Value</th>
              <th className="num">95% interval</th>
              <th className="hide-narrow">
                <span className="scale-ends" style={{ width: SCALE }}>
                  <span>0</span>
                  <span>1</span>
                </span>
              </th>
            </tr>
          </thead>
          <tbody>
            {metricNames(report.metrics).map((name) => {
              const value = report.metrics[name] ?? 0;
              const [low, high] = report.intervals[name] ?? [null, null];
              return (
                <tr key={name}>
                  <td>{metricName(name)}</td>
                  <td className="num strong">{metricValue(name, value)}</td>
                  <td className="num muted">
                    {low === null ? "–" : `${metricValue(name, low)} – ${metricValue(name, high)}`}
                  </td>
                  <td className="hide-narrow">
                    <Interval value={value} low={low} high={high} width={SCALE} />
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      {report.programs && report.programs.given > 0 && <Programs of={report.programs} />}
    </Card>
  );
}
