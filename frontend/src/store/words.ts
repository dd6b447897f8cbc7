// Nouns, lists and measures as people write them.
import { integer, valueText } from "./format";

/** A name in a line that runs left to right: one of a script that runs the other way stays apart from its neighbours. */
const apart = (name: string) => (/[\u0590-\u08ff\ufb1d-\ufefc]/u.test(name) ? `\u2068${name}\u2069` : name);

/** Names in a row: of more than four the first three, and how many others. */
export function listed(given: readonly string[]): string {
  const names = given.map(apart);
  const shown = names.length > 4 ? [...names.slice(0, 3), `${integer(names.length - 3)} others`] : names;
  return shown.length < 2 ? (shown[0] ?? "") : `${shown.slice(0, -1).join(", ")} and ${shown.at(-1) ?? ""}`;
}

const IRREGULAR: Readonly<Record<string, string>> = {
  people: "person",
  children: "child",
  men: "man",
  women: "woman",
};

/** `singular("countries")` is "country". */
export function singular(noun: string): string {
  if (IRREGULAR[noun]) return IRREGULAR[noun];
  if (/(volcano|potato|tomato|hero|echo)es$/.test(noun)) return noun.slice(0, -2);
  if (noun.endsWith("ies")) return `${noun.slice(0, -3)}y`;
  if (/(ch|sh|x|ss)es$/.test(noun)) return noun.slice(0, -2);
  return noun.endsWith("s") && !noun.endsWith("ss") ? noun.slice(0, -1) : noun;
}

/** `plural("language")` is "languages"; what is one already stays. */
export function plural(noun: string): string {
  if (noun.endsWith("s")) return noun;
  return /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`;
}

/** `third("carry")` is "carries"; what is past stays. */
export function third(verb: string): string {
  if (verb === "have") return "has";
  if (/(ed|wrote|won|led|made|bought|sold|taught|sang|built|met)$/.test(verb)) return verb;
  if (/[^aeiou]y$/.test(verb)) return `${verb.slice(0, -1)}ies`;
  return /(s|x|z|ch|sh|o)$/.test(verb) ? `${verb}es` : `${verb}s`;
}

/** With "a" or "an", where a noun is of one thing. */
export function article(noun: string): string {
  if (/[^s]s$/.test(noun) && !/(us|is)$/.test(noun)) return noun;
  return `${/^[aeiou]/i.test(noun) ? "an" : "a"} ${noun}`;
}

export const startUpper = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1);

const UNITS =
  "km2|km²|km|cm|mm|m2|m²|m|miles|mi|feet|ft|kg|g|tonnes|t|lb|ml|l|litres|ha|seconds|s|minutes|min|hours|hrs|h|days|weeks|" +
  "months|years|km/h|kmh|mph|knots|kw|mw|tbps|gb|tb|%|°c|°f";
const CURRENCIES = "usd|eur|gbp|chf|sek|nok|dkk|jpy|inr|aud|cad|nzd|cny|pln|czk|brl|zar";
const SIGNS: Readonly<Record<string, string>> = { "£": "GBP", "€": "EUR", $: "USD" };
const IN_BRACKETS = new RegExp(`^(.+?) [([](${UNITS}|${CURRENCIES}|[£€$])[)\\]]$`, "i");
// A letter at the end may be anything: "vitamin c".
const AT_END = new RegExp(`^(.+?) (?:in )?(km2|m2|km|cm|mm|m|kg|min|kmh|mph|tbps|${CURRENCIES})$`, "i");

/** Heads of columns in capitals are read as words: "DOWNTIME MIN". Short ones are abbreviations. */
export const calm = (head: string) =>
  head === head.toUpperCase() && /[A-Z] [A-Z]|[A-Z]{5}/.test(head) ? head.toLowerCase() : head;

/** What a column is called, and in what it is measured, as its head says both: "price (gbp)", "rent eur", "height m". */
export function measure(head: string): { noun: string; unit: string } {
  const [, noun, unit] = IN_BRACKETS.exec(head) ?? AT_END.exec(head) ?? [];
  const said = calm(noun ?? head).replace(/ \(year\)$/, "");
  return { noun: said, unit: unit ?? "" };
}

/** The code of a currency, of a sign or a code in any case; empty where a unit is none. */
const currencyOf = (unit: string) =>
  SIGNS[unit] ?? (new RegExp(`^(${CURRENCIES})$`, "i").test(unit) ? unit.toUpperCase() : "");

export const isMoney = (unit: string) => currencyOf(unit) !== "";

/** A number with the unit of its column: `inUnit("4.5", "gbp")` is "£4.50". What has one already, or is none, stays. */
export function inUnit(value: string, unit: string): string {
  const number = Number(value.replaceAll(",", ""));
  if (!unit || !/^-?[\d,]+(\.\d+)?$/.test(value) || Number.isNaN(number)) return valueText(value);
  const currency = currencyOf(unit);
  if (!currency) return `${valueText(value)} ${unit.toLowerCase().replace(/2$/, "²")}`;
  return new Intl.NumberFormat("en", {
    ...{ style: "currency", currency, currencyDisplay: "narrowSymbol" },
    minimumFractionDigits: Number.isInteger(number) ? 0 : 2,
    maximumFractionDigits: 2,
  }).format(number);
}

/** Relations in a word that is a verb, and no plural. */
export const VERBS: ReadonlySet<string> = new Set(
  (
    "admires advises attends authors buys carries causes cites contains controls covers creates directs drives eats edits " +
    "employs enters follows funds grows hates has helps hosts includes influences inspires invests joins keeps knows " +
    "leads likes lists loves makes manages manufactures marries mentions needs offers owns plays precedes produces " +
    "publishes reads requires runs sees sells serves sings speaks sponsors studies supplies supports targets teaches " +
    "treats uses visits wears wins wrote writes"
  ).split(" "),
);

/** What was done, and is over: "built by". */
const DONE =
  /^(born|buried|founded|built|painted|written|composed|premiered|invented|discovered|killed|repaired|married|found|recorded)\b/;
/** What somebody did: "served at". */
const DID =
  /^(died|lived|worked|served|studied|played|fought|went|met|moved|retired|graduated|starred|competed|appeared|settled|arrived|departed|escaped|emigrated|reigned|ruled)\b/;

/** "is part of", "was born in", "served at"; of several "are part of". */
export function be(text: string, several: boolean): string {
  if (DID.test(text)) return text;
  if (DONE.test(text)) return `${several ? "were" : "was"} ${text}`;
  return `${several ? "are" : "is"} ${text}`;
}

/** `many("lives in")` is "live in". */
export function many(label: string): string {
  const [verb = "", ...rest] = label.split(" ");
  const base = verb.endsWith("ies")
    ? `${verb.slice(0, -3)}y`
    : verb.slice(0, /(ch|sh|ss|x|o)es$/.test(verb) ? -2 : /[^s]s$/.test(verb) ? -1 : undefined);
  return [verb === "has" ? "have" : base, ...rest].join(" ");
}
