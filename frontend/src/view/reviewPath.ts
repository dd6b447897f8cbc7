// A path that is being edited, hop by hop, and where in a drawing its hops are. Pure.
import type { Hop } from "@/api/events";
import type { Candidate, Path } from "@/api/review";
import { factOfHop } from "./runEntities";

export interface PathDraft {
  topic: string;
  path: Path;
  /** The hop that is being chosen; `path.length` is one more at the end. */
  at: number;
  /** The candidate it began as, and null for a path that was missing. */
  from: number | null;
}

type Step = Path[number];

/** The place before the first hop: where the path starts. */
export const TOPIC = -1;

export function draftOf(candidate: Candidate, at: number = candidate.path.length - 1): PathDraft {
  return { topic: candidate.topic, path: candidate.path, at: Math.max(0, at), from: candidate.id };
}

export function newDraft(topic: string): PathDraft {
  return { topic, path: [], at: topic ? 0 : TOPIC, from: null };
}

export function selectHop(draft: PathDraft, at: number): PathDraft {
  return { ...draft, at: Math.max(TOPIC, Math.min(at, draft.topic ? draft.path.length : TOPIC)) };
}

/** Another relation for the hop that is being chosen; then on to the next one. */
export function putStep(draft: PathDraft, step: Step): PathDraft {
  const path = [...draft.path.slice(0, draft.at), step, ...draft.path.slice(draft.at + 1)];
  return { ...draft, path, at: draft.at + 1 };
}

/** Without the hop `at` and all after it. */
export function cutAt(draft: PathDraft, at: number): PathDraft {
  const left = Math.max(0, at);
  return { ...draft, path: draft.path.slice(0, left), at: left };
}

/** The same hops from another entity. */
export function restart(draft: PathDraft, topic: string): PathDraft {
  return { ...draft, topic, at: 0 };
}

/** The path before the hop that is being chosen: what can follow it is what can be chosen. */
export function prefixOf({ path, at }: PathDraft): Path {
  return path.slice(0, Math.max(0, at));
}

export function samePath(one: Path, other: Path): boolean {
  return (
    one.length === other.length &&
    one.every(([name, inverse], at) => other[at]?.[0] === name && other[at][1] === inverse)
  );
}

/** Which steps of the path each fact is (by its key), and which levels each entity is on (0: the topic). */
export interface Places {
  steps: ReadonlyMap<string, number>;
  levels: ReadonlyMap<number, number>;
}

/** Walk a drawing's hops from the topic along `path`. Where something is on several steps, the first counts. */
export function placesOf(hops: readonly Hop[], topic: string, path: Path): Places {
  const steps = new Map<string, number>();
  const levels = new Map<number, number>();
  let here = new Set<number>();
  for (const { source } of hops) if (source.label === topic) here.add(source.id);
  for (const id of here) levels.set(id, 0);
  path.forEach(([name, inverse], at) => {
    const there = new Set<number>();
    for (const hop of hops) {
      if (hop.step.name !== name || hop.step.inverse !== inverse || !here.has(hop.source.id)) continue;
      const { key } = factOfHop(hop);
      if (!steps.has(key)) steps.set(key, at);
      if (!levels.has(hop.target.id)) levels.set(hop.target.id, at + 1);
      there.add(hop.target.id);
    }
    here = there;
  });
  return { steps, levels };
}
