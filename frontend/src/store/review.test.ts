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
  openDesk,
  setBroken,
  setComment,
  stepBack,
  stepOn,
  toggleReason,
  withItem,
  type Desk,
} from "./review";
import { reviewGraph } from "./reviewGraph";

const item = (mine: Item["mine"] = null): Item =>
  itemOf(5, { candidates: [candidateOf(11), candidateOf(12), candidateOf(13)], mine });

const kinds = (desk: Desk) => [...desk.opinion.words].map(([id, { kind }]) => [id, kind]);

describe("judging an item", () => {
  it("goes on to the next path that nothing was said of", () => {
    let desk = judge(moveFocus(openDesk(item()), 1), "unsure");
    expect(desk.focus).toBe(2);
    desk = judge(desk, "rational");
    expect(desk.focus).toBe(0);
    desk = judge(desk, "not-rational");
    expect(desk.focus).toBe(0);
    expect(kinds(desk)).toEqual([
      [12, "unsure"],
      [13, "rational"],
      [11, "not-rational"],
    ]);
  });

  it("sends nothing until every path is judged", () => {
    const desk = judge(openDesk(item()), "rational");
    expect(missing(desk)).toBe(2);
    expect(judgementOf(desk, "id")).toBeNull();
  });

  it("sends what was shown, its version and all verdicts, with reasons and comments", () => {
    let desk = openDesk(item());
    desk = judge(desk, "not-rational");
    desk = toggleReason(toggleReason(desk, "detour", 11), "too-wide", 11);
    desk = setComment(toggleReason(desk, "detour", 11), " odd ", 11);
    desk = setComment(judgeRest(desk, "rational"), " well ", null);
    expect(judgementOf(desk, "id")).toEqual({
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
    const broken = toggleReason(setBroken(judge(openDesk(item()), "rational"), true), "unclear", null);
    expect(judgementOf(broken, "id")).toMatchObject({ verdicts: [], broken: true, reasons: ["unclear"] });
    expect(judge(broken, "rational").opinion).toMatchObject({ broken: false, reasons: [] });
  });

  it("opens with what was said before, at the first path that nothing was said of", () => {
    const verdicts = [{ candidate: 11, kind: "unsure" as const, reasons: [], comment: "" }];
    const desk = openDesk(item({ analyst: "ann", at: "", comment: "hm", verdicts }));
    expect(kinds(desk)).toEqual([[11, "unsure"]]);
    expect([desk.opinion.comment, desk.opinion.broken, desk.focus]).toEqual(["hm", false, 1]);
  });

  it("keeps the focus within the paths", () => {
    const desk = openDesk(item());
    expect(moveFocus(desk, -1).focus).toBe(0);
    expect([1, 1, 1, 1].reduce((now) => moveFocus(now, 1), desk).focus).toBe(2);
  });

  it("asks for reasons of the path in focus, else of the one judged last, else of the broken question", () => {
    const desk = judge(openDesk(item()), "rational");
    expect([desk.focus, aboutWhich(desk)]).toEqual([1, 11]);
    expect(aboutWhich(judge(moveFocus(desk, 1), "unsure"))).toBe(13);
    expect([aboutWhich(openDesk(item())), aboutWhich(setBroken(desk, true))]).toEqual([null, null]);
  });

  it("another verdict drops the reasons of the one before, and keeps the comment", () => {
    let desk = setComment(toggleReason(judge(openDesk(item()), "unsure"), "detour", 11), "so", 11);
    desk = judge(desk, "rational", 0);
    expect(desk.opinion.words.get(11)).toEqual({ kind: "rational", reasons: [], comment: "so" });
  });

  it("goes back step by step and on again, until something else is said", () => {
    const two = judge(judge(openDesk(item()), "rational"), "unsure");
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
    const desk = judge(judge(openDesk(item()), "rational"), "unsure");
    const next = withItem(desk, { ...item(), version: 3, candidates: [candidateOf(12), candidateOf(14)] });
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
