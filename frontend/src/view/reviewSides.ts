// What analysts say of an item that they do not agree on, as the one who decides begins with it. Pure.
import type { Item, Said } from "@/api/review";
import type { Disagreement, OneSaid } from "@/api/reviewDeciding";
import { openAnnotation, opinionOf, type Annotation, type Word } from "./review";

/** Each analyst with all they say of the item. */
export function saidOf({ candidates, broken }: Disagreement): Said[] {
  const by = new Map<string, Said>();
  const put = (one: OneSaid, candidate: number | null) => {
    const said = by.get(one.analyst) ?? { analyst: one.analyst, at: "", comment: "", verdicts: [] };
    by.set(one.analyst, { ...said, verdicts: [...said.verdicts, { ...one, candidate }] });
  };
  for (const { candidate, said } of candidates) for (const one of said) put(one, candidate.id);
  for (const one of broken) put(one, null);
  return [...by.values()].sort((a, b) => a.analyst.localeCompare(b.analyst));
}

/** The item with what all agree on said already; or as it was decided before. */
export function sidesAnnotation(item: Item, sides: Disagreement): Annotation {
  if (item.adjudicated) return openAnnotation(item, opinionOf(item.adjudicated));
  const words = new Map<number, Word>();
  for (const { candidate, said } of sides.candidates) {
    const [first, ...others] = said;
    if (!first || first.kind === "broken" || sides.broken.length) continue;
    if (others.every((one) => one.kind === first.kind)) {
      const reasons = [...new Set(said.flatMap((one) => one.reasons))];
      words.set(candidate.id, { kind: first.kind, reasons, comment: "" });
    }
  }
  return openAnnotation(item, { words, broken: false, reasons: [], comment: "" });
}
