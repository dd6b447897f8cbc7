// What a step of a program says of things, in the words of a clause: "that border Chad", "with a price over £3".
import { valueText } from "./format";
import { VERBS, article, be, calm, inUnit, many, measure, singular, third } from "./words";

/** What is said of things: of many and of one, behind their noun, and as what they do or are. */
export interface Clause {
  /** Behind a noun: "in Africa", "that border Chad", "with a price over £3". */
  after: readonly [many: string, one: string];
  /** As a sentence goes on: "border Chad", "is made from milk"; null where that is not sure. */
  does: readonly [many: string, one: string] | null;
  /** They are of this kind: "rivers". */
  kind?: string;
  /** It says what they are known by, for want of a kind: "have a birth year". */
  weak?: boolean;
}

/** A relation that is a verb and holds both ways is said as one. */
const BORDERS = /^(?:(?:that are )?the borders of (.+)|(?:what|that) (.+) borders)$/;
const PARTICIPLE =
  /^(\w+ed|made|born|built|held|found|written|kept|sold|led|known|given|taken|grown|bred|sung|set|shown|worn|drawn|laid)\b/;
/** Columns of yes and no that are words for a thing, and no adjectives, have one of these ends. */
const THING =
  /(job|lake|milk|licen[cs]e|insurance|garden|parking|access|piano|permit|balcony|lift|pool|kit|s)$/;
const PREPOSITIONAL = /^\S+ed (by|in|at|on|from|with)$/;
const YES: ReadonlySet<string> = new Set(["yes", "true"]);
const NO: ReadonlySet<string> = new Set(["no", "false"]);
const TIMES =
  /\b(year|date|day|since|until|born|founded|published|built|began|started?|ends?|opened|opening|made|on|in)\b/;
const COMPARED = /^with (.+) ([<>≤≥=≠]) (.+)$/;

export function borderedBy(text: string): string | undefined {
  const [, noun, verb] = BORDERS.exec(text) ?? [];
  return noun ?? verb;
}

/** A place is said without the word that it was found by: "in Africa (continent)". */
const bare = (text: string) => text.replace(/^(in .+) \([^()]+\)$/, "$1");

const having = (what: string): Clause => ({
  after: [`with ${what}`, `with ${what}`],
  does: [`have ${what}`, `has ${what}`],
});

const being = (what: string, one = what): Clause => ({
  after: [`that are ${what}`, `that is ${one}`],
  does: [`are ${what}`, `is ${one}`],
});

/** Of a column of yes and no: "that are hardy", "with a crater lake", "without parking". */
export function truth(column: string, isSo: boolean): Clause {
  const word = column.replace(/\?$/, "").replace(/^(is|are|was) /, "");
  const [, owned] = /^has (.+)$/.exec(word) ?? [];
  if (word.split(" ").length > 2) {
    const so = `whose ${word} is ${isSo ? "yes" : "no"}`;
    return { after: [so, so], does: null };
  }
  if (!owned && !THING.test(word)) return being(isSo ? word : `not ${word}`);
  const thing = article(owned ?? word);
  if (isSo) return having(thing);
  const none = owned ?? word;
  return { after: [`without ${thing}`, `without ${thing}`], does: [`have no ${none}`, `has no ${none}`] };
}

const OVER: Readonly<Record<string, string>> = {
  ...{ ">": "over ", "≥": "of at least ", "<": "under ", "≤": "of at most ", "=": "of ", "≠": "other than " },
};
const MORE: Readonly<Record<string, string>> = {
  ...{ ">": "more than ", "≥": "at least ", "<": "fewer than ", "≤": "at most ", "=": "", "≠": "not " },
};
const AFTER: Readonly<Record<string, string>> = {
  ...{ ">": "after ", "≥": "in or after ", "<": "before ", "≤": "in or before ", "=": "in ", "≠": "not in " },
};

