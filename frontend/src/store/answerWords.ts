// The answer in a sentence, made of the steps of the program that gave it, or of the relation that leads to it.
import type { ProgramExecuted, ProgramStep } from "@/api/events";
import { pathSentence, relationSentence, walkSentence } from "./chainWords";
import { computedSentence } from "./computed";
import { integer, valueText } from "./format";
import { borderedBy, truth } from "./clauses";
import { countWords, ofNamed, phraseOf, said, setWords, those, type Phrase } from "./phrases";
import type { RunView } from "./runView";
import { inUnit, listed, measure, plural, singular, startUpper } from "./words";

/** Steps of `program` below its last one. */
const before = ({ steps }: ProgramExecuted) => steps.slice(0, -1);

function countSentence(program: ProgramExecuted): string | null {
  const steps = before(program);
  const number = steps.at(-1)?.count ?? 0;
  const [, noun, owner] = /^the (.+?) of (.+)$/.exec(steps[0]?.text ?? "") ?? [];
  if (noun === "borders" && owner && steps.length === 1) return `${owner} borders ${integer(number)}.`;
  if (noun && owner && steps.length === 1) {
    return `${owner} has ${integer(number)} ${number === 1 ? singular(noun) : plural(noun)}.`;
  }
  const phrase = phraseOf(steps);
  return phrase && startUpper(`${countWords(number, phrase)}.`);
}

const HIGH =
  /^(price|cost|rent|salary|wage|fee|fare|temperature|score|rating|elevation|altitude|height|age|level|rate)\b/;

/** What is counted is more or fewer: "the largest pages" are "the most pages", a sum of what refers to a thing its total. */
function mostOf(end: string): string {
  // What counts is said without the things that are counted for it: "the most yarns" of brands.
  const said = end
    .replace(/^(the (?:largest|smallest) (?:total|average) .+) of things with this .+$/, "$1")
    .replace(/^(the (?:\w+ )?(?:most|fewest)) (?:those|things) .+$/, "$1")
    .replace(
      /^(the (?:\w+ )?(?:most|fewest) .+?) (?:with|\w+ (?:by|in|at|on|to|of)|that .+) this(?: .+)?$/,
      "$1",
    );
  const [, rank = "", extreme, head = ""] = /^the (\w+ )?(largest|smallest) (.+)$/.exec(said) ?? [];
  if (!extreme) return said;
  const { noun } = measure(head);
  if (HIGH.test(noun)) return `the ${rank}${extreme === "largest" ? "highest" : "lowest"} ${noun}`;
  if (!/^\w+s$/.test(noun) || /(ss|us|is)$/.test(noun)) return `the ${rank}${extreme} ${noun}`;
  return `the ${rank}${extreme === "largest" ? "most" : "fewest"} ${noun}`;
}

/** The unit of what a step ranks or computes, as its column says it. */
export const unitOf = (text: string) =>
  measure(text.replace(/^.*?(?:largest|smallest|most|fewest|average|sum of their|of their|its) /, "")).unit;

