// What sets the compared runs apart, said in words.
import { differences } from "@/view/differences";
import type { Compared } from "./RunsTable";

export function Differences({ list }: { list: readonly Compared[] }) {
  const said = differences(list);
  if (!said.length) return null;
  return (
    <section className="panel" aria-labelledby="differences-title">
      <header className="panel-head">
        <h2 id="differences-title">Differences</h2>
      </header>
      <ul className="differences" aria-live="polite">
        {said.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </section>
  );
}
