// Pausing an agent, taking its steps back, and sending it another way.
import { Button } from "@/components/kit/controls";
import { usePageKeys } from "@/components/kit/hooks";
import type { RunView } from "@/view/runView";
import { pressedKey } from "@/view/keys";
import { Alternatives } from "./Alternatives";
import type { Steering } from "./useSteering";

interface Props {
  /** The run as it is now, not as it was at some step of a replay. */
  view: RunView;
  steering: Steering;
  onStop: () => void;
}

/** Space belongs to what is in focus where that is pressed with it. */
function pressed(event: KeyboardEvent): boolean {
  return (
    event.target instanceof Element && event.target.closest("button, a, summary, [role=button]") !== null
  );
}

const TITLES = {
  going: "Steering",
  over: "Resume",
} as const;

function title(view: RunView, phase: Steering["phase"]): string {
  if (phase !== "paused") return TITLES[phase];
  const steps = view.agent.length;
  return steps ? `Paused after step ${steps}` : "Paused before the first step";
}

function Keys({ view, steering, onStop }: Props) {
  const { phase, pausing, busy } = steering;
  const steps = view.agent.length;
  return (
    <div className="row steer-keys">
      {phase === "going" && (
        <Button icon="pause" isDisabled={busy || pausing} onPress={steering.pause}>
          {pausing ? "Pausing after this step" : "Pause"} <kbd>Space</kbd>
        </Button>
      )}
      {(phase === "paused" || (phase === "over" && view.phase !== "done")) && (
        <Button look="primary" icon="play" isDisabled={busy} onPress={steering.goOn}>
          Go on <kbd>Space</kbd>
        </Button>
      )}
      {phase !== "going" && (
        <Button icon="undo" isDisabled={busy || steps === 0} onPress={() => steering.back(steps - 1)}>
          {steps ? `Take back step ${steps}` : "Nothing to take back"} <kbd>u</kbd>
        </Button>
      )}
      {phase === "paused" && (
        <Button look="plain" icon="stop" onPress={onStop}>
          Stop
        </Button>
      )}
      <label className="check steer-stepwise">
        <input
          type="checkbox"
          checked={steering.stepwise}
          disabled={phase === "going"}
          onChange={(event) => steering.setStepwise(event.target.checked)}
        />
        step by step
      </label>
    </div>
  );
}

export function SteerPanel({ view, steering, onStop }: Props) {
  const { phase } = steering;
  const steps = view.agent.length;
  usePageKeys((event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || steering.busy) return;
    if (pressedKey(event) === " " && !pressed(event)) {
      if (phase === "going" && !steering.pausing) steering.pause();
      else if (phase === "paused") steering.goOn();
      else return;
    } else if (pressedKey(event) === "u" && phase !== "going" && steps > 0) steering.back(steps - 1);
    else return;
    event.preventDefault();
  });
  return (
    <section className={`panel steer ${phase}`} aria-labelledby="steer-title">
      <header className="panel-head">
        <h2 id="steer-title">{title(view, phase)}</h2>
      </header>
      <Keys view={view} steering={steering} onStop={onStop} />
      {phase === "paused" && view.pause && (
        <p className="muted small">
          {view.pause.message} A choice other than the policy’s is kept as a correction.
        </p>
      )}
      {phase === "paused" && view.pause && view.pause.alternatives.length > 0 && (
        <Alternatives
          label="What could come next"
          actions={view.pause.alternatives}
          taken={null}
          onChoose={
            steering.busy
              ? null
              : (action) => {
                  steering.choose(steps, action);
                }
          }
        />
      )}
      {phase === "over" && (
        <p className="muted small">
          Open a step below to take another way from there. The current answers stay in the log.
        </p>
      )}
    </section>
  );
}
