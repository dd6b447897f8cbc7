// What the run did, step by step. A click shows the graph as of that step; steps of an agent fold open.
import { useState, type ReactNode } from "react";
import { Button } from "@/components/kit/controls";
import { count, milliseconds } from "@/view/format";
import type { RunView } from "@/view/runView";
import type { Step } from "@/view/steps";
import { RunFacts } from "./RunFacts";
import { AgentDetail, RouterDetail, agentLine, type OnLight } from "./StepDetail";
import { WalkDetail } from "./WalkDetail";
import type { Steering } from "./useSteering";

interface Props {
  steps: readonly Step[];
  /** The step on show; null at the end of the run. */
  step: number | null;
  view: RunView;
  onStep: (seq: number | null) => void;
  onLight: OnLight;
  isTrained: boolean;
  /** The name of the language model that could be asked; "" when none. */
  llm: string;
  /** The settings of the method that differ from its defaults. */
  options?: Readonly<Record<string, unknown>>;
  /** How an agent can be sent another way; null when it cannot. */
  steering?: Steering | null;
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

/** Jumps that an agent's step made are told with it, not in lines of their own. */
function withoutTold(steps: readonly Step[], view: RunView, step: number | null): readonly Step[] {
  const agents = new Set(view.agent.map((walk) => walk.event.step));
  const told = new Set(view.jumps.filter((jump) => agents.has(jump.step)).map((jump) => jump.seq));
  return steps.filter((one) => !told.has(one.seq) || one.seq === step);
}

interface RowProps extends Pick<Props, "step" | "view" | "onStep" | "onLight" | "steering"> {
  one: Step;
  last: boolean;
  children: ReactNode;
}

function StepRow({ one, last, step, view, onStep, onLight, steering = null, children }: RowProps) {
  const [wanted, setWanted] = useState<boolean | null>(null);
  const walk = [...view.agent, ...view.undone].find((each) => each.seq === one.seq);
  const router = one.type === "router.decided" ? view.router : null;
  const open = wanted ?? (one.seq === step || router !== null);
  return (
    <li className={open && (walk || router) ? "step-item open" : "step-item"}>
      <button
        type="button"
        className={`step ${one.seq === step ? "on" : ""} ${step !== null && one.seq > step ? "later" : ""} ${one.undone ? "undone" : ""}`}
        aria-current={one.seq === step ? "step" : undefined}
        {...(walk && {
          onMouseEnter: () => onLight(walk.chosen),
          onMouseLeave: () => onLight(null),
        })}
        onClick={() => onStep(last ? null : one.seq)}
      >
        <span className="step-time tabular muted">{milliseconds(one.offset)}</span>
        <span className="step-title">
          {one.title}
          {one.undone && <span className="sr-only"> (taken back)</span>}
        </span>
        <span className="step-detail muted">{walk ? agentLine(walk, view) : one.detail}</span>
        {one.took !== null && <span className="step-took tabular muted">{milliseconds(one.took)}</span>}
      </button>
      {(walk ?? router) && (
        <Button
          look="plain"
          size="small"
          icon={open ? "down" : "right"}
          aria-label={`${open ? "Fold" : "Open"} ${one.title}`}
          aria-expanded={open}
          className="step-fold"
          onPress={() => setWanted(!open)}
        />
      )}
      {open && walk?.event.chosen && (
        <WalkDetail walk={walk} view={view} onLight={onLight} steering={steering} />
      )}
      {open && walk && !walk.event.chosen && <AgentDetail walk={walk} view={view} onLight={onLight} />}
      {open && router && <RouterDetail router={router} />}
      {children}
    </li>
  );
}

export function StepsPanel({
  steps,
  step,
  view,
  onStep,
  onLight,
  isTrained,
  llm,
  options,
  steering = null,
}: Props) {
  const [all, setAll] = useState(false);
  const own = withoutTold(steps, view, step);
  const { shown, folded } = all ? { shown: own, folded: 0 } : fold(own, step);
  const lastPath = shown.findLast((one) => one.type === "path.retrieved")?.seq;
  const last = steps.at(-1)?.seq;
  return (
    <section className="panel" aria-labelledby="steps-title">
      <header className="panel-head">
        <h2 id="steps-title">Steps</h2>
        <span className="muted small tabular">{steps.length}</span>
      </header>
      <ol className="steps">
        {shown.map((one) => (
          <StepRow
            key={one.seq}
            one={one}
            last={one.seq === last}
            step={step}
            view={view}
            onStep={onStep}
            onLight={onLight}
            steering={steering}
          >
            {folded > 0 && one.seq === lastPath && (
              <button type="button" className="link small fold" onClick={() => setAll(true)}>
                {count(folded, "more path")}
              </button>
            )}
          </StepRow>
        ))}
      </ol>
      <RunFacts view={view} isTrained={isTrained} llm={llm} options={options ?? {}} />
    </section>
  );
}
