import { describe, expect, it } from "vitest";
import { readEvent } from "@/test/readEvent";
import { EVENTS, NODES, RUN, hop } from "@/test/switzerland";
import { explore, nothingExplored } from "./explore";
import { pathWithin } from "./graphEdges";
import { NODE_LIMIT, buildGraph, lightNodes, type GraphOptions } from "./graphModel";
import { reduceRun, viewAt } from "./runView";

const options: GraphOptions = { chain: null, limit: NODE_LIMIT, only: "all", relations: new Set() };
const view = viewAt(RUN, EVENTS, EVENTS.length);
const model = buildGraph(view, nothingExplored, options);
const labels = (nodes: readonly { label: string }[]) => nodes.map((node) => node.label);

describe("roles", () => {
  it("tells topic, answers, path and dropped nodes apart", () => {
    expect(model.nodes.map((node) => [node.label, node.role, node.depth])).toEqual([
      ["Switzerland", "topic", 0],
      ["German", "answer", 2],
      ["French", "answer", 2],
      ["Austria", "path", 1],
      ["France", "path", 1],
      ["Italy", "path", 1],
      ["Italian", "path", 2],
      ["Bern", "faint", 1],
    ]);
  });

  it("draws an inverse hop in the direction of its fact", () => {
    const edge = model.edges.find((e) => e.id === "12|borders|10");
    expect([edge?.source, edge?.target, edge?.label]).toEqual([
      NODES.france.id,
      NODES.switzerland.id,
      "borders",
    ]);
  });
});

describe("a fact that holds both ways", () => {
  const back = explore(nothingExplored, {
    type: "expand",
    hops: [hop(NODES.austria, "borders", NODES.switzerland)],
  });

  it("is one line with two heads", () => {
    const both = buildGraph(view, back, options).edges.filter((edge) => edge.relation === "borders");
    expect(both.map((edge) => [edge.id, edge.both])).toEqual([
      ["10|borders|11", true],
      ["12|borders|10", false],
      ["10|borders|13", false],
    ]);
  });

  it("stays two lines when only one of them was verified", () => {
    const doubt = explore(nothingExplored, {
      type: "expand",
      hops: [hop(NODES.austria, "borders", NODES.switzerland, false, false)],
    });
    const borders = buildGraph(view, doubt, options).edges.filter((edge) => edge.relation === "borders");
    expect(borders.map((edge) => [edge.id, edge.both, edge.verified])).toContainEqual([
      "11|borders|10",
      false,
      false,
    ]);
  });
});

describe("a chosen chain", () => {
  const chosen = buildGraph(view, nothingExplored, { ...options, chain: 0 });

  it("lights its facts and dims the rest", () => {
    expect(chosen.edges.filter((edge) => edge.lit).map((edge) => edge.id)).toEqual([
      "10|borders|11",
      "11|official_language|20",
      "12|borders|10",
      "12|official_language|21",
      "10|borders|13",
      "13|official_language|22",
    ]);
    expect(labels(chosen.nodes.filter((node) => node.dim))).toEqual(["Bern"]);
  });
});

