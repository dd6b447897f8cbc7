// Several runs of one question laid over each other: one view for the drawing, which run walked which
// fact, and the answers of all runs in rows.
import type { Answer } from "@/api/events";
import { emptyView, type Phase, type RunView } from "./runView";

/** At most this many runs stay readable in one drawing. */
export const COMPARED_MAX = 4;

function phaseOf(views: readonly RunView[]): Phase {
  const phases = views.map((view) => view.phase);
  for (const phase of ["running", "queued", "paused"] as const) if (phases.includes(phase)) return phase;
  return phases[0] ?? "queued";
}

/** The facts of `view` that its paths or its chains walk. */
function walked(view: RunView): Set<string> {
  return new Set([
    ...view.paths.flatMap((path) => path.facts),
    ...view.chainFacts.flat(),
    ...view.agentFacts,
  ]);
}

export interface Overlay {
  view: RunView;
  /** Places of the runs that walked each fact, ascending. */
  walkedBy: ReadonlyMap<string, readonly number[]>;
  /** Where the chains of each run begin in `view.chains`. */
  chainStarts: readonly number[];
}

/** The runs of one question as one view. A place whose run is null is toggled off, or not there yet. */
export function overlay(views: readonly (RunView | null)[]): Overlay {
  const shown = views.filter((view) => view !== null);
  const walkedBy = new Map<string, number[]>();
  const chainStarts: number[] = [];
  let chains = 0;
  views.forEach((view, place) => {
    chainStarts.push(chains);
    if (!view) return;
    chains += view.chains.length;
    for (const fact of walked(view)) walkedBy.set(fact, [...(walkedBy.get(fact) ?? []), place]);
  });
  const facts = new Map(shown.flatMap((view) => [...view.facts]));
  for (const view of shown) {
    // Verified once is verified: every run reads the same snapshot.
    for (const [key, fact] of view.facts) if (fact.verified) facts.set(key, fact);
  }
  const view: RunView = {
    ...emptyView(shown[0]?.run ?? ""),
    started: shown.find((one) => one.started)?.started ?? null,
    phase: phaseOf(shown),
    linked: shown.flatMap((one) => one.linked),
    subgraph: shown.find((one) => one.subgraph)?.subgraph ?? null,
    nodes: new Map(shown.flatMap((one) => [...one.nodes])),
    facts,
    paths: shown.flatMap((one) => one.paths),
    agent: shown.flatMap((one) => one.agent),
    window: shown.flatMap((one) => one.window),
    agentFacts: shown.flatMap((one) => one.agentFacts),
    frontier: shown.flatMap((one) => one.frontier),
    jumps: shown.flatMap((one) => one.jumps),
    chains: shown.flatMap((one, index) => {
      const start = shown.slice(0, index).reduce((sum, before) => sum + before.chains.length, 0);
      return one.chains.map((chain) => ({
        ...chain,
        merged_with: chain.merged_with.map((other) => other + start),
      }));
    }),
    chainFacts: shown.flatMap((one) => one.chainFacts),
    answers: shown.flatMap((one) => one.answers),
  };
  return { view, walkedBy, chainStarts };
}

export interface AnswerRow {
  key: string;
  label: string;
  entity: number | null;
  /** The answer as each run gave it, by place; null where a run did not. */
  given: readonly (Answer | null)[];
}

const keyOf = (answer: Answer) => (answer.entity ? `e${answer.entity.id}` : `t${answer.label.toLowerCase()}`);

/** Answers of all runs, those most of them agree on first, then the more certain ones. */
export function answerRows(views: readonly (RunView | null)[]): AnswerRow[] {
  const rows = new Map<string, { row: AnswerRow; given: (Answer | null)[] }>();
  views.forEach((view, place) => {
    for (const answer of view?.answers ?? []) {
      const key = keyOf(answer);
      const given = rows.get(key)?.given ?? views.map(() => null);
      given[place] = answer;
      rows.set(key, {
        given,
        row: { key, label: answer.label, entity: answer.entity?.id ?? null, given },
      });
    }
  });
  const votes = (row: AnswerRow) => row.given.filter((answer) => answer !== null).length;
  const sure = (row: AnswerRow) => row.given.reduce((sum, answer) => sum + (answer?.score ?? 0), 0);
  return [...rows.values()]
    .map(({ row }) => row)
    .sort((a, b) => votes(b) - votes(a) || sure(b) - sure(a) || a.label.localeCompare(b.label));
}
