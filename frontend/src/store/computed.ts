// What is computed of two values, in words and in the unit of their columns: products, shares, differences, days.
import type { ProgramExecuted, ProgramStep } from "@/api/events";
import { integer, valueText } from "./format";
import { doing, phraseOf, said, those } from "./phrases";
import { inUnit, isMoney, measure, startUpper } from "./words";

/** A value with whose it is: "the unit price (gbp) of Rotor blade" is 1,250. */
interface Quantity {
  noun: string;
  unit: string;
  of: string;
  value: string;
}

const at = (program: ProgramExecuted, path: readonly string[]) =>
  program.steps.find((step) => step.path.join(".") === path.join("."));

function quantity(step: ProgramStep | undefined): Quantity | null {
  const [, head, of] = /^the (.+?) of (.+)$/.exec(step?.text ?? "") ?? [];
  return step?.value && head && of ? { ...measure(head), of, value: step.value } : null;
}

const shown = ({ value, unit }: Quantity) => inUnit(value, unit);
const number = (text: string) => Number.parseFloat(text.replace(/[^\d.-]/g, ""));

/** In what the two sides of a calculation come out, told by the columns that they are of; empty where that is not sure. */
function unitOfTwo(text: string, left: Quantity | null, right: Quantity | null): string {
  const [one, other] = [left?.unit ?? "", right?.unit ?? ""];
  if (text.includes(" times ")) return isMoney(one) || !other ? one : isMoney(other) || !one ? other : "";
  if (text.includes(" divided by ")) return right ? "" : one;
  return text.startsWith("the difference of ") && one === other ? one : "";
}

/** What the value of a step is measured in, as the head of its column says it. */
export function unitOfStep(program: ProgramExecuted, step: ProgramStep): string {
  const [left, right] = ["left", "right"].map((side) => quantity(at(program, [...step.path, side])));
  const computed = unitOfTwo(step.text, left ?? null, right ?? null);
  if (computed) return computed;
  const folded = /^(?:average|sum|(?:largest|smallest|median)) of their (.+)$/.exec(step.text)?.[1];
  return folded ? measure(folded).unit : (quantity(step)?.unit ?? "");
}

/** The text of a step with its days as people write them. */
export const stepWords = (text: string) => text.replace(/\b\d{4}-\d\d-\d\d\b/g, valueText);

function product(text: string, result: string, left: Quantity | null, right: Quantity | null): string | null {
  const [, first = "", how = "", second = ""] = /^(.+) (times|divided by) (.+)$/.exec(text) ?? [];
  const [one, other] = left ? [left, right] : [right, null];
  if (!how || !one || (how !== "times" && !left)) return null;
  if (!other && how === "times")
    return `${left ? second : first} times the ${one.noun} of ${one.of}, ${shown(one)}, is ${result}.`;
  const by = other
    ? `${other.of === one.of ? `its ${other.noun}` : `the ${other.noun} of ${other.of}`}, ${shown(other)},`
    : second;
  return `The ${one.noun} of ${one.of}, ${shown(one)}, ${how} ${by} is ${result}.`;
}

function difference(result: string, left: Quantity | null, right: Quantity | null): string | null {
  if (!left || !right) return null;
  if (left.of === right.of)
    return `The ${left.noun} of ${left.of}, ${shown(left)}, less its ${right.noun}, ${shown(right)}, is ${result}.`;
  if (left.noun !== right.noun) return null;
  const [one, other] = [number(left.value), number(right.value)];
  if (one === other) return `The ${left.noun} of ${left.of} and of ${right.of} is ${shown(left)}.`;
  const more = `${result.replace(/^-/, "")} ${one > other ? "more" : "less"}`;
  return `The ${left.noun} of ${left.of} is ${more} than that of ${right.of}.`;
}

const below = (program: ProgramExecuted, side: string) =>
  program.steps.filter(({ path }) => path[0] === side && path.length > 1);

/** "4 of 8 visits have the outcome repaired: 50%." */
function share(program: ProgramExecuted, some: string, all: string, result: string): string {
  const [left, right] = [phraseOf(below(program, "left")), phraseOf(below(program, "right"))];
  const rest = (left?.clauses ?? []).filter(
    (one) => !right?.clauses.some((other) => other.after[0] === one.after[0]),
  );
  const [kept, whole] = [number(some), number(all)];
  const does = doing(rest, kept);
  if (!right || left?.noun !== right.noun || !does) return `${result}: ${some} of ${all}.`;
  return `${kept === 0 ? "None" : integer(kept)} of ${integer(whole)} ${said(right, whole)} ${does}: ${result}.`;
}

/** "237 days lie between the earliest and the latest date of 3 visits: 12 January 2024 and 5 September 2024." */
function days(program: ProgramExecuted, result: string, from: string, to: string): string {
  const [left, right] = [at(program, ["left"]), at(program, ["right"])];
  const lie = `${result} ${/^-?1 /.test(result) ? "lies" : "lie"} between`;
  const [start, end] = [valueText(from), valueText(to)];
  const [, one, key] = /^(earliest|latest|smallest|largest) of their (.+)$/.exec(left?.text ?? "") ?? [];
  const [, other, same] = /^(earliest|latest|smallest|largest) of their (.+)$/.exec(right?.text ?? "") ?? [];
  const [these, others] = [below(program, "left"), below(program, "right")];
  const phrase = phraseOf(these);
  const alike = these.map(({ text }) => text).join() === others.map(({ text }) => text).join();
  if (one && other && key === same && alike && phrase && !phrase.named)
    return `${lie} the ${one} and the ${other} ${key ?? ""} of ${those(these.at(-1)?.count ?? 0, phrase)}: ${start} and ${end}.`;
  const [first, last] = [quantity(left), quantity(right)];
  if (first && last) {
    const of = first.noun === last.noun ? "that" : `the ${last.noun}`;
    return `${lie} the ${first.noun} of ${first.of}, ${start}, and ${of} of ${last.of}, ${end}.`;
  }
  return `${lie} ${start} and ${end}.`;
}

/** What two values come to, in a sentence; null where the last step computes nothing of two. */
export function computedSentence(program: ProgramExecuted): string | null {
  const last = program.steps.at(-1);
  if (!last?.value) return null;
  const [, some, all] = /^(\d[\d,]*) of (\d[\d,]*), in percent$/.exec(last.text) ?? [];
  if (some && all) return share(program, some, all, last.value);
  const [, from, to] = /^the days between (.+) and (.+)$/.exec(last.text) ?? [];
  if (from && to) return days(program, last.value, from, to);
  // Years and months of two days are told to two digits.
  const [, start, end] = /^the difference of (\d{4}-\d\d-\d\d) and (\d{4}-\d\d-\d\d)$/.exec(last.text) ?? [];
  if (start && end) return days(program, last.value.replace(/(\.\d\d)\d+/, "$1"), start, end);
  const [left = null, right = null] = ["left", "right"].map((side) => quantity(at(program, [side])));
  const result = inUnit(last.value, unitOfStep(program, last));
  if (last.text.startsWith("the difference of "))
    return difference(result, left, right) ?? `${startUpper(last.text)} is ${result}.`;
  if (!/ (?:times|divided by) /.test(last.text)) return null;
  return product(last.text, result, left, right) ?? `${startUpper(last.text)} is ${result}.`;
}
