// The curves of a training: one series for each value that a stage measured.
import type { CurveRow } from "@/api/trajectories";

export interface Curve {
  stage: number;
  name: string;
  values: readonly number[];
}

/** Columns that say where a row belongs. */
const PLACE = new Set(["stage", "step", "epoch"]);

/** The series of `rows`, stage by stage, in the order in which their names first come. */
export function curvesOf(rows: readonly CurveRow[]): Curve[] {
  const found = new Map<string, { stage: number; name: string; values: number[] }>();
  for (const row of rows) {
    const stage = row.stage ?? 0;
    for (const [name, value] of Object.entries(row)) {
      if (PLACE.has(name) || !Number.isFinite(value)) continue;
      const key = `${stage} ${name}`;
      const curve = found.get(key) ?? { stage, name, values: [] };
      curve.values.push(value);
      found.set(key, curve);
    }
  }
  return [...found.values()].sort((a, b) => a.stage - b.stage);
}

/** `values` as at most `most` means of neighbours, so that thousands of steps make one line. */
export function smoothed(values: readonly number[], most: number): number[] {
  if (values.length <= most) return [...values];
  return Array.from({ length: most }, (_, index) => {
    const part = values.slice(
      Math.floor((index * values.length) / most),
      Math.floor(((index + 1) * values.length) / most),
    );
    return part.reduce((sum, value) => sum + value, 0) / part.length;
  });
}
