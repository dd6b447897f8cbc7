// Names in a row, as the engine writes them in its sentences.
import { integer } from "./format";

/** A name in a line that runs left to right: one of a script that runs the other way stays apart from its neighbours. */
const isolate = (name: string) => (/[\u0590-\u08ff\ufb1d-\ufefc]/u.test(name) ? `\u2068${name}\u2069` : name);

/** Of more than four names the first three, and how many others. */
export function nameList(given: readonly string[]): string {
  const names = given.map(isolate);
  const shown = names.length > 4 ? [...names.slice(0, 3), `${integer(names.length - 3)} others`] : names;
  return shown.length < 2 ? (shown[0] ?? "") : `${shown.slice(0, -1).join(", ")} and ${shown.at(-1) ?? ""}`;
}
