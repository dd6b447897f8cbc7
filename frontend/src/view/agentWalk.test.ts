import { describe, expect, it } from "vitest";
import { RUN } from "@/test/switzerland";
import { CAPITAL, WALK } from "@/test/agent";
import { nothingExplored } from "./explore";
import { buildGraph } from "./graphModel";
import { viewAt } from "./runView";

const BORDERS_FACT = "10|borders|11";
const CAPITAL_FACT = "10|capital|30";
const at = (seq: number) => viewAt(RUN, WALK, seq);
const edges = (seq: number) =>
  buildGraph(at(seq), nothingExplored, {
    chain: null,
    limit: 99,
    only: "all",
    relations: new Set(),
  }).edges.map(({ id, faint, window }) => [id, faint ? "faint" : window ? "window" : "kept"]);

describe("a run of an agent", () => {
  it("grows by what is seen, and prunes what is left", () => {
    expect(at(2).window).toEqual([BORDERS_FACT, CAPITAL_FACT]);
    expect(edges(2)).toEqual([
      [BORDERS_FACT, "window"],
      [CAPITAL_FACT, "window"],
    ]);
    expect(at(4).window).toEqual([]);
    expect(edges(4)).toEqual([
      [BORDERS_FACT, "kept"],
      [CAPITAL_FACT, "faint"],
    ]);
  });

  it("draws what was kept alone, and says how many entities were only looked at", () => {
    const drawn = (only: "evidence" | "all") =>
      buildGraph(at(6), nothingExplored, { chain: null, limit: 99, only, relations: new Set() });
    const told = (only: "evidence" | "all") =>
      drawn(only)
        .nodes.map((node) => node.label)
        .sort();
    expect(told("evidence")).toEqual(["Austria", "Switzerland"]);
    expect(told("all")).toEqual(["Austria", "Bern", "Switzerland"]);
    expect([drawn("evidence").explored, drawn("all").explored]).toEqual([1, 0]);
  });

  it("draws what was left again where a person asks for it", () => {
    const bern = [...at(6).facts.values()].filter((fact) => fact.key === CAPITAL_FACT);
    const hand = { ...nothingExplored, added: new Map(bern.map((fact) => [fact.key, fact])) };
    const options = { chain: null, limit: 99, only: "evidence" as const, relations: new Set<string>() };
    expect(buildGraph(at(6), hand, options).nodes.map((node) => node.label)).toContain("Bern");
    expect(buildGraph(at(6), hand, options).explored).toBe(0);
  });

  it("rests with what could come next, and goes on", () => {
    expect(at(3)).toMatchObject({ phase: "paused", pause: { message: "Paused at 1." } });
    expect(at(3).pause?.alternatives[1]).toEqual(CAPITAL);
    expect(at(4)).toMatchObject({ phase: "running", pause: null });
    expect(at(6).phase).toBe("done");
  });

  it("is as it was before the steps that were taken back, without their answers", () => {
    const back = at(7);
    expect(back.agent.map((walk) => walk.event.step)).toEqual([1]);
    expect(back.undone.map((walk) => walk.seq)).toEqual([4, 5]);
    expect([back.agentFacts, back.window]).toEqual([[], [BORDERS_FACT, CAPITAL_FACT]]);
    expect([back.answers, back.phase]).toEqual([[], "running"]);
    expect(edges(9)).toEqual([
      [BORDERS_FACT, "faint"],
      [CAPITAL_FACT, "kept"],
    ]);
  });

  it("tells what was taken back as such, and a pause only while it lasts", () => {
    const told = (seq: number) => at(seq).steps.map((one) => (one.undone ? `-${one.title}` : one.title));
    expect(told(3)).toEqual(["Run started", "Agent step 1", "Paused"]);
    expect(told(6)).toEqual(["Run started", "Agent step 1", "Agent step 2", "Agent step 3", "Answer"]);
    expect(told(9)).toEqual([
      ...["Run started", "Agent step 1", "-Agent step 2", "-Agent step 3", "-Answer"],
      ...["Taken back", "Agent step 2"],
    ]);
  });

  it("takes back everything", () => {
    const events = [...WALK.slice(0, 6), { ...WALK[6], to_step: 0 } as (typeof WALK)[number]];
    const back = viewAt(RUN, events, 7);
    expect([back.agent, back.facts.size, back.nodes.size]).toEqual([[], 0, 0]);
    expect(back.steps.map((one) => one.undone ?? false)).toEqual([false, true, true, true, true, false]);
  });
});
