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

/** An item with what its analyst says of it, and where they are in it. */
export interface Annotation {
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

/** An item before its analyst, with what its analyst said of it before, or had begun to say. */
export function openAnnotation(item: Item, opinion: Opinion = opinionOf(item.mine)): Annotation {
  const open = item.candidates.findIndex((one) => !opinion.words.has(one.id));
  return { item, opinion, focus: Math.max(0, open), last: null, past: [], future: [] };
}

/** Whether paths can be measured by the answers: those that a doubted run gave besides are not checked. */
export function isAnswerKnown({
  answers,
  assumed,
  answered,
}: Pick<Item, "answers" | "assumed" | "answered">): boolean {
  return answers.length > 0 && (!assumed || answered !== null);
}

export function moveFocus(annotation: Annotation, by: number): Annotation {
  const last = annotation.item.candidates.length - 1;
  return { ...annotation, focus: Math.max(0, Math.min(last, annotation.focus + by)) };
}

/** Say something else, so that it can be taken back. */
function say(annotation: Annotation, opinion: Opinion): Annotation {
  return { ...annotation, opinion, past: [...annotation.past, annotation.opinion], future: [] };
}

/** Say something of a candidate, and go on to the next one that nothing was said of. */
export function judge(annotation: Annotation, kind: Kind, at: number = annotation.focus): Annotation {
  const { candidates } = annotation.item;
  const candidate = candidates[at];
  if (!candidate) return annotation;
  const before = annotation.opinion.words.get(candidate.id);
  const word = { kind, reasons: before?.kind === kind ? before.reasons : [], comment: before?.comment ?? "" };
  const words = new Map(annotation.opinion.words).set(candidate.id, word);
  const open = candidates.flatMap((one, place) => (words.has(one.id) ? [] : [place]));
  const following = open.find((place) => place > at) ?? open[0] ?? at;
  return {
    ...say(annotation, { ...annotation.opinion, words, broken: false, reasons: [] }),
    focus: following,
    last: at,
  };
}

/** Say the same of every candidate that nothing was said of. */
export function judgeRest(annotation: Annotation, kind: Kind): Annotation {
  const words = new Map(annotation.opinion.words);
  for (const { id } of annotation.item.candidates) {
    if (!words.has(id)) words.set(id, { kind, reasons: [], comment: "" });
  }
  if (words.size === annotation.opinion.words.size) return annotation;
  return say(annotation, { ...annotation.opinion, words, broken: false, reasons: [] });
}

export function setBroken(annotation: Annotation, broken: boolean): Annotation {
  return say(annotation, { ...annotation.opinion, broken, reasons: [] });
}

/** Where reasons and a comment go: the path in focus when it is judged, else the one judged last; null, the question. */
export function aboutWhich(annotation: Annotation): number | null {
  if (annotation.opinion.broken) return null;
  const places = [annotation.focus, ...(annotation.last === null ? [] : [annotation.last])];
  const place = places.find((at) => annotation.opinion.words.has(annotation.item.candidates[at]?.id ?? -1));
  return place === undefined ? null : (annotation.item.candidates[place]?.id ?? null);
}

/** Add a reason, or take it away; `candidate` null: of calling the question broken. */
export function toggleReason(annotation: Annotation, reason: Reason, candidate: number | null): Annotation {
  const flip = (list: readonly Reason[]) =>
    list.includes(reason) ? list.filter((one) => one !== reason) : [...list, reason];
  if (candidate === null)
    return say(annotation, { ...annotation.opinion, reasons: flip(annotation.opinion.reasons) });
  const word = annotation.opinion.words.get(candidate);
  if (!word) return annotation;
  const words = new Map(annotation.opinion.words).set(candidate, { ...word, reasons: flip(word.reasons) });
  return say(annotation, { ...annotation.opinion, words });
}

/** Typing is no step of its own: fields have their own way back. */
export function setComment(annotation: Annotation, comment: string, candidate: number | null): Annotation {
  if (candidate === null) return { ...annotation, opinion: { ...annotation.opinion, comment } };
  const word = annotation.opinion.words.get(candidate);
  if (!word) return annotation;
  const words = new Map(annotation.opinion.words).set(candidate, { ...word, comment });
  return { ...annotation, opinion: { ...annotation.opinion, words } };
}

/** Take another version of an opinion; undo brings the one before back. */
export function replaceOpinion(annotation: Annotation, opinion: Opinion): Annotation {
  return withItem(say(annotation, opinion), annotation.item);
}

/** One step back, or null when there is none on this item. */
export function stepBack(annotation: Annotation): Annotation | null {
  const before = annotation.past.at(-1);
  if (!before) return null;
  const past = annotation.past.slice(0, -1);
  const back = {
    ...annotation,
    opinion: before,
    past,
    future: [annotation.opinion, ...annotation.future],
    last: null,
  };
  return { ...back, ...changedPlace(annotation, before) };
}

export function stepOn(annotation: Annotation): Annotation | null {
  const [after, ...future] = annotation.future;
  if (!after) return null;
  const on = { ...annotation, opinion: after, past: [...annotation.past, annotation.opinion], future };
  return { ...on, ...changedPlace(annotation, after) };
}

/** The focus goes to where the two opinions differ. */
function changedPlace(annotation: Annotation, other: Opinion): { focus?: number } {
  const place = annotation.item.candidates.findIndex(
    ({ id }) => annotation.opinion.words.get(id) !== other.words.get(id),
  );
  return place < 0 ? {} : { focus: place };
}

/** The item as it is by now, with what was said of the paths it still has. */
export function withItem(annotation: Annotation, item: Item): Annotation {
  const ids = new Set(item.candidates.map((one) => one.id));
  const words = new Map([...annotation.opinion.words].filter(([id]) => ids.has(id)));
  const focus = Math.max(0, Math.min(annotation.focus, item.candidates.length - 1));
  return { ...annotation, item, opinion: { ...annotation.opinion, words }, focus };
}

/** How many candidates still need a verdict; none when the question is broken. */
export function missing({ item, opinion }: Pick<Annotation, "item" | "opinion">): number {
  return opinion.broken ? 0 : item.candidates.filter((one) => !opinion.words.has(one.id)).length;
}

/** What is sent, or null while something is missing. `id` is made once for each submission. */
export function judgementOf(
  { item, opinion }: Pick<Annotation, "item" | "opinion">,
  id: string,
): Judgement | null {
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
