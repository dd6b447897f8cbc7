// Relation paths in a sentence: "The capital of Germany is Berlin.", "Jaws is directed by Steven Spielberg."
import type { EvidenceChain } from "@/api/events";
import { integer, valueText } from "./format";
import { truth } from "./clauses";
import type { RunView } from "./runView";
import { VERBS, be, calm, inUnit, listed, many, measure, plural } from "./words";

const PREPOSITIONS =
  /\b(by|in|of|at|on|for|from|to|with|near|within|under|after|as|through|into|over|along|against|about)$/;
/** Of which a thing has one, so that what has it is said: "Berlin is the capital of Germany". */
const ONLY =
  /^(capital|author|director|composer|founder|head|leader|president|mayor|captain|owner|manager|chief \w+)$/;

const isPrepositional = (label: string) => PREPOSITIONS.test(label) && label.includes(" ");
/** "works at", "owns"; no plural noun. */
const isVerb = (label: string) =>
  VERBS.has(label) ||
  (isPrepositional(label) && /^[a-z]+[^su]s /.test(label) && !/^(is|was|has) /.test(label));
const nounOf = (label: string) => label.replace(/^(has|is|was|in) (?=.)/, "");

/** "is directed by", "was born in", "died in", "is part of"; of several "are directed by". */
function stated(label: string, several: boolean): string {
  if (isVerb(label)) return several ? many(label) : label;
  const [, verb, rest] = /^(is|was|has) (.+)$/.exec(label) ?? [];
  const aux = { is: "are", was: "were", has: "have" } as const;
  if (verb && rest) return several ? `${aux[verb as keyof typeof aux]} ${rest}` : label;
  return be(label, several);
}

/** "The capital of Germany is Berlin.", "Jaws is directed by Steven Spielberg.", "Pip lives in Ice Hall." */
export function relationSentence(
  named: string,
  source: string,
  names: readonly string[],
  total: number,
): string {
  const { noun: measured, unit } = measure(named);
  const label = calm(named);
  const list = listed(names.map((name) => inUnit(name, unit)));
  const isSeveral = / and \d+ others$/.test(source);
  if (label === "borders") return `${source} borders ${list}.`;
  if (isPrepositional(label) || VERBS.has(label)) return `${source} ${stated(label, isSeveral)} ${list}.`;
  const [only = ""] = names;
  if (total === 1 && /^(yes|no|true|false)$/i.test(only)) {
    const does = truth(label, /^(yes|true)$/i.test(only)).does;
    return does ? `${source} ${does[isSeveral ? 0 : 1]}.` : `${source}: ${label} ${only.toLowerCase()}.`;
  }
  const noun = nounOf(measured);
  // "first published" is no noun.
  if (/[^e]ed$/.test(noun)) return `${source}: ${noun} ${list}.`;
  return total > 1
    ? `${source} ${isSeveral ? "have" : "has"} ${integer(total)} ${plural(noun)}: ${list}.`
    : `The ${noun} of ${source} ${/[^s]s$/.test(noun) && !/(us|is|headquarters|species|series)$/.test(noun) ? "are" : "is"} ${list}.`;
}

/** The same against the relation: "Ann and Bo work at Acme.", "Berlin is the capital of Germany." */
function inverseSentence(named: string, source: string, names: readonly string[]): string {
  const label = calm(named);
  const list = listed(names);
  if (label === "borders") return `${source} borders ${list}.`;
  if (isPrepositional(label) || VERBS.has(label))
    return `${list} ${stated(label, names.length > 1)} ${source}.`;
  const noun = nounOf(label);
  return ONLY.test(noun) && names.length === 1
    ? `${source} is the ${noun} of ${list}.`
    : `${list}: ${calm(noun)} ${source}.`;
}

/** A way over single things, fact by fact: "Acme is based in Basel, and the country of Basel is Switzerland." */
export function walkSentence(
  { source, steps, levels, level_counts }: EvidenceChain,
  names: readonly string[],
) {
  if (
    steps.length < 2 ||
    steps.length > 3 ||
    levels.length !== steps.length ||
    level_counts.slice(0, -1).some((number) => number !== 1)
  )
    return null;
  const said: string[] = [];
  let from = source.label;
  for (const [index, { label, inverse }] of steps.entries()) {
    const next = index === steps.length - 1 ? names : [levels[index]?.[0]?.label ?? ""];
    if (next.includes("")) return null;
    const text = inverse
      ? inverseSentence(label, from, next)
      : relationSentence(label, from, next, next.length);
    said.push(text.slice(0, -1).replace(/^The /, index ? "the " : "The "));
    from = next[0] ?? "";
  }
  return `${said.slice(0, -1).join(", ")}, and ${said.at(-1) ?? ""}.`;
}

