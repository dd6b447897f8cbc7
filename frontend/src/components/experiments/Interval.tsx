// A share between 0 and 1 with its confidence interval, drawn on a common scale.
const HEIGHT = 12;
interface Props {
  value: number;
  low: number | null;
  high: number | null;
  width?: number;
}

export function Interval({ value, low, high, width = 120 }: Props) {
  const at = (share: number) => 4 + share * (width - 8);
  if (value < 0 || value > 1) return null;
  return (
    <svg
      viewBox={`0 0 ${width} ${HEIGHT}`}
      width={width}
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
