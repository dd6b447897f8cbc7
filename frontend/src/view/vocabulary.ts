// Which terms of a graph are shown, and how they change.
import type { NewTerm, Term } from "@/api/vocabulary";
import { integer } from "@/view/format";

export type Shown = "all" | Term["category"];

export const termKey = ({ category, name }: Pick<Term, "category" | "name">) => `${category} ${name}`;

/** The terms of a category that have a text in their label, description or synonyms. */
export function filterTerms(terms: readonly Term[], shown: Shown, text: string): Term[] {
  const wanted = text.trim().toLowerCase();
  return terms.filter(
    (term) =>
      (shown === "all" || term.category === shown) &&
      [term.label, term.description, ...term.synonyms].some((part) => part.toLowerCase().includes(wanted)),
  );
}

/** A term as it is saved, with changes. */
export function changeTerm(term: Term, change: Partial<NewTerm>): NewTerm {
  const { category, name, description, synonyms, unit } = term;
  return { category, name, description, synonyms, unit, ...change };
}

/** The synonyms with those of a text, which commas separate; each stays once. */
export function addSynonyms(synonyms: readonly string[], text: string): string[] {
  const known = new Set(synonyms.map((synonym) => synonym.toLowerCase()));
  const added = text
    .split(",")
    .map((part) => part.trim().replaceAll(/\s+/g, " "))
    .filter((part) => part !== "" && !known.has(part.toLowerCase()) && known.add(part.toLowerCase()));
  return [...synonyms, ...added];
}

/** How often a term is used in the current version. */
export function usageText({ category, count }: Pick<Term, "category" | "count">): string {
  if (count === null) return "not in this version";
  const noun = category === "relation" ? "fact" : "member";
  return `${integer(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** What an ontology says of a term's place, as lines of a name and its values. */
export function placeLines({ domain, range, inverse, broader }: Term): [string, string][] {
  const lines: [string, readonly string[]][] = [
    ["from", domain],
    ["to", range],
    ["inverse", inverse],
    ["special case of", broader],
  ];
  return lines.filter(([, values]) => values.length).map(([name, values]) => [name, values.join(", ")]);
}
