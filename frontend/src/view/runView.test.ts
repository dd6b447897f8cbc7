import { describe, expect, it } from "vitest";
import type { RunEvent } from "@/api/events";
import { readEvent } from "@/test/readEvent";
import { EVENTS, NODES, RUN, hop } from "@/test/switzerland";
import { PROGRAM, programRun } from "@/test/program";
import { jumpsAfter } from "./agentWalk";
import { factOfHop } from "./runEntities";
import { emptyView, isOver, reduceRun, viewAt } from "./runView";

const end = EVENTS.length;
const next = (payload: object): RunEvent =>
  readEvent({ run: RUN, seq: 99, at: "2026-01-05T12:00:01.000Z", ...payload });

describe("the recorded run", () => {
  it("is queued before its first event", () => {
    expect(emptyView(RUN)).toMatchObject({ phase: "queued", seq: 0, steps: [] });
  });

  it("links the topic entity before any path is known", () => {
    const view = viewAt(RUN, EVENTS, 2);
    expect(view.phase).toBe("running");
    expect(view.linked.map((linked) => linked.entity.label)).toEqual(["Switzerland"]);
    expect([...view.nodes.values()]).toEqual([NODES.switzerland]);
    expect(view.facts.size).toBe(0);
  });

  it("grows by the facts of each path", () => {
    expect([...viewAt(RUN, EVENTS, 4).facts.keys()]).toEqual(["10|borders|11", "11|official_language|20"]);
    expect([...viewAt(RUN, EVENTS, 5).facts.keys()]).toEqual([
      "10|borders|11",
      "11|official_language|20",
      "12|borders|10",
      "12|official_language|21",
    ]);
  });

  it("keeps every fact once when chains repeat the paths' facts", () => {
    const view = viewAt(RUN, EVENTS, 7);
    expect([...view.facts.keys()]).toEqual([
      "10|borders|11",
      "11|official_language|20",
      "12|borders|10",
      "12|official_language|21",
      "10|capital|30",
      "10|borders|13",
      "13|official_language|22",
    ]);
    expect(view.chainFacts).toEqual([
      [
        "10|borders|11",
        "12|borders|10",
        "10|borders|13",
        "11|official_language|20",
        "12|official_language|21",
        "13|official_language|22",
      ],
    ]);
    expect([...view.nodes.keys()]).toEqual([10, 11, 20, 12, 21, 30, 13, 22]);
  });

  it("joins the pieces of the answer text and counts them as one step", () => {
    const view = viewAt(RUN, EVENTS, 9);
    expect(view.text).toBe("German, French");
    expect(view.steps.at(-1)).toMatchObject({ seq: 9, title: "Writing the answer", detail: "14 characters" });
  });

  it("ends with answers, usage and the time", () => {
    const view = viewAt(RUN, EVENTS, end);
    expect(view.phase).toBe("done");
    expect(view.answers.map((answer) => [answer.label, answer.verified])).toEqual([
      ["German", true],
      ["French", true],
      ["Romansh", false],
    ]);
    expect(view).toMatchObject({ tookMs: 130, noAnswer: null, usage: { triples: 7 } });
    expect(view.warnings).toEqual(["1 answer is not in the graph."]);
  });

  it("tells each step with its time", () => {
    const steps = viewAt(RUN, EVENTS, end).steps.map(({ seq, title, detail, offset, took }) => [
      seq,
      title,
      detail,
      offset,
      took,
    ]);
    expect(steps).toEqual([
      [1, "Run started", "rel-rag-path, extractive reasoner, budget 50", 0, null],
      [2, "Entities linked", "Switzerland", 10, 4],
      [3, "Subgraph", "41 entities, 120 triples within 2 hops", 20, 3],
      [4, "Path 1", "Switzerland → borders Austria → official language German", 30, null],
      [5, "Path 2", "Switzerland ← borders France → official language French", 40, null],
      [6, "Path 3", "Switzerland → capital Bern", 50, null],
      [7, "Evidence chains", "1 chain from 3 paths, 6 facts", 60, 2],
      [9, "Writing the answer", "14 characters", 80, null],
      [10, "Answer", "3 answers", 90, 130],
    ]);
  });

  it("replays to the same view as the live stream gave", () => {
    const live = EVENTS.reduce(reduceRun, emptyView(RUN));
    expect(viewAt(RUN, EVENTS, end)).toEqual(live);
    expect(viewAt(RUN, EVENTS, 0)).toEqual(emptyView(RUN));
  });
});

