import { expect, it } from "vitest";
import type { Item, Kind } from "@/api/review";
import type { Disagreement } from "@/api/reviewDeciding";
import { candidateOf, itemOf, rowOf } from "@/test/review";
import { missing } from "./review";
import { saidOf, sidesAnnotation } from "./reviewSides";

const row = rowOf(5, { state: "done", submitted: 2, version: 3 });
const item = (adjudicated: Item["adjudicated"] = null): Item =>
  itemOf(5, { ...row, candidates: [candidateOf(11), candidateOf(12)], adjudicated });
const said = (analyst: string, kind: Kind, reasons: "detour"[] = []) => ({
  analyst,
  kind,
  reasons,
  comment: "",
});
const sides: Disagreement = {
  item: row,
  candidates: [
    { candidate: candidateOf(11), said: [said("bob", "rational"), said("ann", "unsure")] },
    {
      candidate: candidateOf(12),
      said: [said("bob", "not-rational", ["detour"]), said("ann", "not-rational")],
    },
  ],
  broken: [],
};

it("begins with what all agree on, and leaves what they do not", () => {
  const annotation = sidesAnnotation(item(), sides);
  expect([...annotation.opinion.words]).toEqual([
    [12, { kind: "not-rational", reasons: ["detour"], comment: "" }],
  ]);
  expect([annotation.focus, missing(annotation)]).toEqual([0, 1]);
});

it("begins with nothing where somebody calls the question broken, and with the decision where there is one", () => {
  const broken = { ...sides, broken: [{ ...said("cy", "unsure"), kind: "broken" as const }] };
  expect(sidesAnnotation(item(), broken).opinion.words.size).toBe(0);
  const verdicts = [11, 12].map((one) => ({ candidate: one, ...said("", "rational") }));
  const decided = sidesAnnotation(item({ analyst: "eve", at: "", comment: "so", verdicts }), sides);
  expect([missing(decided), decided.opinion.comment]).toEqual([0, "so"]);
});

it("gathers what each analyst says of the paths and of the question", () => {
  const all = saidOf({ ...sides, broken: [{ ...said("cy", "unsure"), kind: "broken" }] });
  expect(
    all.map(({ analyst, verdicts }) => [analyst, verdicts.map((one) => [one.candidate, one.kind])]),
  ).toEqual([
    [
      "ann",
      [
        [11, "unsure"],
        [12, "not-rational"],
      ],
    ],
    [
      "bob",
      [
        [11, "rational"],
        [12, "not-rational"],
      ],
    ],
    ["cy", [[null, "broken"]]],
  ]);
});