/** What happened at a time, without words for time: "made" of "made on" and "year made". */
const whenWord = (key: string) => {
  const said = key.replace(/ (on|in|since)$/, "").replace(/^(year|date) (?=\S+$)/i, "");
  return PARTICIPLE.test(said.toLowerCase()) ? said.toLowerCase() : said;
};

/** "with a price over £3", "with a birth year before 1500", "made on or after 1 April 2024". */
function compared(key: string, sign: string, value: string): Clause {
  const { noun, unit } = measure(key);
  const isDay = /^(\d{4}-\d\d-\d\d|\d{1,2} [A-Z][a-z]+ \d{4})$/.test(value);
  if (!isDay && !(/^[12]\d{3}$/.test(value) && TIMES.test(key.toLowerCase()))) {
    // "with at least 25 seats"
    if (article(noun) === noun && !unit) return having(`${MORE[sign] ?? ""}${valueText(value)} ${noun}`);
    return having(`${article(noun)} ${OVER[sign] ?? ""}${inUnit(value, unit)}`);
  }
  const when = `${(AFTER[sign] ?? "").replace("in", isDay ? "on" : "in")}${valueText(value)}`;
  const said = whenWord(noun);
  if (PARTICIPLE.test(said.split(" ").at(-1) ?? ""))
    return { after: [`${said} ${when}`, `${said} ${when}`], does: null };
  return having(`${article(said)} ${when}`);
}

/** Two ends of one key: "made in April 2024"; null where they are no whole month or year. */
function between(low: string, high: string): string | null {
  const [, key, , from = ""] = COMPARED.exec(low) ?? [];
  const [, other, , to = ""] = COMPARED.exec(high) ?? [];
  if (!low.includes(" ≥ ") || !high.includes(" < ") || key !== other) return null;
  const [start, end] = [new Date(`${from}T00:00:00Z`), new Date(`${to}T00:00:00Z`)];
  if (!from.endsWith("-01") || Number.isNaN(start.getTime()) || Number.isNaN(end.getTime())) return null;
  const months =
    (end.getUTCFullYear() - start.getUTCFullYear()) * 12 + end.getUTCMonth() - start.getUTCMonth();
  const isYear = months === 12 && from.endsWith("-01-01");
  if (months !== 1 && !isYear) return null;
  const month = start.toLocaleDateString("en-GB", { month: "long", timeZone: "UTC" });
  return `${isYear ? "" : `${month} `}${start.getUTCFullYear()}`;
}

/** "that border nothing", "without a capital", "that are not rivers". */
function negated(text: string): Clause | null {
  const [, those, left = ""] = /^leave out (those )?(.+)$/.exec(text) ?? [];
  const clause = clauseOf(those ? left : `that are ${left}`);
  const [, has] = /^(?:that have|with) (?:an? )?(.+)$/.exec(left) ?? [];
  if (has && has.endsWith("ed") && !has.includes(" ")) return being(`not ${has}`);
  if (has) {
    const what = article(has);
    return { after: [`without ${what}`, `without ${what}`], does: [`have no ${has}`, `has no ${has}`] };
  }
  const [, column, value = ""] = /^whose (.+) is (.+)$/.exec(left) ?? [];
  if (column && YES.has(value.toLowerCase())) return truth(column, false);
  if (column && !value.includes(" or ")) {
    const other = `whose ${calm(column)} is not ${value}`;
    return { after: [other, other], does: null };
  }
  if (!clause) return null;
  const [many, one] = clause.does ?? ["", ""];
  if (many.startsWith("are ")) return being(`not ${many.slice(4)}`, `not ${one.slice(3)}`);
  if (!many || many.startsWith("have ")) return null;
  const said = many.replace(/\bsomething$/, "anything");
  return {
    after: [`that do not ${said}`, `that does not ${said}`],
    does: [`do not ${said}`, `does not ${said}`],
  };
}

