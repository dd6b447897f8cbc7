// The answer in a sentence, made of the steps of the program that gave it, or of the relation that leads to it.
import type { EvidenceChain, ProgramExecuted, ProgramStep } from "@/api/events";
import { integer, valueText } from "./format";
import type { RunView } from "./runView";

/** Names in a row: of more than four the first three, and how many others. */
export function listed(names: readonly string[]): string {
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
function singular(noun: string): string {
  if (IRREGULAR[noun]) return IRREGULAR[noun];
  if (noun.endsWith("ies")) return `${noun.slice(0, -3)}y`;
  return noun.endsWith("s") && !noun.endsWith("ss") ? noun.slice(0, -1) : noun;
}

/** `plural("language")` is "languages"; what is one already stays. */
function plural(noun: string): string {
  if (noun.endsWith("s")) return noun;
  return /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`;
}

const startUpper = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1);

/** A relation that is a verb and holds both ways is said as one. */
const BORDERS = /^(?:(?:that are )?the borders of (.+)|(?:what|that) (.+) borders)$/;

function borderedBy(text: string): string | undefined {
  const [, noun, verb] = BORDERS.exec(text) ?? [];
  return noun ?? verb;
}

/** A place is said without the word that it was found by: "in Africa (continent)". */
const bare = (text: string) => text.replace(/^(in .+) \([^()]+\)$/, "$1");

/** What a set of things is besides: "that are rivers", "whose keeper is Ann", "in Africa". */
function restriction(text: string): string {
  const neighbour = borderedBy(text);
  if (neighbour) return `that border ${neighbour}`;
  if (/^(that|whose|in|with|directed|not) /.test(text)) return bare(text);
  const [, those, left] = /^leave out (those )?(.+)$/.exec(text) ?? [];
  if (left) return those ? `not ${left}` : `without ${left}`;
  return bare(text);
}

/** The sets that steps told one after another, as a noun phrase without its number: "countries in Africa". */
function phraseOf(steps: readonly ProgramStep[]): string | null {
  const [head, ...rest] = steps;
  if (!head || steps.some((step) => step.result !== "set")) return null;
  if (
    rest.some(({ text }) => /^(their|keep|leave these|all of these|those whose .+ one of these)/.test(text))
  ) {
    return null;
  }
  const [, those] = /^those (.+)$/.exec(head.text) ?? [];
  const parts = [
    those === undefined ? head.text : bare(those),
    ...rest.map((step) => restriction(step.text)),
  ];
  // "those that have a birth year", "with birth year < 1500": the first says nothing more.
  const [, having] = /^that have an? (.+)$/.exec(parts[0] ?? "") ?? [];
  if (having && parts[1]?.startsWith(`with ${having} `)) parts.shift();
  if (those === undefined) return parts.join(" ");
  // "those in Africa that are rivers" are "rivers in Africa".
  const named = parts.findIndex((part) => /^that are [^\s]+$/.test(part));
  if (named < 0) return parts.join(" ");
  const [noun = ""] = parts.splice(named, 1);
  return [noun.replace("that are ", ""), ...parts].join(" ");
}

/** "9 countries in Africa"; of one, its noun in the singular. */
function counted(number: number, phrase: string): string {
  if (number !== 1) return `${number === 0 ? "no" : integer(number)} ${phrase}`;
  const [noun = "", ...rest] = phrase.split(" ");
  return ["1", singular(noun), ...rest]
    .join(" ")
    .replace(" that are ", " that is ")
    .replace(" that border ", " that borders ");
}

/** The same of what was told already; what has no noun is so many: "the 5 whose country is Nepal". */
function those(number: number, phrase: string): string {
  if (!/^(whose|with|in|that|not|without) /.test(phrase)) return counted(number, phrase);
  return `the ${number === 1 ? "one" : integer(number)} ${phrase}`;
}

/** Steps of `program` below its last one. */
const before = ({ steps }: ProgramExecuted) => steps.slice(0, -1);

function countSentence(program: ProgramExecuted): string | null {
  const steps = before(program);
  const number = steps.at(-1)?.count ?? 0;
  const [, noun, owner] = /^the (.+?) of (.+)$/.exec(steps[0]?.text ?? "") ?? [];
  if (noun === "borders" && owner && steps.length === 1) return `${owner} borders ${integer(number)}.`;
  if (noun && owner && steps.length === 1) {
    return `${owner} has ${counted(number, plural(noun))}.`;
  }
  const phrase = phraseOf(steps);
  if (!phrase) return null;
  const [, key, of] = /^whose ([^,]+?) is ([^,]+)$/.exec(phrase) ?? [];
  if (key && of)
    return `${number === 0 ? "None" : integer(number)} ${number === 1 ? "has" : "have"} the ${key} ${of}.`;
  // What is said last is what is said of them: "9 countries border Germany".
  const clause = /^(.+) that ((?:borders?|have|are) .+)$/.exec(counted(number, phrase));
  const whole = clause?.[1] ? `${clause[1]} ${clause[2] ?? ""}` : counted(number, phrase);
  return startUpper(`${whole}.`);
}

/** What is counted is more or fewer: "the largest pages" are "the most pages", a sum of what refers to a thing its total. */
function mostOf(end: string): string {
  const said = end.replace(/^(the (?:largest|smallest) (?:total|average) .+) of things with this .+$/, "$1");
  const [, extreme, noun] = /^the (largest|smallest) (\w+s)$/.exec(said) ?? [];
  if (!noun || /(ss|us|is)$/.test(noun)) return said;
  return `the ${extreme === "largest" ? "most" : "fewest"} ${noun}`;
}

function topSentence(program: ProgramExecuted, names: readonly string[]): string | null {
  const last = program.steps.at(-1);
  const [, each] = /^each with its (.+)$/.exec(last?.text ?? "") ?? [];
  if (each) {
    const values = program.ranked.map(({ node, value }) => `${node.label} ${valueText(value)}`);
    const more = names.length - values.length;
    const said = more > 0 ? [...values, ...Array<string>(more).fill("")] : values;
    return `${startUpper(each)}: ${listed(said)}.`;
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
  // Things that were named, as those of a question before are, are no kind of which there are so many.
  const named = phrase !== null && / and \d+ others\b/.test(phrase);
  const of = source ? ` of ${phrase && !named ? those(source.count, phrase) : integer(source.count)}` : "";
  if (several) return `${listed(names)}: the ${several} with ${mostOf(`the ${top ?? ""}`)}${of}.`;
  const value = program.ranked.find((one) => one.answer)?.value;
  return `${listed(names)}${value ? `, ${valueText(value)}` : ""}: ${most ?? ""}${of}.`;
}

/** Whether something is: "Berlin is the capital of Germany", or is not. */
function claim(steps: readonly ProgramStep[], isTrue: boolean): string | null {
  const [one, other] = steps;
  if (!one || !other || steps.length !== 2) return null;
  const is = isTrue ? "is" : "is not";
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
  const said = claim(before(program), isTrue);
  if (said) return [`${word}: ${said}.`, ...(isTrue ? [] : [closest(view)])].filter(Boolean).join(" ");
  const phrase = phraseOf(before(program));
  if (!phrase || !/^[a-z]/.test(phrase)) return `${word}.`;
  const number = program.steps.at(-2)?.count ?? 0;
  return `${word}: ${number === 1 ? "there is" : "there are"} ${counted(number, phrase)}.`;
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

/** Relations in a word that is a verb, and no plural. */
const VERBS: ReadonlySet<string> = new Set(
  (
    "admires advises attends authors buys causes cites contains controls covers creates directs drives eats edits " +
    "employs enters follows funds grows hates has helps hosts includes influences inspires invests joins keeps knows " +
    "leads likes lists loves makes manages manufactures marries mentions needs offers owns plays precedes produces " +
    "publishes reads requires runs sees sells serves sings speaks sponsors studies supplies supports targets teaches " +
    "treats uses visits wears wins wrote writes"
  ).split(" "),
);

const PREPOSITIONS = /\b(by|in|of|at|on|for|from|to|with|near|within|under|after|as)$/;

/** "The capital of Germany is Berlin.", "Jaws is directed by Steven Spielberg.", "Pip lives in Ice Hall." */
function relationSentence(label: string, source: string, names: readonly string[], total: number): string {
  const list = listed(names.map(valueText));
  if (label === "borders") return `${source} borders ${list}.`;
  if (PREPOSITIONS.test(label) && label.includes(" ")) {
    return `${source} ${/^(is|was|has|\w+s) /.test(label) ? "" : "is "}${label} ${list}.`;
  }
  if (VERBS.has(label)) return `${source} ${label} ${list}.`;
  const noun = label.replace(/^has /, "");
  const has = / and \d+ others$/.test(source) ? "have" : "has";
  return total > 1
    ? `${source} ${has} ${integer(total)} ${plural(noun)}: ${list}.`
    : `The ${noun} of ${source} is ${list}.`;
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
  const [, subject, label] = /^what (.+) is (.+)$/.exec(single?.text ?? "") ?? [];
  if (subject && label) return relationSentence(label, subject, names, names.length);
  const last = program.steps.at(-1);
  const [, theirs] = /^their (.+)$/.exec(last?.text ?? "") ?? [];
  const source = program.steps.at(-2);
  const owned = theirs && phraseOf(before(program));
  if (theirs && owned && source && source.count > 0) {
    if (owners.size) return ownedSentence(theirs, view, owners);
    const of = / and \d+ others\b/.test(owned) || /^[A-Z]/.test(owned) ? owned : those(source.count, owned);
    return `The ${names.length > 1 ? plural(theirs) : theirs} of ${of}: ${listed(names)}.`;
  }
  // Of those that were named before, as many as were kept are told.
  const [named] = program.steps;
  if (named && program.steps.length > 1 && /^[A-Z].* and \d+ others$/.test(named.text)) {
    return `${integer(names.length)} of the ${integer(named.count)}: ${listed(names)}.`;
  }
  const phrase = phraseOf(program.steps);
  return phrase && `${startUpper(counted(names.length, phrase))}: ${listed(names)}.`;
}

function foldSentence(program: ProgramExecuted): string | null {
  const last = program.steps.at(-1);
  const [, how, noun] = /^(.+?) of their (.+)$/.exec(last?.text ?? "") ?? [];
  if (!how || !noun || !last?.value) return null;
  const source = program.steps.at(-2);
  const phrase = phraseOf(before(program));
  // Things that were named, as those of a question before are, are no kind of which there are so many.
  const named = phrase !== null && / and \d+ others\b/.test(phrase);
  const of = source ? ` of ${phrase && !named ? those(source.count, phrase) : integer(source.count)}` : "";
  return `The ${how === "sum" ? "total" : how} ${noun}${of} is ${last.value}.`;
}

function numberSentence(program: ProgramExecuted): string | null {
  const last = program.steps.at(-1);
  return last?.value && last.text.startsWith("the ") ? `${startUpper(last.text)} is ${last.value}.` : null;
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
    case "Difference":
      return numberSentence(program);
    default:
      return setSentence(program, names, view);
  }
}

/** What a chain leads to, as is said of several answers or one: "official languages of what Switzerland borders". */
function ledTo({ source, steps }: EvidenceChain, several: boolean): string | null {
  let said = source.label;
  for (const [index, step] of steps.entries()) {
    const last = index === steps.length - 1;
    const { label, inverse } = step;
    const ends = PREPOSITIONS.test(label) && label.includes(" ");
    if (label === "borders") said = last ? `bordered by ${said}` : `what ${said} borders`;
    else if (!inverse && !ends) said = `the ${last && several ? plural(label) : label} of ${said}`;
    else if (inverse && last && (ends || label === "starring")) said = `${label} ${said}`;
    else return null;
  }
  return said;
}

/** What several relations lead to, or one against its direction: "Jaws and Duel: directed by Steven Spielberg." */
function chainSentence({ answers, chains }: RunView): string | null {
  const [best] = answers;
  const led = best?.chains.map((index) => chains[index]) ?? [];
  // Said is only what is so of every answer.
  if (!led.length || led.length > 2 || !answers.every((one) => one.chains.join() === best?.chains.join())) {
    return null;
  }
  const said = led.map((chain) => chain && ledTo(chain, answers.length > 1));
  if (said.some((one) => !one)) return null;
  if (led.length > 1 && !led.every((chain) => chain?.merged_with.length)) return null;
  return `${listed(answers.map((answer) => valueText(answer.label)))}: ${said.join(" and ")}.`;
}

/** A question that one relation answers; else what is said of the chains. */
function pathSentence(view: RunView): string | null {
  const { answers, chains } = view;
  const [best] = answers;
  const chain = chains[best?.chains[0] ?? -1];
  const [step] = chain?.steps ?? [];
  if (!chain || chain.steps.length > 1 || !step || step.inverse) return chainSentence(view);
  const reached = new Set((chain.levels[0] ?? []).map((node) => node.id));
  if (!answers.every(({ entity }) => entity !== null && reached.has(entity.id))) return chainSentence(view);
  return relationSentence(
    step.label,
    chain.source.label,
    answers.map((answer) => answer.label),
    answers.length,
  );
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
