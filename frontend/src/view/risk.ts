// Risk and coverage of reports as lines to be drawn, and as rows to be read.
import type { Risk } from "@/api/reportTypes";
import type { Series } from "./studies";

export interface NamedRisk {
  label: string;
  risk: Risk;
}

/** Shares of wrong answers that the table tells coverage at. */
export const ERRORS = [0.01, 0.02, 0.05, 0.1, 0.2] as const;

const point = (x: number, y: number) => ({ x, y, low: null, high: null });

/** Share of wrong answers over the share of questions that is answered. */
export function riskSeries(all: readonly NamedRisk[]): Series[] {
  return all.map(({ label, risk }) => ({
    label,
    points: risk.curve.map(({ coverage, error }) => point(coverage, error)),
  }));
}

/** Share of right answers over their confidence, and where both would be the same. */
export function reliabilitySeries(all: readonly NamedRisk[]): Series[] {
  const lines = all.map(({ label, risk }) => ({
    label,
    points: risk.bins.map(({ confidence, right }) => point(confidence, right)),
  }));
  return [...lines, { label: "as right as confident", points: [point(0, 0), point(1, 1)] }];
}

/** The largest share of questions that can be answered with at most so many of the answers wrong. */
export function coverageAt(risk: Risk, error: number): number {
  return Math.max(0, ...risk.curve.filter((one) => one.error <= error).map((one) => one.coverage));
}
