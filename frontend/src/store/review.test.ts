import { describe, expect, it } from "vitest";
import type { Candidate, Item } from "@/api/review";
import { actOf, judge, judgementOf, missing, moveFocus, openDesk } from "./review";
import { reviewGraph } from "./reviewGraph";

const candidate = (id: number): Candidate => ({
  id,
  topic: "Switzerland",
  steps: [{ name: "borders", label: "borders", inverse: false }],
  sources: [],
  reached: 2,
  hits: 1,
  precision: 0.5,
  recall: 1,
});

const item = (mine: Item["mine"] = null): Item => ({
  id: 5,
  queue: 1,
  position: 0,
  key: "q",
  question: "what borders Switzerland?",
  doubt: 1,
  reason: "why",
  state: "open",
  submitted: 0,
  topics: ["Switzerland"],
  answers: ["Germany", "Austria"],
  shown: "hash",
  version: 2,
  candidates: [candidate(11), candidate(12), candidate(13)],
  mine,
});

const press = (key: string, held: Partial<{ ctrlKey: boolean; altKey: boolean }> = {}) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  ...held,
});

describe("judging an item", () => {
  it("goes on to the next path that nothing was said of", () => {
    let desk = judge(moveFocus(openDesk(item()), 1), "unsure");
    expect(desk.focus).toBe(2);
    desk = judge(desk, "rational");
    expect(desk.focus).toBe(0);
    desk = judge(desk, "not-rational");
    expect(desk.focus).toBe(0);
    expect([...desk.verdicts]).toEqual([
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

  it("sends what was shown, its version and all verdicts", () => {
    let desk = openDesk(item());
    for (let i = 0; i < 3; i += 1) desk = judge(desk, "rational");
    expect(judgementOf({ ...desk, comment: " well " }, "id")).toEqual({
      id: "id",
      version: 2,
      shown: "hash",
      verdicts: [11, 12, 13].map((one) => ({ candidate: one, kind: "rational" })),
      broken: false,
      comment: "well",
    });
  });

  it("takes no verdict on the paths of a broken question, and judging mends it", () => {
    const broken = { ...judge(openDesk(item()), "rational"), broken: true };
    expect(judgementOf(broken, "id")?.verdicts).toEqual([]);
    expect(judge(broken, "rational").broken).toBe(false);
  });

  it("opens with what was said before", () => {
    const verdicts = [{ candidate: 12, kind: "unsure" as const, reasons: [], comment: "" }];
    const desk = openDesk(item({ analyst: "ann", at: "", comment: "hm", verdicts }));
    expect([...desk.verdicts]).toEqual([[12, "unsure"]]);
    expect([desk.comment, desk.broken]).toEqual(["hm", false]);
  });

  it("keeps the focus within the paths", () => {
    const desk = openDesk(item());
    expect(moveFocus(desk, -1).focus).toBe(0);
    expect([1, 1, 1, 1].reduce((now) => moveFocus(now, 1), desk).focus).toBe(2);
  });
});

describe("keys", () => {
  it("do what the buttons say", () => {
    expect(["1", "2", "3"].map((key) => actOf(press(key)))).toEqual([
      { type: "judge", kind: "rational" },
      { type: "judge", kind: "not-rational" },
      { type: "judge", kind: "unsure" },
    ]);
    expect(actOf(press("j"))).toEqual({ type: "move", by: 1 });
    expect(actOf(press("k"))).toEqual({ type: "move", by: -1 });
    expect(actOf(press("Enter"))).toEqual({ type: "submit" });
    expect(actOf(press("z", { ctrlKey: true }))).toEqual({ type: "undo" });
    expect([
      actOf(press("z")),
      actOf(press("1", { ctrlKey: true })),
      actOf(press("1", { altKey: true })),
    ]).toEqual([null, null, null]);
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
      ["Germany · hit", "answer", false, 1],
      ["Austria · missed", "answer", false, 1],
      ["France", "path", true, 1],
    ]);
    expect(model.edges.map(({ id, lit, dim }) => [id, lit, dim])).toEqual([
      ["1|borders|2", true, false],
      ["1|borders|3", false, true],
    ]);
  });

  it("dims nothing without a focus", () => {
    const model = reviewGraph(drawings, item(), null);
    expect(model.nodes.some(({ dim }) => dim)).toBe(false);
  });
});
