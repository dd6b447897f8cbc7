// A candidate path as a row: what it says, what it reaches, who holds it, and the verdict keys.
import type { Candidate, Kind } from "@/api/review";
import { integer, percent } from "@/store/format";
import { KINDS } from "@/store/review";

interface Props {
  candidate: Candidate;
  place: number;
  focused: boolean;
  verdict: Kind | undefined;
  onFocus: () => void;
  onJudge: (kind: Kind) => void;
}

export function CandidateRow({ candidate, place, focused, verdict, onFocus, onJudge }: Props) {
  const { topic, steps, reached, hits, precision, recall, sources } = candidate;
  return (
    <li className={`candidate ${focused ? "on" : ""}`} aria-current={focused} onPointerEnter={onFocus}>
      <p className="candidate-chain">
        <span className="muted tabular">{place + 1}</span> <strong>{topic}</strong>
        {steps.map((step, at) => (
          <span key={at} title={step.name}>
            {" "}
            {step.inverse ? "←" : "→"} {step.label}
          </span>
        ))}
      </p>
      <p className="small muted">
        reaches {integer(reached)}, {integer(hits)} of them right · precision {percent(precision)} · recall{" "}
        {percent(recall)}
      </p>
      <p className="small muted">
        {sources.map((one, at) => (
          <span key={at} title={one.explanation || one.name}>
            {at > 0 && " · "}
            {one.source} {one.score.toFixed(2)}
          </span>
        ))}
      </p>
      <div className="row" role="group" aria-label={`Verdict on path ${place + 1}`}>
        {KINDS.map(({ kind, key, label }) => (
          <button
            key={kind}
            type="button"
            className={`btn small ${verdict === kind ? "primary" : ""}`}
            aria-pressed={verdict === kind}
            onClick={() => {
              onJudge(kind);
            }}
          >
            <kbd>{key}</kbd> {label}
          </button>
        ))}
      </div>
    </li>
  );
}
