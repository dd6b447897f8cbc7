// What one step of an agent did, or why the router chose: the part of a step that folds open.
import { useState } from "react";
import type { AgentStep, Hop, Node, RouterDecided, SimilarityExpanded } from "@/api/events";
import { actionLine } from "@/view/agentActions";
import { count, integer, score } from "@/view/format";
import { jumpsAfter, type AgentWalk } from "@/view/agentWalk";
import { factOfHop, jumpKey } from "@/view/runEntities";
import type { RunView } from "@/view/runView";
import { nameOf } from "@/view/entityNames";

const FACTS_FIRST = 6;
const NAMES = 8;
/** A step that asks for what the question describes: it looks at no facts. */
const ASK = "ask";

/** Facts and jumps to light in the drawing; null puts them out. */
export type OnLight = (keys: readonly string[] | null) => void;

function Fact({ hop, onLight }: { hop: Hop; onLight: OnLight }) {
  const fact = factOfHop(hop);
  const light = () => {
    onLight([fact.key]);
  };
  return (
    // eslint-disable-next-line jsx-a11y-x/no-noninteractive-tabindex -- its fact is lit in the drawing by keyboard too
    <li tabIndex={0} onMouseEnter={light} onFocus={light} onBlur={() => onLight(null)}>
      <bdi>{nameOf(fact.head)}</bdi>{" "}
      <span className="rel" title={fact.relation}>
        → <bdi>{fact.label}</bdi>
      </span>{" "}
      <bdi>{nameOf(fact.tail)}</bdi>
      {!fact.verified && <span className="badge bad dotted">not in graph</span>}
    </li>
  );
}

export function Facts({
  title,
  hops,
  total = hops.length,
  onLight,
  faint,
}: {
  title: string;
  hops: readonly Hop[];
  /** How many there are; more than `hops` when only some were sent. */
  total?: number;
  onLight: OnLight;
  faint?: boolean;
}) {
  const [all, setAll] = useState(false);
  const shown = all ? hops : hops.slice(0, faint ? 3 : FACTS_FIRST);
  return (
    <div className="step-part">
      <dt>
        {title} <span className="tabular">{integer(total)}</span>
      </dt>
      <dd>
        <ul className={`step-facts ${faint ? "faint" : ""}`} onMouseLeave={() => onLight(null)}>
          {shown.map((hop, index) => (
            <Fact key={index} hop={hop} onLight={onLight} />
          ))}
        </ul>
        {shown.length < hops.length && (
          <button type="button" className="link small" onClick={() => setAll(true)}>
            {count(hops.length - shown.length, "more fact")}
          </button>
        )}
        {total > hops.length && (
          <p className="muted">
            listed {integer(hops.length)} of {integer(total)}
          </p>
        )}
      </dd>
    </div>
  );
}

function Jumps({ jumps, onLight }: { jumps: readonly SimilarityExpanded[]; onLight: OnLight }) {
  return (
    <div className="step-part">
      <dt>
        Similarity jumps <span className="tabular">{integer(jumps.length)}</span>
      </dt>
      <dd>
        <ul className="step-facts" onMouseLeave={() => onLight(null)}>
          {jumps.map((jump) => {
            const light = () => {
              onLight([jumpKey(jump)]);
            };
            return (
              <li
                key={jumpKey(jump)}
                // eslint-disable-next-line jsx-a11y-x/no-noninteractive-tabindex -- the same
                tabIndex={0}
                onMouseEnter={light}
                onFocus={light}
                onBlur={() => onLight(null)}
              >
                <bdi>{nameOf(jump.source)}</bdi>{" "}
                <span className="rel dashed">similar {score(jump.score)}</span>{" "}
                <bdi>{nameOf(jump.target)}</bdi>
              </li>
            );
          })}
        </ul>
      </dd>
    </div>
  );
}

