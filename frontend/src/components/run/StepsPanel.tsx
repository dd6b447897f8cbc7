// What the run did, step by step. A click shows the graph as of that step.
import { useState } from "react";
import { count, milliseconds } from "@/store/format";
import type { RunView } from "@/store/runView";
import type { Step } from "@/store/steps";

interface Props {
  steps: readonly Step[];
  /** The step on show; null at the end of the run. */
  step: number | null;
  view: RunView;
  onStep: (seq: number | null) => void;
}

/** Paths listed before the rest folds away: fifty of them would bury what follows. */
const PATHS_FIRST = 6;

/** `steps` without the folded paths, and how many those are. The step on show is never folded. */
function fold(steps: readonly Step[], step: number | null): { shown: readonly Step[]; folded: number } {
  const paths = steps.filter((one) => one.type === "path.retrieved");
  const away = new Set(paths.slice(PATHS_FIRST).map((one) => one.seq));
  if (away.size < 3 || (step !== null && away.has(step))) return { shown: steps, folded: 0 };
  return { shown: steps.filter((one) => !away.has(one.seq)), folded: away.size };
}

export function StepsPanel({ steps, step, view, onStep }: Props) {
  const [all, setAll] = useState(false);
  const { shown, folded } = all ? { shown: steps, folded: 0 } : fold(steps, step);
  const lastPath = shown.findLast((one) => one.type === "path.retrieved")?.seq;
  const { started, usage } = view;
  const last = steps.at(-1)?.seq;
  return (
    <section className="panel" aria-labelledby="steps-title">
      <header className="panel-head">
        <h2 id="steps-title">Steps</h2>
        <span className="muted small tabular">{steps.length}</span>
      </header>
      <ol className="steps">
        {shown.map((one) => (
          <li key={one.seq}>
            <button
              type="button"
              className={`step ${one.seq === step ? "on" : ""} ${step !== null && one.seq > step ? "later" : ""}`}
              aria-current={one.seq === step ? "step" : undefined}
              onClick={() => {
                onStep(one.seq === last ? null : one.seq);
              }}
            >
              <span className="step-time tabular muted">{milliseconds(one.offset)}</span>
              <span className="step-title">{one.title}</span>
              <span className="step-detail muted">{one.detail}</span>
              {one.took !== null && <span className="step-took tabular muted">{milliseconds(one.took)}</span>}
            </button>
            {folded > 0 && one.seq === lastPath && (
              <button
                type="button"
                className="link small fold"
                onClick={() => {
                  setAll(true);
                }}
              >
                {count(folded, "more path")}
              </button>
            )}
          </li>
        ))}
      </ol>
      {started && (
        <dl className="facts small">
          <dt>snapshot</dt>
          <dd className="mono elide" title={started.snapshot}>
            {started.snapshot.slice(0, 12)}
          </dd>
          <dt>checkpoint</dt>
          <dd className="mono elide" title={started.checkpoint ?? undefined}>
            {started.checkpoint ? started.checkpoint.slice(0, 12) : "none (zero-shot)"}
          </dd>
          <dt>encoder</dt>
          <dd className="elide">{started.encoder}</dd>
          <dt>budget, seed</dt>
          <dd className="tabular">
            {started.budget}, {started.seed}
          </dd>
          {usage && (
            <>
              <dt>used</dt>
              <dd className="tabular">
                {count(usage.triples, "triple")}
                {usage.llm_calls > 0 &&
                  `, ${count(usage.llm_calls, "LLM call")}, ${count(usage.prompt_tokens + usage.completion_tokens, "token")}`}
              </dd>
            </>
          )}
        </dl>
      )}
    </section>
  );
}
