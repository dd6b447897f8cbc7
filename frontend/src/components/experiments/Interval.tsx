// A share between 0 and 1 with its confidence interval, drawn on a common scale.
const WIDTH = 120;
const HEIGHT = 12;
const at = (share: number) => 4 + share * (WIDTH - 8);

export function Interval({ value, low, high }: { value: number; low: number | null; high: number | null }) {
  if (value < 0 || value > 1) return null;
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      width={WIDTH}
      height={HEIGHT}
      className="interval"
      aria-hidden="true"
    >
      <path className="interval-scale" d={`M${at(0)} 6H${at(1)}`} />
      {low !== null && high !== null && <path className="interval-range" d={`M${at(low)} 6H${at(high)}`} />}
      <circle cx={at(value)} cy="6" r="3.2" />
    </svg>
  );
}
