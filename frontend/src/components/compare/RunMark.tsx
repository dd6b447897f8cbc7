// A compared run's stroke as the drawing has it: its colour, and its line style.
const DASHES = ["", "9 3", "3 2.5", "8 2.5 1.5 2.5"];

export function RunMark({ place }: { place: number }) {
  return (
    <svg viewBox="0 0 28 10" width="28" height="10" aria-hidden="true" className="run-mark">
      <path
        d="M1 5h26"
        stroke={`var(--run-${place + 1}, var(--graph-strong))`}
        strokeDasharray={DASHES[place]}
      />
    </svg>
  );
}
