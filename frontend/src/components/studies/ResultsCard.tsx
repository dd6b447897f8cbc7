// What a study found: a row for each variant, share, training and test set, over all seeds.
import { useState } from "react";
import type { StudyDetail, StudyRow, StudyWinner } from "@/api/studies";
import { Interval } from "@/components/experiments/Interval";
import { Card } from "@/components/kit/Card";
import { Pick } from "@/components/kit/controls";
import { ResourceTable, type Head } from "@/components/kit/ResourceTable";
import { duration, integer, metricName, metricValue, milliseconds, percent } from "@/view/format";
import { KEY_METRICS, signed } from "@/view/reports";
import { differing, metricsOf } from "@/view/studies";
import { CausesBar, CausesKey } from "./CausesBar";

/** Of texts; all others are in the downloads. */
const MORE = ["passage_recall_at_2", "passage_recall_at_5", "exact_match"];
const DRAWN = ["macro_f1", "hit", "hit_at_1", "exact_set"];

/** A mean with its deviation; `strong` where a test tells it from the runner-up. */
export function Mean({ row, name, strong = false }: { row: StudyRow; name: string; strong?: boolean }) {
  const found = row.metrics[name];
  if (!found) return <span className="muted">–</span>;
  const [low, high] = row.intervals[name] ?? [null, null];
  const interval =
    low === null ? "" : `; first seed 95%: ${metricValue(name, low)} to ${metricValue(name, high)}`;
  return (
    <span title={`${found.values.map((one) => metricValue(name, one)).join(", ")}${interval}`}>
      {strong ? <strong>{metricValue(name, found.mean)}</strong> : metricValue(name, found.mean)}
      {found.sd !== null && <span className="muted"> ± {metricValue(name, found.sd)}</span>}
    </span>
  );
}

const ELSEWHERE = <span className="badge">another graph</span>;

type Many = ReturnType<typeof differing>;

/** What tells a row apart beside its variant. */
const placed = (row: Pick<StudyRow, "fraction" | "test">, many: Many) =>
  [many.fraction && percent(row.fraction), many.test && `on ${row.test}`].filter(Boolean).join(", ");

export function placeKey(row: Pick<StudyRow, "train" | "variant" | "fraction" | "test">): string {
  return JSON.stringify([row.train, row.variant, row.fraction, row.test]);
}

/** Where bold stands: the figures that are significantly better than the runner-up's. */
const boldOf = (winners: readonly StudyWinner[]) =>
  new Set(winners.filter((one) => one.significant).map((one) => `${one.metric} ${placeKey(one)}`));

export function ResultsCard({ study }: { study: StudyDetail }) {
  const [chosen, setDrawn] = useState("macro_f1");
  const { rows } = study;
  const names = metricsOf(rows, [...KEY_METRICS, ...MORE]);
  const drawable = metricsOf(rows, DRAWN);
  const drawn = drawable.includes(chosen) ? chosen : (drawable[0] ?? "");
  const many = differing(study.cells);
  const bold = boldOf(study.winners);
  const lost = rows.some((row) => Object.keys(row.causes).length > 0);
  const heads: Head[] = [
    ["Variant"],
    ...(many.train ? [["Trained on", "hide-narrow"] as const] : []),
    ...(many.fraction ? [["Share", "num hide-narrow"] as const] : []),
    ...(many.test ? [["Tested on", "hide-narrow"] as const] : []),
    ["n", "num hide-narrow"],
    ["Seeds", "num hide-narrow"],
    ...names.map((name) => [metricName(name), `num ${name === drawn ? "" : "hide-narrow"}`] as const),
    [
      `${metricName(drawn)}, 95%`,
      "hide-narrow",
      "From 0 to 1; the interval is of the first seed, over its questions",
    ],
    ...(lost
      ? [["Lost at", "hide-narrow", "At which stage right answers were lost, mean over the seeds"] as const]
      : []),
    ["Training", "num hide-narrow"],
    ["p50", "num hide-narrow", "Half of the questions took no longer"],
  ];
  return (
    <Card
      title="Results"
      wrap
      acts={
        drawable.length > 1 && (
          <Pick
            label="Drawn metric"
            value={drawn}
            options={drawable.map((id) => ({ id, label: metricName(id) }))}
            onChange={setDrawn}
          />
        )
      }
    >
      <p className="body muted small">
        {study.about_rows}
        {many.test && " Rows of different test sets are not to be compared."}
      </p>
      <ResourceTable heads={heads}>
        {rows.map((row) => {
          const [low, high] = row.intervals[drawn] ?? [null, null];
          return (
            <tr key={placeKey(row)}>
              <th scope="row">
                <bdi>{row.variant}</bdi>{" "}
                {row.variant === study.plan.baseline && <span className="badge">baseline</span>}
                {(many.fraction || many.test) && (
                  <div className="small muted narrow-only">
                    {placed(row, many)} {row.cross_dataset && ELSEWHERE}
                  </div>
                )}
              </th>
              {many.train && <td className="hide-narrow">{row.train}</td>}
              {many.fraction && <td className="num hide-narrow">{percent(row.fraction)}</td>}
              {many.test && (
                <td className="hide-narrow">
                  {row.test} {row.cross_dataset && ELSEWHERE}
                </td>
              )}
              <td className="num hide-narrow">{integer(row.n)}</td>
              <td className="num hide-narrow">{row.seeds.length}</td>
              {names.map((name) => (
                <td key={name} className={`num ${name === drawn ? "" : "hide-narrow"}`}>
                  <Mean row={row} name={name} strong={bold.has(`${name} ${placeKey(row)}`)} />
                </td>
              ))}
              <td className="hide-narrow">
                {row.metrics[drawn] && (
                  <Interval value={row.metrics[drawn].mean} low={low} high={high} width={140} />
                )}
              </td>
              {lost && (
                <td className="hide-narrow">
                  <CausesBar causes={row.causes} n={row.n} />
                </td>
              )}
              <td className="num hide-narrow">{duration(row.training_s.mean)}</td>
              <td className="num hide-narrow">{milliseconds(row.latency_ms.mean)}</td>
            </tr>
          );
        })}
      </ResourceTable>
      {lost && (
        <div className="body hide-narrow">
          <CausesKey />
        </div>
      )}
      {study.winners.length > 0 && <Winners study={study} />}
      {study.gains.length > 0 && <Gains study={study} />}
    </Card>
  );
}

