// An answer through time: the versions of a graph, the latest first, and what each answers.
import type { Moment } from "@/api/tests";
import { Ago } from "@/components/kit/feedback";
import { FactChanges, Labels } from "./TestWords";

function Difference({ moment }: { moment: Moment }) {
  const { came, went, added, removed, changed } = moment;
  if (!changed) return null;
  return (
    <div className="test-change small">
      {came.length > 0 && (
        <p>
          <span className="muted">New:</span> <Labels labels={came} />
        </p>
      )}
      {went.length > 0 && (
        <p>
          <span className="muted">Gone:</span> <Labels labels={went} />
        </p>
      )}
      <FactChanges added={added} removed={removed} />
      {!added.length && !removed.length && (
        <p className="muted">
          No fact behind it changed{moment.fingerprint ? "" : ": this version was asked untrained"}.
        </p>
      )}
    </div>
  );
}

export function Moments({ moments }: { moments: readonly Moment[] }) {
  return (
    <ol className="moments" reversed start={moments.length}>
      {moments.toReversed().map((moment) => (
        <li key={moment.version} className={moment.changed ? "moment changed" : "moment"}>
          <div className="row wrap">
            <strong className="tabular">v{moment.version}</strong>
            {moment.current && <span className="badge good">current</span>}
            {moment.changed && <span className="badge accent">answer changed</span>}
            <span className="small muted">
              <Ago iso={moment.created_at} />
              {moment.note && ` · ${moment.note}`}
            </span>
          </div>
          <p className="moment-answer">
            {moment.answers === null ? (
              <span className="muted">not asked</span>
            ) : (
              <Labels labels={moment.answers} />
            )}
          </p>
          <Difference moment={moment} />
        </li>
      ))}
    </ol>
  );
}
