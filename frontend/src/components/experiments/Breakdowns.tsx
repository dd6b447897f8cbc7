// The same metrics within groups of questions: by hops, topics, size of the answer set, distance from training.
import type { Metrics, ReportDetail } from "@/api/reportTypes";
import { Card } from "@/components/kit/Card";
import { integer, metricName, metricValue } from "@/view/format";
import { breakdownName, groupMetrics, groupOrder, toldBreakdowns } from "@/view/reports";

function Table({ by, groups }: { by: string; groups: Record<string, Metrics> }) {
  const names = Object.keys(groups).sort(groupOrder);
  const metrics = groupMetrics(groups);
  return (
    <div className="breakdown">
      <table className="table dense">
        <caption>{breakdownName(by)}</caption>
        <thead>
          <tr>
            <th>
              <span className="sr-only">Group</span>
            </th>
            <th className="num">n</th>
            {metrics.map((name) => (
              <th key={name} className="num">
                {metricName(name)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {names.map((group) => (
            <tr key={group}>
              <th scope="row">{group}</th>
              <td className="num muted">{integer(groups[group]?.n ?? 0)}</td>
              {metrics.map((name) => (
                <td key={name} className="num">
                  {metricValue(name, groups[group]?.[name] ?? null)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function Breakdowns({ report }: { report: ReportDetail }) {
  const list = toldBreakdowns(report.breakdowns);
  if (!list.length) return null;
  return (
    <Card title="Breakdowns">
      <div className="breakdowns">
        {list.map(([by, groups]) => (
          <Table key={by} by={by} groups={groups} />
        ))}
      </div>
    </Card>
  );
}
