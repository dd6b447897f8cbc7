// Topic entities that a person pinned. Each stands for words of the question and goes when they go, so that a question
// is never asked about what it no longer names.
import type { LinkedEntity } from "@/api/events";
import { nameOf, type Named } from "./entityNames";

export interface Pin {
  id: number;
  label: string;
  /** The words of the question that stand for it; "" when it was pinned beside a question that does not name it. */
  text: string;
}

/** Scripts with spaces between words: there "Peru" does not stand in "Peruvian". */
const LETTER = String.raw`[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{N}]`;

/** Whether `words` stand in `question`, whatever their capitals and spaces. */
export function names(question: string, words: string): boolean {
  const pattern = words
    .trim()
    .split(/\s+/)
    .map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`))
    .join(String.raw`\s+`);
  return pattern !== "" && new RegExp(`(?<!${LETTER})${pattern}(?!${LETTER})`, "iu").test(question);
}

/** A pin for an entity, tied to its name where the question has it. */
export function pinOf(entity: Named & { id: number }, question: string, words = nameOf(entity)): Pin {
  return { id: entity.id, label: nameOf(entity), text: names(question, words) ? words : "" };
}

export function withPin(pins: readonly Pin[] | null, pin: Pin): readonly Pin[] {
  const others = pins ?? [];
  return others.some((one) => one.id === pin.id) ? others : [...others, pin];
}

/** How many characters one change took away. */
function removed(before: string, after: string): number {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < most - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  return before.length - start - end;
}

/** Emptied, or half of it written over at once: another question, and not the same one in better words. */
function isAnother(before: string, after: string): boolean {
  if (!before.trim()) return false;
  const gone = removed(before, after);
  return !after.trim() || (gone > 3 && 2 * gone >= before.length);
}

/** The pins that stay when the question `before` becomes `after`; null, which lets Clew find topics, when none do. */
export function pinsAfter(pins: readonly Pin[] | null, before: string, after: string): readonly Pin[] | null {
  if (!pins?.length) return pins;
  const another = isAnother(before, after);
  const kept = pins.filter(({ text }) => (text ? names(after, text) : !another));
  if (kept.length === pins.length) return pins;
  return kept.length ? kept : null;
}

/** What a run was asked about by name, for asking it again. */
export function pinsOfRun(linked: readonly LinkedEntity[], question: string): readonly Pin[] | null {
  const given = linked.filter((one) => one.source === "given");
  return given.length ? given.map(({ entity }) => pinOf(entity, question)) : null;
}

/** Of what Clew found for the question `asked`, what still stands in it as it is written now. */
export function linkedIn(
  linked: readonly LinkedEntity[],
  question: string,
  asked: string | undefined,
): readonly LinkedEntity[] {
  const same = question.trim() === asked;
  return linked.filter((one) => one.source !== "given" && (same || names(question, one.mention)));
}