describe("limits and filters", () => {
  it("says how many of how many, and keeps topics and answers first", () => {
    const cut = buildGraph(view, nothingExplored, { ...options, limit: 3 });
    expect([labels(cut.nodes), cut.total]).toEqual([["Switzerland", "German", "French"], 8]);
    expect(cut.edges).toEqual([]);
  });

  it("is without a number of the question that no evidence is about", () => {
    const six = { id: 99, label: "6", kind: "literal" as const };
    const [linked] = view.linked;
    const asked = {
      ...view,
      linked: linked ? [...view.linked, { ...linked, entity: six }] : [],
      nodes: new Map([...view.nodes, [six.id, six]]),
    };
    const drawn = (only: GraphOptions["only"], hand = nothingExplored) =>
      labels(buildGraph(asked, hand, { ...options, only }).nodes).includes("6");
    expect([drawn("evidence"), drawn("all")]).toEqual([false, true]);
    expect(drawn("evidence", explore(nothingExplored, { type: "pin", nodes: [six.id] }))).toBe(true);
  });

  it("can show the evidence alone, and says how many entities were explored besides", () => {
    const alone = buildGraph(view, nothingExplored, { ...options, only: "evidence" });
    expect(labels(alone.nodes)).toEqual([
      ...["Switzerland", "German", "French", "Austria", "France", "Italy", "Italian"],
    ]);
    expect([alone.explored, model.explored]).toEqual([1, 0]);
  });

  it("shows what was explored where nothing supports an answer", () => {
    const early = viewAt(RUN, EVENTS, 3);
    const drawn = buildGraph(early, nothingExplored, { ...options, only: "evidence" });
    expect([labels(drawn.nodes), drawn.explored, drawn.settled]).toEqual([["Switzerland"], 0, false]);
  });

  it("draws entities that somebody asks to see besides", () => {
    const zurich = { id: 40, label: "Zürich", kind: "entity" as const };
    const drawn = buildGraph(view, nothingExplored, { ...options, also: [zurich, NODES.bern] });
    expect(drawn.nodes.slice(-2).map((node) => [node.label, node.role, node.degree])).toEqual([
      ["Bern", "faint", 1],
      ["Zürich", "faint", 0],
    ]);
  });

  it("can show one relation only; topics and answers stay", () => {
    const only = buildGraph(view, nothingExplored, { ...options, relations: new Set(["capital"]) });
    expect(labels(only.nodes)).toEqual(["Switzerland", "German", "French", "Bern"]);
  });
});

describe("exploring by hand", () => {
  const zurich = { id: 40, label: "Zürich", kind: "entity" as const };
  const expanded = explore(nothingExplored, {
    type: "expand",
    hops: [hop(zurich, "located_in", NODES.switzerland)],
  });

  it("adds neighbours as faint nodes", () => {
    const added = buildGraph(view, expanded, options).nodes.find((node) => node.id === 40);
    expect(added).toMatchObject({ label: "Zürich", role: "faint", depth: 1 });
  });

  it("hides a node with its edges, and undo brings both back", () => {
    const hidden = explore(expanded, { type: "hide", nodes: [11] });
    const without = buildGraph(view, hidden, options);
    expect(labels(without.nodes)).not.toContain("Austria");
    expect(without.edges.map((edge) => edge.id)).not.toContain("10|borders|11");
    expect(without.hidden).toBe(1);
    const back = explore(hidden, { type: "undo" });
    expect(labels(buildGraph(view, back, options).nodes)).toContain("Austria");
    expect(explore(explore(back, { type: "undo" }), { type: "undo" })).toMatchObject({
      past: [],
      hidden: new Set(),
    });
  });

  it("hides several at once, and brings all of them back at once", () => {
    const hidden = explore(nothingExplored, { type: "hide", nodes: [11, 12] });
    expect(buildGraph(view, hidden, options).hidden).toBe(2);
    expect(explore(hidden, { type: "undo" }).hidden.size).toBe(0);
  });

  it("keeps what is pinned, with what joins it to the rest, until it is let go", () => {
    const evidence = { ...options, only: "evidence" as const };
    const pins = explore(nothingExplored, { type: "pin", nodes: [NODES.bern.id] });
    expect(labels(buildGraph(view, nothingExplored, evidence).nodes)).not.toContain("Bern");
    const kept = buildGraph(view, pins, { ...evidence, limit: 2 });
    expect(kept.nodes[0]).toMatchObject({ label: "Bern", pinned: true });
    expect(kept.edges.map((edge) => edge.id)).toEqual(["10|capital|30"]);
    const letGo = explore(pins, { type: "pin", nodes: [NODES.bern.id] });
    expect(letGo.pinned.size).toBe(0);
    expect(explore(letGo, { type: "undo" }).pinned).toEqual(new Set([NODES.bern.id]));
    expect(explore(pins, { type: "hide", nodes: [NODES.bern.id] }).pinned.size).toBe(0);
  });

  it("shows a hidden node again when an expansion reaches it", () => {
    const hidden = explore(nothingExplored, { type: "hide", nodes: [30] });
    const again = explore(hidden, { type: "expand", hops: [hop(NODES.switzerland, "capital", NODES.bern)] });
    expect(again.hidden.size).toBe(0);
  });

  it("finds the path between two shown nodes, against directions too", () => {
    expect(pathWithin(model, NODES.german.id, NODES.french.id)).toEqual([
      "11|official_language|20",
      "10|borders|11",
      "12|borders|10",
      "12|official_language|21",
    ]);
    expect(pathWithin(model, 10, 999)).toEqual([]);
  });

  it("marks that path until undone", () => {
    const marked = explore(nothingExplored, { type: "mark", facts: ["10|borders|11"] });
    const lit = buildGraph(view, marked, options);
    expect(lit.edges.filter((edge) => edge.lit).map((edge) => edge.id)).toEqual(["10|borders|11"]);
    expect(
      buildGraph(view, explore(marked, { type: "undo" }), options).nodes.every((node) => !node.dim),
    ).toBe(true);
  });
});

