// Judging one item: which path is in focus, and what was said of each. Pure; the page sends it.
import type { Item, Judgement, Kind } from "@/api/review";

export interface Desk {
  item: Item;
  verdicts: ReadonlyMap<number, Kind>;
  /** Place of the candidate in focus. */
  focus: number;
  broken: boolean;
  comment: string;
}

export const KINDS: readonly { kind: Kind; key: string; label: string }[] = [
  { kind: "rational", key: "1", label: "Rational" },
  { kind: "not-rational", key: "2", label: "Not rational" },
  { kind: "unsure", key: "3", label: "Unsure" },
];

/** An item on the desk, with what its analyst said of it before. */
export function openDesk(item: Item): Desk {
  const said = item.mine?.verdicts ?? [];
  const verdicts = new Map<number, Kind>();
  for (const one of said) {
    if (one.candidate !== null && one.kind !== "broken") verdicts.set(one.candidate, one.kind);
  }
  return {
    item,
    verdicts,
    focus: 0,
    broken: said.some((one) => one.kind === "broken"),
    comment: item.mine?.comment ?? "",
  };
}

export function moveFocus(desk: Desk, by: 1 | -1): Desk {
  const last = desk.item.candidates.length - 1;
  return { ...desk, focus: Math.max(0, Math.min(last, desk.focus + by)) };
}

/** Say something of a candidate, and go on to the next one that nothing was said of. */
export function judge(desk: Desk, kind: Kind, at: number = desk.focus): Desk {
  const { candidates } = desk.item;
  const candidate = candidates[at];
  if (!candidate) return desk;
  const verdicts = new Map(desk.verdicts).set(candidate.id, kind);
  const open = candidates
    .map((one, place) => (verdicts.has(one.id) ? -1 : place))
    .filter((place) => place >= 0);
  const following = open.find((place) => place > at) ?? open[0] ?? at;
  return { ...desk, verdicts, focus: following, broken: false };
}

/** How many candidates still need a verdict; none when the question is broken. */
export function missing(desk: Desk): number {
  return desk.broken ? 0 : desk.item.candidates.length - desk.verdicts.size;
}

/** What is sent, or null while something is missing. `id` is made once for each submission. */
export function judgementOf(desk: Desk, id: string): Judgement | null {
  if (missing(desk) > 0) return null;
  return {
    id,
    version: desk.item.version,
    shown: desk.item.shown,
    verdicts: desk.broken ? [] : [...desk.verdicts].map(([candidate, kind]) => ({ candidate, kind })),
    broken: desk.broken,
    comment: desk.comment.trim(),
  };
}

export type Act =
  | { type: "judge"; kind: Kind }
  | { type: "move"; by: 1 | -1 }
  | { type: "broken" }
  | { type: "submit" }
  | { type: "undo" };

interface Press {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
}

/** What a key does on the page of an item. */
export function actOf({ key, ctrlKey, metaKey, altKey }: Press): Act | null {
  if (altKey) return null;
  if (ctrlKey || metaKey) return key.toLowerCase() === "z" ? { type: "undo" } : null;
  const kind = KINDS.find((one) => one.key === key)?.kind;
  if (kind) return { type: "judge", kind };
  switch (key) {
    case "j":
    case "ArrowDown":
      return { type: "move", by: 1 };
    case "k":
    case "ArrowUp":
      return { type: "move", by: -1 };
    case "b":
      return { type: "broken" };
    case "Enter":
      return { type: "submit" };
    default:
      return null;
  }
}