function topSentence(program: ProgramExecuted, names: readonly string[]): string | null {
  const last = program.steps.at(-1);
  const [, each] = /^each with its (.+)$/.exec(last?.text ?? "") ?? [];
  if (each) {
    const { noun, unit } = measure(each.replace(/ of things with this .+$/, ""));
    const values = program.ranked.map(({ node, value }) => `${node.label} ${inUnit(value, unit)}`);
    const more = names.length - values.length;
    const told = more > 0 ? [...values, ...Array<string>(more).fill("")] : values;
    return `${startUpper(noun)}: ${listed(told)}.`;
  }
  if (last?.text.startsWith("of each ")) {
    const firsts = program.ranked.map(
      ({ node, value, group }) => `${node.label} (${group}, ${valueText(value)})`,
    );
    const unsaid = names.length - firsts.length;
    return `${startUpper(last.text)}: ${listed(unsaid > 0 ? [...firsts, ...Array<string>(unsaid).fill("")] : firsts)}.`;
  }
  const [, end] = /^(?:the one|those|the \d+) with (the .+)$/.exec(last?.text ?? "") ?? [];
  const most = end && mostOf(end);
  const [, several, top] = /^the (\d+) with the (.+)$/.exec(last?.text ?? "") ?? [];
  if (!end && !several) return null;
  const source = program.steps.at(-2);
  const phrase = phraseOf(before(program));
  const of = source ? ` of ${ofWhich(source.count, phrase)}` : "";
  if (several) return `${listed(names)}: the ${several} with ${mostOf(`the ${top ?? ""}`)}${of}.`;
  const value = program.ranked.find((one) => one.answer)?.value;
  const shown = value && inUnit(value, unitOf(last?.text ?? ""));
  return `${listed(names)}${shown ? `, ${shown}` : ""}: ${most ?? ""}${of}.`;
}

/** Of so many of what; things that were named, as those of a question before are, are no kind. */
const ofWhich = (number: number, phrase: Phrase | null) =>
  phrase && !phrase.named ? those(number, phrase) : integer(number);

/** Whether something is: "Berlin is the capital of Germany", or is not. */
function claim(steps: readonly ProgramStep[], isTrue: boolean): string | null {
  const [one, other] = steps;
  if (!one || !other || steps.length !== 2) return null;
  const is = isTrue ? "is" : "is not";
  const [, column, of] = /^the (.+?) of (.+)$/.exec(one.text) ?? [];
  const [, wanted = ""] = /^that are (yes|no|true|false)$/i.exec(other.text) ?? [];
  if (wanted && column && of) {
    const does = truth(column, /yes|true/i.test(wanted) === isTrue).does?.[1];
    return does ? `${of} ${does}` : null;
  }
  const [, done, deed] = /^what (.+) (\w+ed)$/.exec(one.text) ?? [];
  if (wanted && done && deed)
    return `${done} ${/yes|true/i.test(wanted) === isTrue ? "is" : "is not"} ${deed}`;
  if (/^[A-Z]/.test(one.text) && /^\w+ed .+/.test(other.text)) return `${one.text} ${is} ${other.text}`;
  const [, what] = /^that are (.+)$/.exec(other.text) ?? [];
  if (!what) return null;
  const neighbour = borderedBy(one.text);
  if (neighbour) return `${what} ${isTrue ? "borders" : "does not border"} ${neighbour}`;
  const next = borderedBy(other.text);
  if (next) return `${one.text} ${isTrue ? "borders" : "does not border"} ${next}`;
  const kind = what.startsWith("the ") || /^[A-Z]/.test(what) ? what : `a ${singular(what)}`;
  if (!one.text.startsWith("the ")) return `${one.text} ${is} ${kind.replace(/^a (?=[aeiou])/, "an ")}`;
  const [, noun, owner] = /^the (.+?) of (.+)$/.exec(one.text) ?? [];
  if (!noun || !owner) return null;
  return one.count > 1 || noun.endsWith("s")
    ? `${what} ${is} one of the ${plural(noun)} of ${owner}`
    : `${what} ${is} the ${noun} of ${owner}`;
}

function truthSentence(program: ProgramExecuted, view: RunView): string | null {
  const last = program.steps.at(-1);
  if (!last?.value) return null;
  const isTrue = last.value === "yes";
  const word = isTrue ? "Yes" : "No";
  const [, left, sign, right] = /^is (.+) ([<>≤≥=≠]) (.+)\?$/.exec(last.text) ?? [];
  if (left && sign && right) return `${word}: ${left} ${isTrue ? "" : "is not "}${sign} ${right}.`;
  const claimed = claim(before(program), isTrue);
  if (claimed) {
    const instead = isTrue || /^that are (yes|no|true|false)$/i.test(before(program)[1]?.text ?? "");
    return [`${word}: ${claimed}.`, instead ? null : closest(view)].filter(Boolean).join(" ");
  }
  const phrase = phraseOf(before(program));
  if (!phrase?.noun || phrase.named) return `${word}.`;
  const number = program.steps.at(-2)?.count ?? 0;
  const told = `${number === 0 ? "no" : integer(number)} ${said(phrase, number)}`;
  return `${word}: ${number === 1 ? "there is" : "there are"} ${told}.`;
}

