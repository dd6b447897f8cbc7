import { describe, expect, it } from "vitest";
import type { Item } from "@/api/review";
import { candidateOf, itemOf } from "@/test/review";
import {
  aboutWhich,
  judge,
  judgeRest,
  judgementOf,
  missing,
  moveFocus,
  openAnnotation,
  setBroken,
  setComment,
  stepBack,
  stepOn,
  toggleReason,
  withItem,
  type Annotation,
} from "./review";
import { reviewGraph } from "./reviewGraph";

const item = (mine: Item["mine"] = null): Item =>
  itemOf(5, { candidates: [candidateOf(11), candidateOf(12), candidateOf(13)], mine });

const kinds = (annotation: Annotation) => [...annotation.opinion.words].map(([id, { kind }]) => [id, kind]);

describe("judging an item", () => {
  it("goes on to the next path that nothing was said of", () => {
    let annotation = judge(moveFocus(openAnnotation(item()), 1), "unsure");
    expect(annotation.focus).toBe(2);
    annotation = judge(annotation, "rational");
    expect(annotation.focus).toBe(0);
    annotation = judge(annotation, "not-rational");
    expect(annotation.focus).toBe(0);
    expect(kinds(annotation)).toEqual([
      [12, "unsure"],
      [13, "rational"],
      [11, "not-rational"],
    ]);
  });

  it("sends nothing until every path is judged", () => {
    const annotation = judge(openAnnotation(item()), "rational");
    expect(missing(annotation)).toBe(2);
    expect(judgementOf(annotation, "id")).toBeNull();
  });

  it("sends what was shown, its version and all verdicts, with reasons and comments", () => {
    let annotation = openAnnotation(item());
    annotation = judge(annotation, "not-rational");
    annotation = toggleReason(toggleReason(annotation, "detour", 11), "too-wide", 11);
    annotation = setComment(toggleReason(annotation, "detour", 11), " odd ", 11);
    annotation = setComment(judgeRest(annotation, "rational"), " well ", null);
    expect(judgementOf(annotation, "id")).toEqual({
      id: "id",
      version: 2,
      shown: "hash",
      verdicts: [
        { candidate: 11, kind: "not-rational", reasons: ["too-wide"], comment: "odd" },
        { candidate: 12, kind: "rational", reasons: [], comment: "" },
        { candidate: 13, kind: "rational", reasons: [], comment: "" },
      ],
      broken: false,
      reasons: [],
      comment: "well",
    });
  });

  it("takes no verdict on the paths of a broken question, and judging mends it", () => {
    const broken = toggleReason(setBroken(judge(openAnnotation(item()), "rational"), true), "unclear", null);
    expect(judgementOf(broken, "id")).toMatchObject({ verdicts: [], broken: true, reasons: ["unclear"] });
    expect(judge(broken, "rational").opinion).toMatchObject({ broken: false, reasons: [] });
  });

  it("opens with what was said before, at the first path that nothing was said of", () => {
    const verdicts = [{ candidate: 11, kind: "unsure" as const, reasons: [], comment: "" }];
    const annotation = openAnnotation(item({ analyst: "ann", at: "", comment: "hm", verdicts }));
    expect(kinds(annotation)).toEqual([[11, "unsure"]]);
    expect([annotation.opinion.comment, annotation.opinion.broken, annotation.focus]).toEqual([
      "hm",
      false,
      1,
    ]);
  });

  it("keeps the focus within the paths", () => {
    const annotation = openAnnotation(item());
    expect(moveFocus(annotation, -1).focus).toBe(0);
    expect([1, 1, 1, 1].reduce((now) => moveFocus(now, 1), annotation).focus).toBe(2);
  });

  it("asks for reasons of the path in focus, else of the one judged last, else of the broken question", () => {
    const annotation = judge(openAnnotation(item()), "rational");
    expect([annotation.focus, aboutWhich(annotation)]).toEqual([1, 11]);
    expect(aboutWhich(judge(moveFocus(annotation, 1), "unsure"))).toBe(13);
    expect([aboutWhich(openAnnotation(item())), aboutWhich(setBroken(annotation, true))]).toEqual([
      null,
      null,
    ]);
  });

  it("another verdict drops the reasons of the one before, and keeps the comment", () => {
    let annotation = setComment(
      toggleReason(judge(openAnnotation(item()), "unsure"), "detour", 11),
      "so",
      11,
    );
    annotation = judge(annotation, "rational", 0);
    expect(annotation.opinion.words.get(11)).toEqual({ kind: "rational", reasons: [], comment: "so" });
  });

  it("goes back step by step and on again, until something else is said", () => {
    const two = judge(judge(openAnnotation(item()), "rational"), "unsure");
    const one = stepBack(two);
    expect(one && kinds(one)).toEqual([[11, "rational"]]);
    expect(one?.focus).toBe(1);
    const again = one && stepOn(one);
    expect(again && kinds(again)).toEqual(kinds(two));
    const none = one && stepBack(one);
    expect(none && [kinds(none), stepBack(none)]).toEqual([[], null]);
    expect(none && stepOn(judge(none, "unsure"))).toBeNull();
  });

  it("keeps what was said when the item has one path more and one less", () => {
    const annotation = judge(judge(openAnnotation(item()), "rational"), "unsure");
    const next = withItem(annotation, {
      ...item(),
      version: 3,
      candidates: [candidateOf(12), candidateOf(14)],
    });
    expect([kinds(next), missing(next), next.item.version]).toEqual([[[12, "unsure"]], 1, 3]);
  });
});

describe("the drawing", () => {
  const node = (id: number, label: string) => ({ id, label, kind: "entity" as const });
  const [ch, de, fr, at] = [
    node(1, "Switzerland"),
    node(2, "Germany"),
    node(3, "France"),
    node(4, "Austria"),
  ] as const;
  const hop = (target: typeof de) => ({
    source: ch,
    step: { name: "borders", label: "borders", inverse: false },
    target,
    verified: true,
  });
  const drawings = [
    { candidate: 11, hops: [hop(de)], hit: [de], extra: [], missed: [at] },
    { candidate: 12, hops: [hop(fr)], hit: [], extra: [fr], missed: [de, at] },
  ];

  it("lights the path in focus and says what it reaches in words", () => {
    const model = reviewGraph(drawings, item(), 11);
    expect(model.nodes.map(({ label, role, dim, depth }) => [label, role, dim, depth])).toEqual([
      ["Switzerland", "topic", false, 0],
      ["hit · Germany", "answer", false, 1],
      ["missed · Austria", "answer", false, 1],
      ["France", "path", true, 1],
    ]);
    expect(model.nodes.map(({ mark }) => mark)).toEqual([undefined, "hit", "missed", undefined]);
    expect(model.edges.map(({ id, lit, dim }) => [id, lit, dim])).toEqual([
      ["1|borders|2", true, false],
      ["1|borders|3", false, true],
    ]);
  });

  it("draws one path alone while it is edited", () => {
    const model = reviewGraph(drawings, item(), 12, "lit");
    expect(model.edges.map(({ id }) => id)).toEqual(["1|borders|3"]);
  });

  it("dims nothing without a focus", () => {
    const model = reviewGraph(drawings, item(), null);
    expect(model.nodes.some(({ dim }) => dim)).toBe(false);
  });
});
