import { describe, expect, it } from "vitest";
import type { GraphEdge, GraphModel, GraphNode } from "@/view/graphModel";
import { bodyAt } from "./elements";
import { MASS, Spots, parted } from "./backgroundLayer";

const node = (id: number, over: Partial<GraphNode> = {}): GraphNode => ({
  ...{ id, label: String(id), kind: "entity", role: "faint", depth: 1, degree: 1, here: false, dim: false },
  ...over,
});

const edge = (source: number, target: number, over: Partial<GraphEdge> = {}): GraphEdge => ({
  ...{ id: `${source} ${target}`, fact: "", stroke: null, strokes: 1, strand: 0, source, target },
  ...{ relation: "near", label: "near", verified: true, both: false, kind: "fact", faint: true },
  ...{ window: false, lit: false, dim: false },
  ...over,
});

function model(explored: number): GraphModel {
  const nodes = [node(0, { role: "topic", depth: 0 }), node(1, { role: "answer" })];
  const edges = [edge(0, 1, { faint: false })];
  for (let id = 2; id < explored + 2; id += 1) {
    nodes.push(node(id));
    edges.push(edge(0, id));
  }
  return { nodes, edges, total: nodes.length, hidden: 0, explored: 0, settled: true };
}

const idsOf = ({ nodes }: Pick<GraphModel, "nodes">) => nodes.map(({ id }) => id);

describe("parted", () => {
  it("draws a small drawing as elements", () => {
    const small = model(MASS - 1);
    expect(parted(small, new Set())).toEqual({ close: small, dots: [], lines: [] });
  });

  it("draws what was explored as dots and lines where there is much of it", () => {
    const parts = parted(model(MASS), new Set());
    expect(idsOf(parts.close)).toEqual([0, 1]);
    expect(parts.close.edges.map(({ id }) => id)).toEqual(["0 1"]);
    expect([parts.dots.length, parts.lines.length]).toEqual([MASS, MASS]);
  });

  it("makes elements of what is looked at, with the edges between", () => {
    const parts = parted(model(MASS), new Set([0, 7]));
    expect(idsOf(parts.close)).toEqual([0, 1, 7]);
    expect(parts.close.edges.map(({ id }) => id)).toEqual(["0 1", "0 7"]);
    expect(parts.lines.length).toBe(MASS - 1);
  });

  it("leaves what is lit, pinned or walked as it is", () => {
    const whole = model(MASS);
    whole.nodes[2] = node(2, { pinned: true });
    whole.edges[2] = edge(0, 3, { lit: true });
    expect(idsOf(parted(whole, new Set()).close)).toEqual([0, 1, 2, 3]);
  });
});

describe("Spots", () => {
  it("finds the nearest within reach, across its cells", () => {
    const spots = new Spots([
      [1, { x: 63, y: 0 }],
      [2, { x: 70, y: 0 }],
    ]);
    expect(spots.nearest({ x: 65, y: 0 }, 5)).toBe(1);
    expect(spots.nearest({ x: 69, y: 0 }, 5)).toBe(2);
    expect(spots.nearest({ x: 69, y: 20 }, 5)).toBeNull();
  });
});

describe("bodyAt", () => {
  it("keeps topics and answers seen however far out one zooms", () => {
    expect(bodyAt({ role: "topic" }, 1)).toBe(24);
    expect(bodyAt({ role: "answer" }, 0.1)).toBeCloseTo(80);
    expect(bodyAt({ role: "path" }, 0.1)).toBeNull();
  });
});