describe("an agent's step", () => {
  const step = readEvent({
    run: RUN,
    seq: 3,
    at: "2026-01-05T12:00:00.100Z",
    type: "agent.step",
    step: 1,
    hops: [hop(NODES.switzerland, "borders", NODES.austria)],
    dropped: [hop(NODES.switzerland, "capital", NODES.bern)],
    current: [NODES.switzerland],
  });
  const jump = readEvent({
    ...{ run: RUN, seq: 4, at: "2026-01-05T12:00:00.200Z", type: "similarity.expanded", step: 1 },
    ...{ source: NODES.austria, target: NODES.german, score: 0.8 },
  });
  const walking = [step, jump].reduce(reduceRun, viewAt(RUN, EVENTS, 2));

  it("draws what was left faintly, and marks where the agent stands", () => {
    const drawn = buildGraph(walking, nothingExplored, options);
    expect(drawn.edges.map((edge) => [edge.id, edge.kind, edge.faint])).toEqual([
      ["10|borders|11", "fact", false],
      ["10|capital|30", "fact", true],
      ["~11|20", "jump", false],
    ]);
    expect(drawn.nodes.map((node) => [node.label, node.role, node.here, node.depth])).toEqual([
      ["Switzerland", "topic", true, 0],
      ["Austria", "path", false, 1],
      ["Bern", "faint", false, 1],
      ["German", "faint", false, 2],
    ]);
  });

  it("lights what is pointed at, a jump with its ends, and dims nothing for what is not drawn yet", () => {
    const drawn = buildGraph(walking, nothingExplored, { ...options, lit: ["~11|20"] });
    expect(drawn.edges.filter((edge) => edge.lit).map((edge) => edge.id)).toEqual(["~11|20"]);
    expect(labels(drawn.nodes.filter((node) => !node.dim))).toEqual(["Austria", "German"]);
    const early = buildGraph(viewAt(RUN, EVENTS, 2), nothingExplored, { ...options, lit: ["~11|20"] });
    expect(labels(early.nodes.filter((node) => node.dim))).toEqual([]);
  });
});

describe("entities that are pointed at", () => {
  const model = buildGraph(viewAt(RUN, EVENTS, EVENTS.length), nothingExplored, {
    ...{ chain: null, limit: NODE_LIMIT, only: "all" as const, relations: new Set<string>() },
  });

  it("are lit with the facts among them, before all else", () => {
    const lit = lightNodes(model, [NODES.switzerland.id, NODES.austria.id, 999]);
    expect(lit.nodes.filter((node) => !node.dim).map((node) => node.label)).toEqual([
      "Switzerland",
      "Austria",
    ]);
    expect(lit.edges.filter((edge) => edge.lit).map((edge) => edge.id)).toEqual(["10|borders|11"]);
    expect(lit.edges.filter((edge) => !edge.dim)).toHaveLength(1);
  });

  it("dim nothing where none of them is drawn", () => {
    expect(lightNodes(model, [999])).toBe(model);
  });
});

describe("an answer that is looked at", () => {
  it("lights what of the chain leads to it", () => {
    const to = (node: number) =>
      buildGraph(view, nothingExplored, { ...options, chain: 0, node })
        .edges.filter((edge) => edge.lit)
        .map((edge) => edge.id);
    expect(to(NODES.french.id)).toEqual(["12|borders|10", "12|official_language|21"]);
    // The chain does not lead to what it begins with: all of it is lit.
    expect(to(NODES.switzerland.id)).toHaveLength(6);
  });
});
