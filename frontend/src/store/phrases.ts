// Sets that a program's steps tell one after another, as people say them: "3 rivers in Germany", "2 flats that are let".
import type { ProgramStep } from "@/api/events";
import { clausesOf, type Clause } from "./clauses";
import { integer } from "./format";
import { listed, singular } from "./words";

export interface Phrase {
  /** "countries"; null where the graph has no word for them. */
  noun: string | null;
  /** They were named, and are no kind of which there are so many. */
  named: boolean;
  clauses: readonly Clause[];
}

/** What the steps come to; null where they are no noun with what is said of it. */
export function phraseOf(steps: readonly ProgramStep[]): Phrase | null {
  const [head, ...rest] = steps;
  if (!head || steps.some((step) => step.result !== "set")) return null;
  const [, those] = /^those (.+)$/.exec(head.text) ?? [];
  if (!those && /^(what|the|each|of) /.test(head.text)) return null;
  const named = !those && (/ and \d+ others\b/.test(head.text) || /^[A-Z]/.test(head.text));
  const found = clausesOf([...(those ? [those] : []), ...rest.map((step) => step.text)]);
  if (found.some((one) => one === null)) return null;
  let clauses = found.filter((one) => one !== null);
  let noun = those ? null : head.text.replace(/^(has|in|is) (?=.)/, "");
  if (noun === "has") noun = null;
  noun ??= clauses.find((one) => one.kind)?.kind ?? null;
  clauses = clauses.filter((one) => one.kind === undefined || one.kind !== noun);
  // What things are known by says nothing beside what is asked of them.
  const strong = clauses.filter((one) => !one.weak);
  if (strong.length > 0 || noun !== null) clauses = strong.length || noun === null ? strong : clauses;
  return { noun, named, clauses };
}

/** Clauses in a row; those that begin alike are joined: "that are let and have a garden". */
function inRow(parts: readonly string[]): string {
  let said = "";
  let before = "";
  for (const part of parts) {
    const [lead = "", ...rest] = part.split(" ");
    const isLong = (one: string) => /^(that|with|whose)$/.test(one);
    if (!said) said = part;
    else if (lead !== before || !isLong(lead))
      said = `${said} ${isLong(lead) && isLong(before) ? "and " : ""}${part}`;
    else said = `${said} and ${lead === "whose" ? part : rest.join(" ")}`;
    before = lead;
  }
  return said;
}

/** "countries in Africa", of one "country in Africa"; what has no noun is only what is said of it. */
export function said({ noun, clauses }: Phrase, number = 2): string {
  const which = number === 1 ? 1 : 0;
  const [first = "", ...more] = (noun ?? "").split(" of ");
  const word = number === 1 ? [...first.split(" ").slice(0, -1), singular(first.split(" ").at(-1) ?? "")].join(" ") : first; // prettier-ignore
  const after = inRow(clauses.map((one) => one.after[which]));
  return [[word, ...more].join(" of "), after].filter(Boolean).join(" ");
}

/** "9 countries in Africa"; of one, its noun in the singular. */
export function counted(number: number, phrase: Phrase): string {
  return `${number === 0 ? "no" : integer(number)} ${said(phrase, number)}`;
}

/** The same of what was told already; what has no noun is so many: "the 5 whose country is Nepal". */
export function those(number: number, phrase: Phrase): string {
  if (phrase.noun !== null) return counted(number, phrase);
  return `the ${number === 1 ? "one" : integer(number)} ${said(phrase, number)}`;
}

/** What so many do: "border Germany", "is in Africa and has a coast"; null where that cannot be said of all. */
export function doing(clauses: readonly Clause[], number: number): string | null {
  const which = number === 1 ? 1 : 0;
  const parts = clauses.map((one) => one.does?.[which]);
  if (!parts.length || parts.some((one) => !one)) return null;
  // "have the race elf and the home town Lornmere"
  return parts.map((part, at) => joined(part ?? "", parts[at - 1] ?? "")).join(" and ");
}

/** A part without the verb that the one before has too. */
function joined(part: string, before: string): string {
  const [verb = "", ...rest] = part.split(" ");
  return /^(have|has|are|is|were|was)$/.test(verb) && before.startsWith(`${verb} `) ? rest.join(" ") : part;
}

/** How many there are, as a sentence without its stop: "9 countries border Germany", "2 have the voice type soprano". */
export function countWords(number: number, phrase: Phrase): string {
  const last = phrase.clauses.at(-1);
  const many = number === 0 ? "no" : integer(number);
  if (phrase.noun === null) {
    const does = doing(phrase.clauses, number);
    return does ? `${number === 0 ? "none" : many} ${does}` : `${many}: ${said(phrase, number)}`;
  }
  if (!last) return `there ${number === 1 ? "is" : "are"} ${counted(number, phrase)}`;
  const does = doing([last], number);
  if (!does) return counted(number, phrase);
  return `${many} ${said({ ...phrase, clauses: phrase.clauses.slice(0, -1) }, number)} ${does}`;
}

/** Who they are, as a sentence without its stop: "2 games made in 2019: Go and Chess", "Leo and Mia own a boat". */
export function setWords(names: readonly string[], phrase: Phrase): string {
  const does = phrase.noun === null ? doing(phrase.clauses, names.length) : null;
  if (does) return `${listed(names)} ${does}`;
  return phrase.noun === null && /^(in|at|on|of|first|\w+ed) /.test(said(phrase))
    ? `${listed(names)}: ${said(phrase, names.length)}`
    : `${counted(names.length, phrase)}: ${listed(names)}`;
}

/** Those that were told by name, of which some are kept: "that are Austria, Belgium or 7 others". */
export function ofNamed(text: string): number | null {
  const [, names] = /^that are ([A-Z].*)$/.exec(text) ?? [];
  if (!names) return null;
  const [, first = "", others] = /^(.+) or (\d+) others$/.exec(names) ?? [];
  if (others) return first.split(", ").length + Number(others);
  const parts = names.split(/, | or /);
  return parts.length > 1 ? parts.length : null;
}
