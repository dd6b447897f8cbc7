// Which labels are drawn and how much of each, so that none lies over another. Pure; boxes are in pixels.

export interface Box {
  x1: number;
  y1: number;
  x2: number;
  y2: number;
}

/** Boxes, found by where they are. */
export class Boxes {
  private readonly cells = new Map<string, Box[]>();
  private static readonly CELL = 96;

  private *keys({ x1, y1, x2, y2 }: Box): Generator<string> {
    const cell = Boxes.CELL;
    for (let x = Math.floor(x1 / cell); x <= Math.floor(x2 / cell); x += 1) {
      for (let y = Math.floor(y1 / cell); y <= Math.floor(y2 / cell); y += 1) yield `${x} ${y}`;
    }
  }

  add(box: Box): void {
    for (const key of this.keys(box)) {
      const inside = this.cells.get(key);
      if (inside) inside.push(box);
      else this.cells.set(key, [box]);
    }
  }

  /** Whether a box lies over another than `but`. */
  covers(box: Box, but?: Box): boolean {
    for (const key of this.keys(box)) {
      if (this.cells.get(key)?.some((other) => other !== but && overlap(box, other))) return true;
    }
    return false;
  }
}

const overlap = (one: Box, other: Box): boolean =>
  one.x1 < other.x2 && other.x1 < one.x2 && one.y1 < other.y2 && other.y1 < one.y2;

export interface Name {
  id: string;
  /** What there is to write, and the box that a part of it takes. */
  text: string;
  box: (text: string) => Box;
  /** It is named whatever stands beside it: it gets its first letters before others get more. */
  must: boolean;
}

/** Letters that a name has at least where it is cut. */
export const FIRST_LETTERS = 4;

function beginning(text: string, letters: number): string {
  const all = Array.from(text);
  return all.length <= letters + 1 ? text : `${all.slice(0, letters).join("").trimEnd()}…`;
}

/**
 * What is written of each name: all of it where there is room, else its beginning; none, where even that lies over another.
 *
 * @param names those that matter most first
 * @param bodies what no name that is more than its first letters may cover
 * @param within what no name may go beyond
 */
export function fitNames(
  names: readonly Name[],
  bodies: Boxes,
  within: Box | null = null,
): Map<string, { text: string; box: Box }> {
  const taken = new Boxes();
  const written = new Map<string, { text: string; box: Box }>();
  const least = new Map<string, Box>();
  for (const { id, text, box, must } of names) {
    const short = box(beginning(text, FIRST_LETTERS));
    if (!must || taken.covers(short)) continue;
    taken.add(short);
    least.set(id, short);
  }
  for (const { id, text, box } of names) {
    const own = least.get(id);
    const length = Array.from(text).length;
    const fits = (letters: number): Box | null => {
      const wanted = box(beginning(text, letters));
      const inside = !within || (wanted.x1 >= within.x1 && wanted.x2 <= within.x2);
      return !inside || taken.covers(wanted, own) || bodies.covers(wanted) ? null : wanted;
    };
    // The most letters that have room; with the first of them alone where there is no more.
    let [some, none] = [0, length];
    let found = fits(length);
    if (found) some = length;
    while (!found || none - some > 1) {
      const middle = Math.floor((some + none) / 2);
      if (some === length || middle < FIRST_LETTERS || middle <= some) break;
      const wanted = fits(middle);
      if (wanted) [some, found] = [middle, wanted];
      else none = middle;
    }
    const shown = found ?? own;
    if (!shown) continue;
    taken.add(shown);
    written.set(id, { text: beginning(text, found ? some : FIRST_LETTERS), box: shown });
  }
  return written;
}

export interface Line {
  id: string;
  box: () => Box;
  /** Fans of edges that one label names: once one of a fan is drawn, the others are not. */
  fans: readonly string[];
}

/** Ids of the lines that are named, each fan once: those that matter most first, none over what is taken. */
export function fitLines(lines: readonly Line[], taken: Boxes): Set<string> {
  const named = new Set<string>();
  const kept = new Set<string>();
  for (const { id, box, fans } of lines) {
    if (fans.some((fan) => named.has(fan))) continue;
    const wanted = box();
    if (taken.covers(wanted)) continue;
    taken.add(wanted);
    kept.add(id);
    for (const fan of fans) named.add(fan);
  }
  return kept;
}

/** Both fans that an edge is in: those of its relation that leave its source, and those that come to its target. */
export function fansOf({ source, target, relation }: { source: number; target: number; relation: string }) {
  return [`${source} ${relation} →`, `→ ${relation} ${target}`];
}
