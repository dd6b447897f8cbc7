// Lines over a common scale, each point with its interval. Colours and dashes tell them apart; the table beside has the figures.
import type { Series } from "@/view/studies";

const WIDTH = 520;
const HEIGHT = 240;
const LEFT = 56;
const RIGHT = 24;
/** Where the first points stand: beside the scale, so that their intervals do not cross its figures. */
const FIRST = LEFT + 16;
const TOP = 10;
const BOTTOM = 48;
const COLOURS = 4;
const DASHES = ["", "6 3", "2 3", "8 3 2 3"];

interface Props {
  title: string;
  series: readonly Series[];
  xLabel: string;
  yLabel: string;
  /** Shares and budgets: distances are ratios. */
  log?: boolean;
  xText?: (x: number) => string;
  yText?: (y: number) => string;
}

/** Round steps between two values, at most about five. */
export function ticks(low: number, high: number): number[] {
  if (high <= low) return [low];
  const rough = (high - low) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough) ?? power * 10;
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, at) => Number(((first + at) * step).toPrecision(10)));
}

export function LineChart({ title, series, xLabel, yLabel, log, xText = String, yText = String }: Props) {
  const points = series.flatMap((one) => one.points);
  const xs = [...new Set(points.map((one) => one.x))].sort((a, b) => a - b);
  const ys = points.flatMap((one) => [one.y, one.low ?? one.y, one.high ?? one.y]);
  const [bottom, top] = [Math.min(...ys), Math.max(...ys)];
  const pad = top === bottom ? Math.abs(top) * 0.1 || 0.1 : (top - bottom) * 0.08;
  const [low, high] = [bottom - pad, top + pad];
  const place = (x: number) => (log ? Math.log(x) : x);
  const [first, last] = [place(xs[0] ?? 0), place(xs.at(-1) ?? 1)];
  const at = (x: number) =>
    FIRST + (last === first ? 0.5 : (place(x) - first) / (last - first)) * (WIDTH - FIRST - RIGHT);
  // Lines stand a little beside each other, so that the intervals of all can be seen.
  const beside = (line: number) => (line - (series.length - 1) / 2) * Math.min(5, 24 / series.length);
  const up = (y: number) => TOP + (1 - (y - low) / (high - low)) * (HEIGHT - TOP - BOTTOM);
  const marks = xs.length > 8 ? ticks(xs[0] ?? 0, xs.at(-1) ?? 1) : xs;
  return (
    <figure className="chart">
      <figcaption>{title}</figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`${title}: ${series.length} lines`}>
        {ticks(low, high).map((y) => (
          <g key={y} className="chart-tick">
            <path d={`M${LEFT} ${up(y)}H${WIDTH - RIGHT}`} />
            <text x={LEFT - 6} y={up(y)} dy="0.32em" textAnchor="end">
              {yText(y)}
            </text>
          </g>
        ))}
        {marks.map((x) => (
          <text key={x} className="chart-mark" x={at(x)} y={HEIGHT - BOTTOM + 20} textAnchor="middle">
            {xText(x)}
          </text>
        ))}
        <text className="chart-axis" x={(LEFT + WIDTH - RIGHT) / 2} y={HEIGHT - 6} textAnchor="middle">
          {xLabel}
        </text>
        {series.map((one, line) => (
          <g
            key={one.label}
            className={`chart-line c${(line % COLOURS) + 1}`}
            transform={`translate(${beside(line)} 0)`}
          >
            <title>{one.label}</title>
            <path
              strokeDasharray={DASHES[Math.floor(line / COLOURS) % DASHES.length]}
              d={one.points
                .map(({ x, y }, index) => `${index ? "L" : "M"}${at(x).toFixed(1)} ${up(y).toFixed(1)}`)
                .join("")}
            />
            {one.points.map(({ x, y, low: from, high: to }) => (
              <g key={x}>
                {from !== null && to !== null && from < to && (
                  <path
                    className="chart-range"
                    d={`M${at(x) - 3} ${up(from)}h6M${at(x)} ${up(from)}V${up(to)}M${at(x) - 3} ${up(to)}h6`}
                  />
                )}
                {points.length <= 120 && (
                  <circle cx={at(x)} cy={up(y)} r="3">
                    <title>{`${one.label}: ${yText(y)} at ${xText(x)}`}</title>
                  </circle>
                )}
              </g>
            ))}
          </g>
        ))}
      </svg>
      <ul className="chart-key small">
        {series.map((one, index) => (
          <li key={one.label}>
            <svg viewBox="0 0 24 8" aria-hidden="true" className={`chart-line c${(index % COLOURS) + 1}`}>
              <path d="M0 4H24" strokeDasharray={DASHES[Math.floor(index / COLOURS) % DASHES.length]} />
            </svg>
            <bdi>{one.label}</bdi>
          </li>
        ))}
      </ul>
      <p className="sr-only">{yLabel}</p>
    </figure>
  );
}