/** What a chain leads to, as is said of several answers or one: "official languages of what Switzerland borders". */
function ledTo({ source, steps }: EvidenceChain, several: boolean): string | null {
  let said = source.label;
  for (const [index, step] of steps.entries()) {
    const last = index === steps.length - 1;
    const { label, inverse } = step;
    const ends = isPrepositional(label) || VERBS.has(label);
    if (label === "borders") said = last ? `bordered by ${said}` : `what ${said} borders`;
    else if (!inverse && !ends)
      said = `the ${last && several ? plural(nounOf(label)) : nounOf(label)} of ${said}`;
    else if (inverse && last && (ends || label === "starring")) said = `${label} ${said}`;
    else return null;
  }
  return said;
}

/** What the things that a chain leads to do or are: "work at Acme", "is written by the author of Emma"; null where they are told otherwise. */
function doneTo({ source, steps, ...rest }: EvidenceChain, several: boolean): string | null {
  const last = steps.at(-1);
  if (!last?.inverse || last.label === "starring" || last.label === "borders") return null;
  // "founder of" is a noun.
  if (!isVerb(last.label) && !/\w (by|at|in|from|on)$/.test(last.label)) return null;
  const before = steps.slice(0, -1);
  const whom = before.length ? ledTo({ source, steps: before, ...rest }, false) : source.label;
  return whom && !whom.startsWith("bordered by ") ? `${stated(last.label, several)} ${whom}` : null;
}

/** What several relations lead to, or one against its direction: "Jaws and Duel: directed by Steven Spielberg." */
function chainSentence({ answers, chains }: RunView): string | null {
  const [best] = answers;
  const led = (best?.chains ?? []).flatMap((index) => chains[index] ?? []);
  // Said is only what is so of every answer.
  if (!led.length || led.length > 2 || !answers.every((one) => one.chains.join() === best?.chains.join())) {
    return null;
  }
  const names = answers.map((answer) => valueText(answer.label));
  const [chain] = led;
  const [step] = chain?.steps ?? [];
  if (chain && step && led.length === 1) {
    if (chain.steps.length === 1 && step.inverse && step.label !== "starring") {
      return inverseSentence(step.label, chain.source.label, names);
    }
    const walked = walkSentence(chain, names);
    if (walked) return walked;
  }
  const [other] = led.slice(1);
  // One relation of several topics: "France and Germany both border Belgium."
  if (chain && step && other && !step.inverse && [chain, other].every((one) => one.steps.length === 1)) {
    const [same] = other.steps;
    const isSame = same?.label === step.label && !same.inverse;
    const isTold = isVerb(step.label) || step.label === "borders";
    if (isSame && isTold)
      return `${listed([chain.source.label, other.source.label])} both ${many(step.label)} ${listed(names)}.`;
  }
  const said = led.map((one) => ledTo(one, answers.length > 1));
  if (said.some((one) => !one)) return null;
  if (led.length > 1 && !led.every((one) => one.merged_with.length)) return null;
  const several = answers.length > 1;
  const done = led.map((one) => doneTo(one, several));
  // What things do is said as such: "Ada and Bo work at Acme."
  if (done.every((one) => one !== null)) return `${listed(names)} ${done.join(" and ")}.`;
  return `${listed(names)}: ${said.join(" and ")}.`;
}

/** A question that one relation answers; else what is said of the chains. */
export function pathSentence(view: RunView): string | null {
  const { answers, chains } = view;
  const [best] = answers;
  const chain = chains[best?.chains[0] ?? -1];
  const [step] = chain?.steps ?? [];
  const isOfSeveral = answers.every((one) => one.chains.length > 1);
  if (!chain || chain.steps.length > 1 || !step || step.inverse || isOfSeveral) return chainSentence(view);
  const reached = new Set((chain.levels[0] ?? []).map((node) => node.id));
  if (!answers.every(({ entity }) => entity !== null && reached.has(entity.id))) return chainSentence(view);
  const names = answers.map((answer) => answer.label);
  return relationSentence(step.label, chain.source.label, names, answers.length);
}