/** The best mean of each test set and metric against the runner-up. */
function Winners({ study }: { study: StudyDetail }) {
  const many = differing(study.cells);
  const named = (of: StudyWinner | StudyWinner["runner_up"]) =>
    [of.variant, many.train && of.train, many.fraction && percent(of.fraction)].filter(Boolean).join(", ");
  return (
    <details className="body more">
      <summary>Best and runner-up, question by question</summary>
      <ResourceTable
        compact
        heads={[
          ...(many.test ? [["Tested on"] as const] : []),
          ["Metric"],
          ["Best"],
          ["Runner-up"],
          ["Difference", "num"],
          ["p", "num", "Two-sided, by a paired randomisation test over the questions"],
        ]}
      >
        {study.winners.map((one) => (
          <tr key={`${one.test} ${one.metric}`}>
            {many.test && <td>{one.test}</td>}
            <td>{metricName(one.metric)}</td>
            <td>{one.significant ? <strong>{named(one)}</strong> : named(one)}</td>
            <td>{named(one.runner_up)}</td>
            <td className="num">{signed(one.difference, 3)}</td>
            <td className="num">{one.p < 0.0001 ? "< 0.0001" : one.p.toFixed(4)}</td>
          </tr>
        ))}
      </ResourceTable>
    </details>
  );
}

/** By how much each variant is better than the baseline of the same seed. */
function Gains({ study }: { study: StudyDetail }) {
  const many = differing(study.gains);
  const names = [...new Set(study.gains.flatMap((gain) => Object.keys(gain.metrics)))];
  const few = study.gains.length <= 6;
  return (
    <details className="body more" open={few}>
      <summary>
        <span>
          Relative gain over <bdi>{study.plan.baseline}</bdi>, seed by seed
        </span>
      </summary>
      <ResourceTable
        compact
        heads={[
          ["Variant"],
          ...names.map(
            (name) => [metricName(name), `num ${name === "macro_f1" ? "" : "hide-narrow"}`] as const,
          ),
        ]}
      >
        {study.gains.map((gain) => (
          <tr key={placeKey(gain)}>
            <th scope="row">{[gain.variant, placed(gain, many)].filter(Boolean).join(", ")}</th>
            {names.map((name) => {
              const found = gain.metrics[name];
              return (
                <td key={name} className={`num ${name === "macro_f1" ? "" : "hide-narrow"}`}>
                  {found ? `${signed(found.mean * 100, 1)}%` : "–"}
                  {found?.sd != null && <span className="muted"> ± {(found.sd * 100).toFixed(1)}</span>}
                </td>
              );
            })}
          </tr>
        ))}
      </ResourceTable>
    </details>
  );
}
