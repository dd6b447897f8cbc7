// At which stage right answers were lost, as a bar with its figures in words.
import { count, integer } from "@/view/format";
import { CAUSES } from "@/view/studies";

interface Props {
  causes: Readonly<Record<string, number>>;
  n: number;
}

export function CausesBar({ causes, n }: Props) {
  const told = Object.keys(CAUSES).filter((name) => (causes[name] ?? 0) > 0);
  if (!told.length) return <span className="muted">{n ? "none lost" : "–"}</span>;
  const words = told.map((name) => `${name} ${integer(Math.round((causes[name] ?? 0) * 10) / 10)}`);
  return (
    <div className="causes" title={`Of ${count(n, "question")}: ${words.join(", ")}`}>
      <div className="outcome-bar" aria-hidden="true">
        {told.map((name) => (
          <span key={name} className={`cause-${name}`} style={{ flexGrow: causes[name] ?? 0 }} />
        ))}
        <span
          style={{ flexGrow: Math.max(0, n - told.reduce((sum, name) => sum + (causes[name] ?? 0), 0)) }}
        />
      </div>
      <span className="small muted tabular">{words.join(" · ")}</span>
    </div>
  );
}

/** What the colours mean, once for all bars. */
export function CausesKey() {
  return (
    <ul className="chart-key small">
      {Object.entries(CAUSES).map(([name, about]) => (
        <li key={name} title={about}>
          <span className={`cause-mark cause-${name}`} aria-hidden="true" />
          {name}
        </li>
      ))}
    </ul>
  );
}