/** The fact that contradicts what was asked: "The capital of Germany is Berlin." */
function closest({ chains }: RunView): string | null {
  const [chain] = chains;
  const [step] = chain?.steps ?? [];
  if (!chain || chain.steps.length > 1 || !step || step.inverse) return null;
  return relationSentence(
    step.label,
    chain.source.label,
    (chain.levels[0] ?? []).map((node) => node.label),
    chain.level_counts[0] ?? 0,
  );
}

/**
 * Whose each answer is, by its entity: of several things' populations one is of Chad and one of Niger. Empty where they
 * are all of one thing, or of things of which several have the same, or several at once.
 */
export function ownersOf({ answers, chains }: Pick<RunView, "answers" | "chains">): Map<number, string> {
  const owners = new Map<number, string>();
  for (const { entity, chains: own } of answers) {
    const steps = Math.max(0, ...own.map((index) => chains[index]?.steps.length ?? 0));
    if (!entity) return new Map<number, string>();
    const names = own.flatMap((index) => {
      const { hops = [], steps: relations = [] } = chains[index] ?? {};
      const last = relations.at(-1);
      return hops
        .filter(({ target, step }) => target.id === entity.id && step.name === last?.name)
        .map(({ source }) => source.label);
    });
    const each = [...new Set(names)];
    // What is no value says of itself what it is; whose it is matters where each thing has its own.
    if (entity.kind !== "literal" && (each.length !== 1 || steps !== 1)) return new Map<number, string>();
    if (each.length) owners.set(entity.id, listed(each));
  }
  const { size } = new Set(owners.values());
  const isEachItsOwn = size === owners.size || answers.every(({ entity }) => entity?.kind === "literal");
  return size > 1 && isEachItsOwn ? owners : new Map<number, string>();
}

/** "Population: Chad 17,700,000 and Niger 27,200,000."; "Capitals: Abuja (Nigeria) and Bangui (Chad)." */
function ownedSentence(noun: string, { answers }: RunView, owners: ReadonlyMap<number, string>): string {
  const areValues = answers.every(({ entity }) => entity?.kind === "literal");
  const told = answers.map(({ entity, label }) => {
    const owner = owners.get(entity?.id ?? -1);
    if (!owner) return valueText(label);
    return areValues ? `${owner} ${valueText(label)}` : `${label} (${owner})`;
  });
  return `${startUpper(areValues ? noun : plural(noun))}: ${listed(told)}.`;
}

