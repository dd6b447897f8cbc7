import { describe, expect, it } from "vitest";
import type { Checkpoint, Endpoint, MethodInfo } from "@/api/types";
import {
  automaticDetail,
  chosenCheckpoint,
  chosenMethod,
  contenders,
  firstPick,
  methodChoices,
  methodMenu,
  namedCheckpoint,
  readiness,
} from "./methods";

const method = (id: string, available = true, rest: Partial<MethodInfo> = {}): MethodInfo => ({
  id,
  label: id,
  description: "",
  trained: true,
  available,
  standalone: false,
  steerable: false,
  on_endpoints: false,
  takes_written_programs: true,
  needs: [],
  ...rest,
});
const ground = { graph: { triples: 9, passages: 0, endpoint: null }, llm: false };
const checkpoint = (id: number, of: string, created_at: string, current = true, in_use = false) => {
  const one: Partial<Checkpoint> = { id, method: of, created_at, current, in_use };
  return one as Checkpoint;
};

const choices = methodChoices(
  [method("rel-rag-path"), method("inses", false), method("rapl"), method("reg-triple")],
  [
    checkpoint(1, "rapl", "2026-01-01T00:00:00Z", true, true),
    checkpoint(2, "rapl", "2026-01-03T00:00:00Z"),
    checkpoint(3, "reg-triple", "2026-01-02T00:00:00Z", true, true),
    checkpoint(4, "rel-rag-path", "2026-01-04T00:00:00Z", false),
  ],
  ground,
);
const [rapl, triple, path] = choices;

it("puts methods trained on the present snapshot first, then untrained ones, then those that cannot be asked", () => {
  expect(choices.map((choice) => [choice.id, readiness(choice)])).toEqual([
    ["rapl", "2 checkpoints"],
    ["reg-triple", "trained"],
    ["rel-rag-path", "untrained"],
    ["inses", "not available"],
  ]);
});

it("says what a method lacks here, and that one needs no training", () => {
  const untrained = { trained: false };
  const methods = [
    method("inses", true, { ...untrained, needs: ["facts"] }),
    method("text-rag", true, { ...untrained, needs: ["passages"] }),
    method("judge", true, { needs: ["llm"] }),
  ];
  const said = (of: typeof ground) =>
    methodChoices(methods, [], of).map((choice) => [choice.id, readiness(choice)]);
  expect(said(ground)).toEqual([
    ["inses", "needs no training"],
    ["text-rag", "needs passages of text"],
    ["judge", "needs a language model"],
  ]);
  const text = { graph: { triples: 0, passages: 4, endpoint: null }, llm: true };
  expect(said(text)).toEqual([
    ["text-rag", "needs no training"],
    ["judge", "untrained"],
    ["inses", "needs facts"],
  ]);
  expect(chosenMethod(methodChoices(methods, [], text), "inses", undefined)?.id).toBe("text-rag");
});

it("never calls a method untrained that learns but needs no training", () => {
  const router = method("router", true, { standalone: true });
  const made = checkpoint(1, "router", "2026-01-01T00:00:00Z");
  const said = (of: Checkpoint[]) => methodChoices([router], of, ground).map(readiness);
  expect(said([])).toEqual(["needs no training"]);
  expect(said([made])).toEqual(["trained"]);
});

describe("what will be asked", () => {
  it("is what the person chose", () => {
    expect(chosenMethod(choices, "rel-rag-path", "rapl")).toBe(path);
  });
  it("is the graph's own method when the choice is gone or cannot be asked", () => {
    expect(chosenMethod(choices, "inses", "reg-triple")).toBe(triple);
    expect(chosenMethod(choices, null, undefined)).toBe(rapl);
  });
  it("uses the checkpoint in use, not a newer candidate, unless one of the same method is named", () => {
    expect(chosenCheckpoint(rapl, null)?.id).toBe(1);
    expect(chosenCheckpoint(rapl, "2")?.id).toBe(2);
    expect(chosenCheckpoint(rapl, 3)?.id).toBe(1);
    expect(chosenCheckpoint(path, 3)).toBeNull();
  });
  it("names to the server only what the person named", () => {
    expect(namedCheckpoint(rapl, null)).toBeNull();
    expect(namedCheckpoint(rapl, "2")?.id).toBe(2);
    expect(namedCheckpoint(rapl, 3)).toBeNull();
  });
});

describe("a comparison", () => {
  const all = contenders(choices);
  it("is between checkpoints, and methods that have none", () => {
    expect(all.map((one) => one.key)).toEqual(["rapl 1", "rapl 2", "reg-triple 3", "rel-rag-path"]);
  });
  it("starts with what each trained method uses", () => {
    expect(firstPick(all, 4)).toEqual(["rapl 1", "reg-triple 3"]);
  });
  it("starts with two checkpoints when only one method is trained, and with none when there is one", () => {
    expect(firstPick(all.slice(0, 2), 4)).toEqual(["rapl 1", "rapl 2"]);
    expect(firstPick(all.slice(2), 4)).toEqual([]);
  });
});

it("offers of a graph in an endpoint what can be asked there", () => {
  const methods = [
    method("rel-rag-path", true, { needs: ["facts"], on_endpoints: true }),
    method("inses", true, { trained: false, needs: ["facts"], on_endpoints: false }),
  ];
  const endpoint = { url: "https://host/sparql" } as Endpoint;
  const held = { graph: { triples: 0, passages: 0, endpoint }, llm: true };
  expect(methodChoices(methods, [], held).map((choice) => [choice.id, readiness(choice)])).toEqual([
    ["rel-rag-path", "untrained"],
    ["inses", "needs an import"],
  ]);
});

describe("the short menu", () => {
  const all = methodChoices(
    [
      method("rel-rag-path", true, { label: "Relation paths" }),
      method("rapl"),
      method("graph-s3"),
      method("text-rag", true, { trained: false }),
    ],
    [
      {
        ...checkpoint(1, "rel-rag-path", "2026-01-01T00:00:00Z", true, true),
        metrics: { macro_f1: 0.9296 },
      },
    ],
    ground,
  );
  const ids = (of: readonly { id: string }[]) => of.map((one) => one.id);
  const graph = { passages: 0, checkpoint: null };
  it("has what Clew takes by itself, the explorer, and methods of passages where there are any", () => {
    const menu = methodMenu(all, all[0], graph);
    expect([menu.automatic?.id, ids(menu.short), ids(menu.folded)]).toEqual([
      "rel-rag-path",
      ["graph-s3"],
      ["rapl", "text-rag"],
    ]);
    expect(ids(methodMenu(all, all[0], { ...graph, passages: 3 }).short)).toEqual(["graph-s3", "text-rag"]);
  });
  it("shows a folded method once it was chosen", () => {
    const rapl = all.find((one) => one.id === "rapl");
    expect(ids(methodMenu(all, rapl, graph).short)).toEqual(["rapl", "graph-s3"]);
  });
  it("says what stands behind Automatic, with its measured figure", () => {
    expect(all.slice(0, 2).map(automaticDetail)).toEqual([
      "Relation paths, trained: F1 0.93 on its dev questions",
      "rapl, untrained",
    ]);
  });
});
