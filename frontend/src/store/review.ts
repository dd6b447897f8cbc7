// Judging one item: which path is in focus, and what was said of each. Pure; the page sends it.
import type { Item, Judgement, Kind, Reason, SaidOf } from "@/api/review";

/** What is said of one path. */
export interface Word {
  kind: Kind;
  reasons: readonly Reason[];
  comment: string;
}

/** What one analyst says of an item. */
export interface Opinion {
  words: ReadonlyMap<number, Word>;
  broken: boolean;
  /** Why it is broken. */
  reasons: readonly Reason[];
  comment: string;
}

export interface Desk {
  item: Item;
  opinion: Opinion;
  /** Place of the candidate in focus. */
  focus: number;
  /** Place of the candidate that was judged last: reasons and comments are about it. */
  last: number | null;
  past: readonly Opinion[];
  future: readonly Opinion[];
}

export const KINDS: readonly { kind: Kind; label: string }[] = [
  { kind: "rational", label: "Rational" },
  { kind: "not-rational", label: "Not rational" },
  { kind: "unsure", label: "Unsure" },
];

export const REASONS: readonly { reason: Reason; label: string; about: string }[] = [
  { reason: "coincidence", label: "coincidence", about: "reaches the answers by coincidence" },
  { reason: "wrong-relation", label: "wrong relation", about: "another relation is meant" },
  { reason: "too-wide", label: "too wide", about: "reaches too much" },
  { reason: "too-narrow", label: "too narrow", about: "misses answers" },
  { reason: "detour", label: "detour", about: "goes a needless way round" },
  { reason: "wrong-topic", label: "wrong topic", about: "starts at the wrong entity" },
  { reason: "wrong-answer", label: "wrong answer", about: "the known answers are wrong" },
  { reason: "unclear", label: "unclear", about: "the question is not clear" },
];

const NOTHING: Opinion = { words: new Map(), broken: false, reasons: [], comment: "" };

/** An opinion as it came from the server. */
export function opinionOf(said: { comment: string; verdicts: readonly SaidOf[] } | null): Opinion {
  if (!said) return NOTHING;
  const words = new Map<number, Word>();
  for (const { candidate, kind, reasons, comment } of said.verdicts) {
    if (candidate !== null && kind !== "broken") words.set(candidate, { kind, reasons, comment });
  }
  const broken = said.verdicts.find((one) => one.kind === "broken");
  return { words, broken: broken !== undefined, reasons: broken?.reasons ?? [], comment: said.comment };
}

/** An item on the desk, with what its analyst said of it before, or had begun to say. */
export function openDesk(item: Item, opinion: Opinion = opinionOf(item.mine)): Desk {
  const open = item.candidates.findIndex((one) => !opinion.words.has(one.id));
  return { item, opinion, focus: Math.max(0, open), last: null, past: [], future: [] };
}

export function moveFocus(desk: Desk, by: number): Desk {
  const last = desk.item.candidates.length - 1;
  return { ...desk, focus: Math.max(0, Math.min(last, desk.focus + by)) };
}

/** Say something else, so that it can be taken back. */
function say(desk: Desk, opinion: Opinion): Desk {
  return { ...desk, opinion, past: [...desk.past, desk.opinion], future: [] };
}

/** Say something of a candidate, and go on to the next one that nothing was said of. */
export function judge(desk: Desk, kind: Kind, at: number = desk.focus): Desk {
  const { candidates } = desk.item;
  const candidate = candidates[at];
  if (!candidate) return desk;
  const before = desk.opinion.words.get(candidate.id);
  const word = { kind, reasons: before?.kind === kind ? before.reasons : [], comment: before?.comment ?? "" };
  const words = new Map(desk.opinion.words).set(candidate.id, word);
  const open = candidates.flatMap((one, place) => (words.has(one.id) ? [] : [place]));
  const following = open.find((place) => place > at) ?? open[0] ?? at;
  return {
    ...say(desk, { ...desk.opinion, words, broken: false, reasons: [] }),
    focus: following,
    last: at,
  };
}

/** Say the same of every candidate that nothing was said of. */
export function judgeRest(desk: Desk, kind: Kind): Desk {
  const words = new Map(desk.opinion.words);
  for (const { id } of desk.item.candidates) {
    if (!words.has(id)) words.set(id, { kind, reasons: [], comment: "" });
  }
  if (words.size === desk.opinion.words.size) return desk;
  return say(desk, { ...desk.opinion, words, broken: false, reasons: [] });
}

