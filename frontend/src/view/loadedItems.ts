// What one analyst has loaded of a queue: the item before them, and those that wait behind it, half judged. Pure.
import type { Annotation } from "./review";

export interface Loaded {
  current: Annotation | null;
  ahead: readonly Annotation[];
  /** The queue has nothing more for this analyst. */
  empty: boolean;
}

export const NOTHING_LOADED: Loaded = { current: null, ahead: [], empty: false };

/** What the server must not give again. */
export function holding({ current, ahead }: Loaded): number[] {
  return [...(current ? [current] : []), ...ahead].map((one) => one.item.id);
}

/** An item that the server gave, behind those that are there; null: it has no more. */
export function receive(loaded: Loaded, current: Annotation | null): Loaded {
  if (current === null) return { ...loaded, empty: true };
  if (holding(loaded).includes(current.item.id)) return loaded;
  return loaded.current ? { ...loaded, ahead: [...loaded.ahead, current] } : { ...loaded, current };
}

/** On to the next item. */
export function advance(loaded: Loaded): Loaded {
  const [current = null, ...ahead] = loaded.ahead;
  return { ...loaded, current, ahead };
}

/** Go to `current`; what was before the analyst waits, as they left it. */
export function putFirst(loaded: Loaded, current: Annotation): Loaded {
  const others = [...(loaded.current ? [loaded.current] : []), ...loaded.ahead];
  return { ...loaded, current, ahead: others.filter((one) => one.item.id !== current.item.id) };
}

/** Change an item, wherever it is. */
export function revise(loaded: Loaded, item: number, change: (annotation: Annotation) => Annotation): Loaded {
  const revised = (one: Annotation) => (one.item.id === item ? change(one) : one);
  return { ...loaded, current: loaded.current && revised(loaded.current), ahead: loaded.ahead.map(revised) };
}

/** Take an item away, wherever it is. */
export function drop(loaded: Loaded, item: number): Loaded {
  const left = loaded.current?.item.id === item ? advance(loaded) : loaded;
  return { ...left, ahead: left.ahead.filter((one) => one.item.id !== item) };
}
