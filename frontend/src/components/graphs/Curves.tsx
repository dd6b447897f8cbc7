// What a training measured, step by step: a small line for each value, one stage after the other.
import { useQuery } from "@tanstack/react-query";
import { curvesQuery, type CurveRow } from "@/api/trajectories";
import type { Id } from "@/api/types";
import { integer } from "@/view/format";
import { curvesOf, smoothed, type Curve } from "@/view/curves";

const WIDTH = 260;
const HEIGHT = 72;
const STAGES = ["imitation", "reinforcement"];

function Line({ curve }: { curve: Curve }) {
  const values = smoothed(curve.values, 120);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const x = (index: number) => (values.length < 2 ? WIDTH / 2 : (index / (values.length - 1)) * WIDTH);
  const y = (value: number) => (high === low ? HEIGHT / 2 : HEIGHT - ((value - low) / (high - low)) * HEIGHT);
  const last = values.at(-1) ?? 0;
  const name = curve.name.replaceAll("_", " ");
  const stage = STAGES[curve.stage] ?? `stage ${curve.stage + 1}`;
  return (
    <figure className="curve">
      <figcaption className="small">
        {name} <span className="muted">{stage}</span>
      </figcaption>
      <svg
        viewBox={`-2 -4 ${WIDTH + 4} ${HEIGHT + 8}`}
        role="img"
        aria-label={`${name} in ${stage}: from ${values[0]?.toPrecision(3) ?? "nothing"} to ${last.toPrecision(3)} over ${curve.values.length} steps`}
      >
        <path
          d={values
            .map((value, index) => `${index ? "L" : "M"}${x(index).toFixed(1)} ${y(value).toFixed(1)}`)
            .join("")}
        />
      </svg>
      <p className="small muted tabular">
        {low.toPrecision(3)} to {high.toPrecision(3)}, last {last.toPrecision(3)} ·{" "}
        {integer(curve.values.length)} steps
      </p>
    </figure>
  );
}

export function Curves({ checkpoint }: { checkpoint: Id }) {
  const { data } = useQuery(curvesQuery(checkpoint));
  const rows: readonly CurveRow[] = data ?? [];
  if (rows.length === 0) return null;
  return (
    <section aria-labelledby="curves-title">
      <h3 id="curves-title">Training, step by step</h3>
      <div className="curves">
        {curvesOf(rows).map((curve) => (
          <Line key={`${curve.stage} ${curve.name}`} curve={curve} />
        ))}
      </div>
    </section>
  );
}