export function setBroken(desk: Desk, broken: boolean): Desk {
  return say(desk, { ...desk.opinion, broken, reasons: [] });
}

/** Where reasons and a comment go: the path in focus when it is judged, else the one judged last; null, the question. */
export function aboutWhich(desk: Desk): number | null {
  if (desk.opinion.broken) return null;
  const places = [desk.focus, ...(desk.last === null ? [] : [desk.last])];
  const place = places.find((at) => desk.opinion.words.has(desk.item.candidates[at]?.id ?? -1));
  return place === undefined ? null : (desk.item.candidates[place]?.id ?? null);
}

/** Add a reason, or take it away; `candidate` null: of calling the question broken. */
export function toggleReason(desk: Desk, reason: Reason, candidate: number | null): Desk {
  const flip = (list: readonly Reason[]) =>
    list.includes(reason) ? list.filter((one) => one !== reason) : [...list, reason];
  if (candidate === null) return say(desk, { ...desk.opinion, reasons: flip(desk.opinion.reasons) });
  const word = desk.opinion.words.get(candidate);
  if (!word) return desk;
  const words = new Map(desk.opinion.words).set(candidate, { ...word, reasons: flip(word.reasons) });
  return say(desk, { ...desk.opinion, words });
}

/** Typing is no step of its own: fields have their own way back. */
export function setComment(desk: Desk, comment: string, candidate: number | null): Desk {
  if (candidate === null) return { ...desk, opinion: { ...desk.opinion, comment } };
  const word = desk.opinion.words.get(candidate);
  if (!word) return desk;
  const words = new Map(desk.opinion.words).set(candidate, { ...word, comment });
  return { ...desk, opinion: { ...desk.opinion, words } };
}

/** One step back, or null when there is none on this item. */
export function stepBack(desk: Desk): Desk | null {
  const before = desk.past.at(-1);
  if (!before) return null;
  const past = desk.past.slice(0, -1);
  const back = { ...desk, opinion: before, past, future: [desk.opinion, ...desk.future], last: null };
  return { ...back, ...changedPlace(desk, before) };
}

export function stepOn(desk: Desk): Desk | null {
  const [after, ...future] = desk.future;
  if (!after) return null;
  const on = { ...desk, opinion: after, past: [...desk.past, desk.opinion], future };
  return { ...on, ...changedPlace(desk, after) };
}

/** The focus goes to where the two opinions differ. */
function changedPlace(desk: Desk, other: Opinion): { focus?: number } {
  const place = desk.item.candidates.findIndex(
    ({ id }) => desk.opinion.words.get(id) !== other.words.get(id),
  );
  return place < 0 ? {} : { focus: place };
}

/** The item as it is by now, with what was said of the paths it still has. */
export function withItem(desk: Desk, item: Item): Desk {
  const ids = new Set(item.candidates.map((one) => one.id));
  const words = new Map([...desk.opinion.words].filter(([id]) => ids.has(id)));
  const focus = Math.max(0, Math.min(desk.focus, item.candidates.length - 1));
  return { ...desk, item, opinion: { ...desk.opinion, words }, focus };
}

/** How many candidates still need a verdict; none when the question is broken. */
export function missing({ item, opinion }: Pick<Desk, "item" | "opinion">): number {
  return opinion.broken ? 0 : item.candidates.filter((one) => !opinion.words.has(one.id)).length;
}

/** What is sent, or null while something is missing. `id` is made once for each submission. */
export function judgementOf({ item, opinion }: Pick<Desk, "item" | "opinion">, id: string): Judgement | null {
  if (missing({ item, opinion }) > 0) return null;
  const { broken, words } = opinion;
  return {
    id,
    version: item.version,
    shown: item.shown,
    verdicts: broken
      ? []
      : item.candidates.flatMap((one) => {
          const word = words.get(one.id);
          return word ? [{ candidate: one.id, ...word, comment: word.comment.trim() }] : [];
        }),
    broken,
    reasons: broken ? opinion.reasons : [],
    comment: opinion.comment.trim(),
  };
}