describe("facts", () => {
  it("turns an inverse hop round: the fact is drawn as the graph has it", () => {
    const fact = factOfHop(hop(NODES.switzerland, "borders", NODES.france, true));
    expect([fact.head.label, fact.relation, fact.tail.label]).toEqual(["France", "borders", "Switzerland"]);
  });

  it("is one fact, whichever way it was walked", () => {
    const forward = factOfHop(hop(NODES.austria, "official_language", NODES.german));
    const backward = factOfHop(hop(NODES.german, "official_language", NODES.austria, true));
    expect(backward.key).toBe(forward.key);
  });

  it("becomes verified when a later event found it, and stays so", () => {
    const doubtful = hop(NODES.austria, "official_language", NODES.german, false, false);
    const sure = { ...doubtful, verified: true };
    const step = (h: typeof sure) =>
      next({ type: "agent.step", step: 1, hops: [h], action: "", observation: "" });
    const first = reduceRun(emptyView(RUN), step(doubtful));
    expect(first.facts.get("11|official_language|20")?.verified).toBe(false);
    const second = reduceRun(first, step(sure));
    expect(second.facts.get("11|official_language|20")?.verified).toBe(true);
    expect(reduceRun(second, step(doubtful)).facts.get("11|official_language|20")?.verified).toBe(true);
  });
});

describe("other events", () => {
  const running = viewAt(RUN, EVENTS, 5);

  it("keeps what was found when a run fails", () => {
    const view = reduceRun(
      running,
      next({ type: "run.failed", code: "llm_timeout", message: "No reply.", hint: "Retry." }),
    );
    expect(view.phase).toBe("failed");
    expect(view.failure).toEqual({ code: "llm_timeout", message: "No reply.", hint: "Retry." });
    expect(view.paths).toHaveLength(2);
    expect(isOver(view.phase)).toBe(true);
  });

  it("keeps what was found when a run is stopped", () => {
    const view = reduceRun(running, next({ type: "run.cancelled", message: "Stopped.", paths: 2 }));
    expect(view).toMatchObject({ phase: "cancelled", cancelled: { message: "Stopped.", paths: 2 } });
    expect(view.steps.at(-1)?.detail).toBe("Stopped. 2 paths kept.");
    expect(view.facts.size).toBe(4);
  });

  it("carries a typed no-answer", () => {
    const none = { reason: "no_path", message: "Nothing connects.", hint: "Raise the budget." };
    const view = reduceRun(
      running,
      next({
        type: "answer.final",
        answers: [],
        no_answer: none,
        text: "",
        warnings: [],
        usage: null,
        took_ms: 9,
      }),
    );
    expect(view).toMatchObject({ phase: "done", answers: [], noAnswer: none });
    expect(view.steps.at(-1)).toMatchObject({ title: "No answer", detail: "Nothing connects." });
  });

  it("keeps similarity jumps and the router's choice", () => {
    const jump = { type: "similarity.expanded", source: NODES.bern, target: NODES.german, score: 0.42 };
    const routed = {
      type: "router.decided",
      method: "rapl",
      reason: "two hops",
      scores: { rapl: 0.7 },
      took_ms: 1,
    };
    const view = [jump, routed].map(next).reduce(reduceRun, running);
    expect(view.jumps.map((j) => [j.source.label, j.target.label, j.score])).toEqual([
      ["Bern", "German", 0.42],
    ]);
    expect(view.router?.method).toBe("rapl");
    expect(view.steps.slice(-2).map((step) => step.detail)).toEqual([
      "Bern ~ German (0.42)",
      "rapl: two hops",
    ]);
  });

  it("knows what an agent selected and left, where it stands, and that it stands nowhere in the end", () => {
    const linked = viewAt(RUN, EVENTS, 2);
    const step = {
      type: "agent.step",
      step: 1,
      action: "select",
      hops: [hop(NODES.switzerland, "borders", NODES.austria)],
      dropped: [hop(NODES.switzerland, "capital", NODES.bern)],
      current: [NODES.switzerland],
      sufficient: false,
    };
    const jump = {
      type: "similarity.expanded",
      source: NODES.bern,
      target: NODES.german,
      score: 0.9,
      step: 1,
    };
    const view = [step, jump].map(next).reduce(reduceRun, linked);
    expect(view.agent.map(({ chosen, dropped }) => [chosen, dropped])).toEqual([
      [["10|borders|11"], ["10|capital|30"]],
    ]);
    expect([view.agentFacts, [...view.facts.keys()]]).toEqual([
      ["10|borders|11"],
      ["10|borders|11", "10|capital|30"],
    ]);
    expect(view.frontier).toEqual([NODES.switzerland]);
    expect([jumpsAfter(view, 1).length, jumpsAfter(view, 2).length]).toEqual([1, 0]);
    expect(
      reduceRun(view, next({ type: "chains.built", chains: [], paths: 1, triples: 1 })).frontier,
    ).toEqual([]);
  });
});

it("has the program from its event on, and none before", () => {
  const events = programRun();
  expect(events.map((_, index) => viewAt(RUN, events, index).program?.read.text ?? null)).toEqual([
    null,
    null,
    PROGRAM.read.text,
    PROGRAM.read.text,
  ]);
  expect(viewAt(RUN, events, 4).steps[1]).toMatchObject({
    title: "Worked out",
    detail: PROGRAM.read.text,
    took: 3,
  });
});
