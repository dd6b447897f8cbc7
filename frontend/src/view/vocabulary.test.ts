import { expect, it } from "vitest";
import type { Term } from "@/api/vocabulary";
import { addSynonyms, changeTerm, filterTerms, placeLines, usageText } from "./vocabulary";

const term = (change: Partial<Term> = {}): Term => ({
  category: "relation",
  name: "route",
  label: "route",
  count: 2,
  description: "",
  synonyms: [],
  unit: "",
  domain: [],
  range: [],
  inverse: [],
  broader: [],
  examples: [],
  warnings: [],
  question: "",
  updated_by: null,
  updated_at: null,
  ...change,
});

it("finds terms by label, description and synonym, within a category", () => {
  const terms = [
    term({ synonyms: ["flies to"] }),
    term({ name: "pax", label: "pax", description: "Passengers a year" }),
    term({ category: "kind", name: "airport", label: "airport" }),
  ];
  const names = (...args: [shown: "all" | "kind" | "relation", text: string]) =>
    filterTerms(terms, ...args).map(({ name }) => name);
  expect(names("all", "")).toEqual(["route", "pax", "airport"]);
  expect(names("all", "FLIES")).toEqual(["route"]);
  expect(names("all", "passengers")).toEqual(["pax"]);
  expect(names("kind", "")).toEqual(["airport"]);
  expect(names("kind", "flies")).toEqual([]);
});

it("adds each synonym once, several by commas", () => {
  expect(addSynonyms(["flies to"], " Flies  to, serves ,, serves")).toEqual(["flies to", "serves"]);
  expect(addSynonyms([], "  ")).toEqual([]);
});

it("saves what a term says with changes, and nothing that is computed", () => {
  expect(changeTerm(term({ unit: "km", warnings: ["w"] }), { synonyms: ["line"] })).toEqual({
    category: "relation",
    name: "route",
    description: "",
    synonyms: ["line"],
    unit: "km",
  });
});

it("says how often a term is used", () => {
  expect(usageText({ category: "relation", count: 1 })).toBe("1 fact");
  expect(usageText({ category: "kind", count: 1200 })).toBe("1,200 members");
  expect(usageText({ category: "kind", count: null })).toBe("not in this version");
});

it("lists what an ontology says of a term's place", () => {
  expect(placeLines(term({ domain: ["airport"], inverse: ["served from"] }))).toEqual([
    ["from", "airport"],
    ["inverse", "served from"],
  ]);
});
