// What sets compared runs apart, in sentences: their answers, the facts they walk, and the time they took.
import { count } from "./format";
import { answerRows } from "./overlay";
import { isOver, type RunView } from "./runView";

export interface ComparedRun {
  name: string;
  view: RunView | null;
}

const NAMED = 3;
/** From how many times as long the slowest took, that is said. */
const SLOWER = 2;

function listed(names: readonly string[]): string {
  const shown = names.slice(0, NAMED);
  const more = names.length - shown.length;
  const parts = more > 0 ? [...shown, `${more} more`] : shown;
  const last = parts.at(-1) ?? "";
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(", ")} and ${last}`;
}

/** Those that most runs have, and of as many the earliest. */
function mostCommon(keys: readonly string[]): string {
  const votes = (key: string) => keys.filter((one) => one === key).length;
  return keys.reduce((best, key) => (votes(key) > votes(best) ? key : best), keys[0] ?? "");
}

function answersApart(runs: readonly { name: string; view: RunView }[]): string[] {
  const rows = answerRows(runs.map((run) => run.view));
  const own = runs.map((_, place) => rows.filter((row) => row.given[place]));
  const keys = own.map((some) =>
    some
      .map((row) => row.key)
      .sort()
      .join("\n"),
  );
  const base = mostCommon(keys);
  const first = keys.indexOf(base);
  const like = runs.filter((_, place) => keys[place] === base).map((run) => run.name);
  const kept = own[first] ?? [];
  const what =
    kept.length === 1 ? "the same answer" : kept.length ? `the same ${kept.length} answers` : "no answer";
  const said: string[] = [];
  if (like.length === runs.length)
    return [`${runs.length === 2 ? "Both" : `All ${runs.length}`} methods give ${what}.`];
  if (like.length > 1) said.push(`${listed(like)} give ${what}.`);
  runs.forEach(({ name }, place) => {
    if (keys[place] === base) return;
    const [mine, theirs] = [new Set(own[place]?.map((row) => row.key)), new Set(kept.map((row) => row.key))];
    const lacks = kept.filter((row) => !mine.has(row.key)).map((row) => row.label);
    const adds = (own[place] ?? []).filter((row) => !theirs.has(row.key)).map((row) => row.label);
    const than = like.length > 1 ? "" : ` beside ${like[0] ?? ""}`;
    if (!mine.size) said.push(`${name} gives no answer.`);
    else if (lacks.length && lacks.length === kept.length)
      said.push(`${name} gives other answers altogether: ${listed(adds)}.`);
    else
      said.push(
        `${name} ${[
          ...(lacks.length ? [`lacks ${listed(lacks)}`] : []),
          ...(adds.length ? [`adds ${listed(adds)}`] : []),
        ].join(" and ")}${than}.`,
      );
  });
  return said;
}

function factsApart(runs: readonly { name: string; view: RunView }[]): string[] {
  const walked = runs.map(({ view }) => new Set([...view.chainFacts.flat(), ...view.agentFacts]));
  const every = new Set(walked.flatMap((facts) => [...facts]));
  if (!every.size) return [];
  const by = (key: string) => walked.filter((facts) => facts.has(key)).length;
  const shared = [...every].filter((key) => by(key) === runs.length).length;
  if (shared === every.size) return [`They rest on the same ${shared === 1 ? "fact" : `${shared} facts`}.`];
  const alone = runs
    .map(({ name }, place) => ({
      name,
      only: [...(walked[place] ?? [])].filter((key) => by(key) === 1).length,
    }))
    .filter(({ only }) => only > 0)
    .map(({ name, only }) => `${only} only by ${name}`);
  const all = runs.length === 2 ? "both" : `all ${runs.length}`;
  const some = [...every].filter((key) => by(key) > 1).length - shared;
  const parts = [
    shared ? `${shared} ${shared === 1 ? "is" : "are"} used by ${all}` : `none is used by ${all}`,
    ...(some ? [`${some} by some of them`] : []),
    ...alone,
  ];
  return [`Of ${count(every.size, "fact")} as evidence ${parts.join(", ")}.`];
}

function timesApart(runs: readonly { name: string; view: RunView }[]): string[] {
  const timed = runs
    .flatMap(({ name, view }) => (view.tookMs === null ? [] : [{ name, ms: Math.max(view.tookMs, 1) }]))
    .sort((a, b) => a.ms - b.ms);
  const [fast, slow] = [timed[0], timed.at(-1)];
  if (!fast || !slow || slow.ms < SLOWER * fast.ms) return [];
  return [`${slow.name} took ${Math.round(slow.ms / fast.ms)} times as long as ${fast.name}.`];
}

/** Sentences on what sets the runs apart; none while fewer than two have answered. */
export function differences(runs: readonly ComparedRun[]): string[] {
  const over = runs.flatMap(({ name, view }) => (view && isOver(view.phase) ? [{ name, view }] : []));
  const lost = over
    .filter(({ view }) => view.phase !== "done")
    .map(({ name, view }) => `${name} ${view.phase === "failed" ? "failed" : "was stopped"}.`);
  const done = over.filter(({ view }) => view.phase === "done");
  if (done.length < 2) return lost;
  return [...answersApart(done), ...factsApart(done), ...timesApart(done), ...lost];
}