function names(nodes: readonly Node[]): string {
  const rest = nodes.length - NAMES;
  const shown = nodes.slice(0, NAMES).map((node) => nameOf(node) || "(no name)");
  return shown.join(", ") + (rest > 0 ? ` and ${integer(rest)} more` : "");
}

/** Whether the agent went on after this step, and why, as far as it says so. */
export function decision({ event }: AgentWalk, last: boolean): string | null {
  if (event.sufficient === true) return "Enough to answer, so the search stops";
  if (event.sufficient === false)
    return last ? "Not enough yet, but the search ends here" : "Not enough yet, so the search goes on";
  return null;
}

/** "Keep → directed by · window 12 · focus 4": a step of an agent that can be steered, on its folded line. */
function walkLine(event: AgentStep): string {
  return [
    ...(event.chosen ? [actionLine(event.chosen)] : []),
    ...(event.valid ? [] : ["not possible"]),
    `window ${integer(event.window)}`,
    `focus ${integer(event.focus)}`,
    ...(event.by === "person" ? ["chosen by a person"] : []),
  ].join(" · ");
}

/** "3 selected, 12 left, 1 jump": an agent's step on its folded line. */
export function agentLine(walk: AgentWalk, view: RunView): string {
  const { event } = walk;
  if (event.chosen) return walkLine(event);
  if (event.action === ASK) return event.observation;
  const jumps = jumpsAfter(view, event.step).length;
  return [
    event.observation || event.action,
    `${integer(event.hops.length)} selected`,
    ...(event.dropped.length ? [`${integer(event.dropped.length)} left`] : []),
    ...(jumps ? [count(jumps, "jump")] : []),
  ].join(" · ");
}

function AskedDetail({ event }: { event: AgentStep }) {
  return (
    <dl className="step-open small">
      <div className="step-part">
        <dt>Finds</dt>
        <dd>{event.observation}</dd>
      </div>
      <div className="step-part">
        <dt>Asks</dt>
        <dd className="step-thought">{event.thought}</dd>
      </div>
    </dl>
  );
}

export function AgentDetail({ walk, view, onLight }: { walk: AgentWalk; view: RunView; onLight: OnLight }) {
  const { event } = walk;
  if (event.action === ASK) return <AskedDetail event={event} />;
  const jumps = jumpsAfter(view, event.step);
  const stop = decision(walk, walk === view.agent.at(-1));
  return (
    <dl className="step-open small">
      {event.current.length > 0 && (
        <div className="step-part">
          <dt>Stands at</dt>
          <dd>{names(event.current)}</dd>
        </div>
      )}
      <div className="step-part">
        <dt>Looks at</dt>
        <dd>
          {event.observation || count(event.window, "fact")}
          <span className="muted tabular"> · holds {integer(event.focus)} by now</span>
        </dd>
      </div>
      {event.hops.length > 0 && <Facts title="Selected" hops={event.hops} onLight={onLight} />}
      {event.dropped.length > 0 && <Facts title="Left" hops={event.dropped} onLight={onLight} faint />}
      {jumps.length > 0 && <Jumps jumps={jumps} onLight={onLight} />}
      {(stop ?? event.thought) && (
        <div className="step-part">
          <dt>Decides</dt>
          <dd>
            {stop && <strong>{stop}</strong>}
            {stop && event.thought && ": "}
            <span className="step-thought">{event.thought}</span>
          </dd>
        </div>
      )}
    </dl>
  );
}

export function RouterDetail({ router }: { router: RouterDecided }) {
  const chosen = ([name]: [string, number]) => (name === router.method ? 1 : 0);
  const scores = Object.entries(router.scores).sort((a, b) => chosen(b) - chosen(a) || b[1] - a[1]);
  return (
    <dl className="step-open small">
      {scores.map(([name, value]) => (
        <div key={name} className="step-part">
          <dt className={name === router.method ? "strong" : ""}>{name.replaceAll("_", " ")}</dt>
          <dd className="tabular">
            {Number.isInteger(value) ? value : score(value)}
            {name === router.method && <span className="muted"> chosen</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}