/** What a step says of things; null where it is no restriction. */
function clauseOf(text: string): Clause | null {
  if (text.startsWith("leave out ")) return negated(text);
  const neighbour = borderedBy(text);
  if (neighbour) {
    return {
      after: [`that border ${neighbour}`, `that borders ${neighbour}`],
      does: [`border ${neighbour}`, `borders ${neighbour}`],
    };
  }
  if (/ or (that|whose|with|in) /.test(text)) return { after: [text, text], does: null };
  const [, done = "", by = ""] = /^that are the (\w+s) of (.+)$/.exec(text) ?? [];
  if (VERBS.has(done)) return { after: [`that ${by} ${done}`, `that ${by} ${done}`], does: null };
  const [, are] = /^that are (.+)$/.exec(text) ?? [];
  if (are) {
    const isKind = /^[a-z][a-z -]*$/.test(are) && !are.startsWith("the ");
    return { ...being(are, isKind ? article(singular(are)) : are), ...(isKind && { kind: are }) };
  }
  const [, owned] = /^that have (?:an? )?([a-z].+)$/i.exec(text) ?? [];
  if (owned) {
    const what = article(measure(owned).noun);
    return {
      ...{ after: [`that have ${what}`, `that has ${what}`], does: [`have ${what}`, `has ${what}`] },
      weak: true,
    };
  }
  const [, isSo, word] = /^that (\w+) (?:(true|yes))$/.exec(text) ?? [];
  if (isSo && word) return being(isSo);
  const [, verb, object] = /^that (\w+) (.+)$/.exec(text) ?? [];
  if (verb && object && !/^(is|are|was|were|they)$/.test(verb) && /^[a-z]/.test(verb)) {
    return {
      after: [text, `that ${third(verb)} ${object}`],
      does: [`${verb} ${object}`, `${third(verb)} ${object}`],
      weak: object === "something",
    };
  }
  const [, head = "", value] = /^whose (.+?) is (.+)$/.exec(text) ?? [];
  const column = calm(head);
  if (column && value) {
    if (PREPOSITIONAL.test(column)) return clauseOf(`${column} ${value}`);
    if (VERBS.has(column)) return clauseOf(`that ${many(column)} ${value}`);
    if (YES.has(value.toLowerCase())) return truth(column, true);
    if (NO.has(value.toLowerCase())) return truth(column, false);
    return { after: [text, text], does: value.includes(' or whose ') ? null : [`have the ${column} ${value}`, `has the ${column} ${value}`] }; // prettier-ignore
  }
  const [, key, sign, than] = COMPARED.exec(text) ?? [];
  if (key && sign && than) return compared(key, sign, than);
  const [, number] = /^with (.+)$/.exec(text) ?? [];
  if (number) return having(number);
  if (/^(whose|not) /.test(text)) return { after: [text, text], does: null };
  if (text.startsWith("in ")) return { after: [bare(text), bare(text)], does: [`are ${bare(text)}`, `is ${bare(text)}`] }; // prettier-ignore
  if (
    /^(their|its|keep|all of|of |the |what |count |each )/.test(text) ||
    / one of these\b| this$/.test(text)
  ) {
    return null;
  }
  return {
    after: [text, text],
    does: PARTICIPLE.test(text) ? [be(text, true), be(text, false)] : null,
  };
}

/** The clauses of steps, each once, with the two ends of a month or a year as one. */
export function clausesOf(texts: readonly string[]): (Clause | null)[] {
  const found: (Clause | null)[] = [];
  for (let at = 0; at < texts.length; at += 1) {
    const [text = "", next = ""] = [texts[at], texts[at + 1]];
    if (texts.indexOf(text) < at) continue;
    const span = between(text, next);
    if (span === null) {
      found.push(clauseOf(text));
      continue;
    }
    at += 1;
    const key = whenWord(COMPARED.exec(text)?.[1] ?? "");
    const said = PARTICIPLE.test(key.split(" ").at(-1) ?? "")
      ? `${key} in ${span}`
      : `with ${article(key)} in ${span}`;
    found.push({ after: [said, said], does: null });
  }
  return found;
}
