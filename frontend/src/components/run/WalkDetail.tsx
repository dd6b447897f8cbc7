// A step of an agent that can be steered: what it thought, did and saw, and what it could have done instead.
import { Button } from "@/components/kit/controls";
import { actionLine } from "@/view/agentActions";
import type { AgentWalk } from "@/view/agentWalk";
import { count, integer } from "@/view/format";
import type { RunView } from "@/view/runView";
import { Alternatives } from "./Alternatives";
import { Facts, type OnLight } from "./StepDetail";
import type { Steering } from "./useSteering";

interface Props {
  walk: AgentWalk;
  view: RunView;
  onLight: OnLight;
  steering: Steering | null;
}

/** Facts that were in the window when the step was taken: what a choice kept and left together. */
function windowBefore(walk: AgentWalk, view: RunView): number {
  const at = view.agent.indexOf(walk);
  return view.agent[at - 1]?.event.window ?? 0;
}

export function WalkDetail({ walk, view, onLight, steering }: Props) {
  const { event } = walk;
  const at = view.agent.indexOf(walk);
  const undone = at < 0;
  const kept = event.chosen?.kind === "choose" ? Math.max(event.chosen.facts, event.hops.length) : 0;
  const left = Math.max(windowBefore(walk, view) - kept, event.dropped.length);
  const act = steering && steering.phase !== "going" && !steering.busy && !undone ? steering : null;
  return (
    <dl className="step-open small">
      {event.thought && (
        <div className="step-part">
          <dt>Thinks</dt>
          <dd className="step-thought">{event.thought}</dd>
        </div>
      )}
      {event.chosen && (
        <div className="step-part">
          <dt>Does</dt>
          <dd>
            <strong>{actionLine(event.chosen)}</strong>{" "}
            {event.by === "person" && <span className="badge accent">chosen by a person</span>}{" "}
            {!event.valid && <span className="badge bad">not possible</span>}
          </dd>
        </div>
      )}
      <div className="step-part">
        <dt>Sees</dt>
        <dd>
          {event.observation}
          <div className="muted tabular">
            window {count(event.window, "fact")} · focus {count(event.focus, "fact")}
          </div>
        </dd>
      </div>
      {event.seen.length > 0 && (
        <Facts
          title="In the window"
          hops={event.seen}
          total={Math.max(event.window, event.seen.length)}
          onLight={onLight}
          faint
        />
      )}
      {event.hops.length > 0 && <Facts title="Kept" hops={event.hops} total={kept} onLight={onLight} />}
      {event.dropped.length > 0 && (
        <Facts title="Pruned" hops={event.dropped} total={left} onLight={onLight} faint />
      )}
      {event.alternatives.length > 0 && (
        <div className="step-part wide">
          <dt>
            Could do <span className="tabular">{integer(event.alternatives.length)}</span>
          </dt>
          <dd>
            <Alternatives
              label={`What step ${event.step} could have been`}
              actions={event.alternatives}
              taken={event.chosen}
              onChoose={
                act &&
                ((action) => {
                  act.choose(at, action);
                })
              }
            />
          </dd>
        </div>
      )}
      {act && (
        <Button size="small" icon="undo" onPress={() => act.back(at)}>
          {at ? `Take back to step ${at}` : "Take back to the beginning"}
        </Button>
      )}
    </dl>
  );
}