function setSentence(program: ProgramExecuted, names: readonly string[], view: RunView): string | null {
  const [step] = program.steps;
  const single = program.steps.length === 1 ? step : undefined;
  const [, noun, owner] = /^the (.+?) of (.+)$/.exec(single?.text ?? "") ?? [];
  const owners = ownersOf(view);
  if (noun && owner) {
    return owners.size
      ? ownedSentence(noun, view, owners)
      : relationSentence(noun, owner, names, names.length);
  }
  const [, subject, label] =
    /^what (.+) is (.+)$/.exec(single?.text ?? "") ??
    /^what (.+?) ([a-z]+s(?: (?:in|at|on|to|with|for|from|through))?)$/.exec(single?.text ?? "") ??
    [];
  if (subject && label) return relationSentence(label, subject, names, names.length);
  const last = program.steps.at(-1);
  const [, theirs] = /^their (.+)$/.exec(last?.text ?? "") ?? [];
  const source = program.steps.at(-2);
  const owned = theirs && phraseOf(before(program));
  if (theirs && owned && source && source.count > 0) {
    if (owners.size) return ownedSentence(theirs, view, owners);
    const { noun: what, unit } = measure(theirs);
    const told = listed(names.map((name) => inUnit(name, unit)));
    const of = owned.named ? said(owned) : those(source.count, owned);
    return `The ${names.length > 1 ? plural(what) : what} of ${of}: ${told}.`;
  }
  // Of those that were named before, as many as were kept are told.
  const [first] = program.steps;
  const all = /^[A-Z].* and \d+ others$/.test(first?.text ?? "") ? first?.count : ofNamed(last?.text ?? "");
  if (all && program.steps.length > 1)
    return `${integer(names.length)} of the ${integer(all)}: ${listed(names)}.`;
  // The last in the order of a row that was restricted to a kind after it.
  const [, end] = /^(?:the one|those) with (the .+)$/.exec(program.steps.at(-2)?.text ?? "") ?? [];
  if (end && /^that are [a-z]/.test(last?.text ?? "")) return `${listed(names)}: ${mostOf(end)}.`;
  const phrase = phraseOf(program.steps);
  if (phrase) return startUpper(`${setWords(names, phrase)}.`);
  const [chain] = view.chains;
  return chain && view.answers.every((one) => one.chains.length === 1) ? walkSentence(chain, names) : null;
}

function foldSentence(program: ProgramExecuted): string | null {
  const last = program.steps.at(-1);
  const [, how, head] = /^(.+?) of their (.+)$/.exec(last?.text ?? "") ?? [];
  if (!how || !head || !last?.value) return null;
  const { noun, unit } = measure(head);
  const source = program.steps.at(-2);
  const of = source ? ` of ${ofWhich(source.count, phraseOf(before(program)))}` : "";
  const value = how === "average" ? last.value.replace(/^(-?\d[\d,]*\.\d\d)\d+/, rounded) : last.value;
  const total = noun.includes(" × ") ? `total of ${noun.replace(" × ", " times ")}` : `total ${noun}`;
  return `The ${how === "sum" ? total : `${how} ${noun}`}${of} is ${inUnit(value, unit)}.`;
}

/** To two digits, where there are more. */
const rounded = (number: string) => {
  const value = Number(number.replaceAll(",", ""));
  return value.toLocaleString("en", { maximumFractionDigits: 2 });
};

function numberSentence(program: ProgramExecuted): string | null {
  const last = program.steps.at(-1);
  const computed = computedSentence(program);
  if (computed) return computed;
  const [, head, of] = /^the (.+?) of (.+)$/.exec(last?.text ?? "") ?? [];
  if (!last?.value || !last.text.startsWith("the ")) return null;
  const { noun, unit } = measure(head ?? "");
  return unit
    ? `The ${noun} of ${of ?? ""} is ${inUnit(last.value, unit)}.`
    : `${startUpper(last.text)} is ${last.value}.`;
}

function programSentence(program: ProgramExecuted, view: RunView): string | null {
  const names = view.answers.map((answer) => answer.label);
  switch (program.read.program.op) {
    case "Count":
      return countSentence(program);
    case "Top":
      return topSentence(program, names);
    case "Exists":
    case "Holds":
      return truthSentence(program, view);
    case "Fold":
      return foldSentence(program);
    case "KeyOf":
    case "Arithmetic":
    case "Difference": // as it was called in runs of before
      return numberSentence(program);
    default:
      return setSentence(program, names, view);
  }
}

/**
 * What the run comes to, in a sentence; null where it has no answer, is not sure enough to say it so, or where a
 * language model wrote it already.
 */
export function answerSentence(view: RunView): string | null {
  const { answers, program, text } = view;
  if (!answers.length || answers[0]?.guess || text) return null;
  return program ? programSentence(program, view) : pathSentence(view);
}
