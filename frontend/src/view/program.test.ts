import { describe, expect, it } from "vitest";
import { dropOf, edited, fieldsOf, isDropped, same, type ProgramNode } from "./program";

const relation = (name: string, inverse = false) => ({ name, inverse });
const entities = (...ids: string[]): ProgramNode => ({ op: "Entities", ids });
const walk = (source: ProgramNode, name: string, inverse = false): ProgramNode => ({
  op: "Walk",
  source,
  relation: relation(name, inverse),
});
const key = (...path: string[]): ProgramNode => ({
  op: "Key",
  path: path.map((name) => relation(name)),
  counted: false,
});
const top = (source: ProgramNode, largest = true): ProgramNode => ({
  ...{ op: "Top", source, key: key("area"), largest, rank: 1, count: 1 },
});

const COUNTRIES = walk(entities("country"), "type", true);
const AFRICAN: ProgramNode = {
  op: "And",
  left: COUNTRIES,
  right: walk(entities("Africa"), "continent", true),
};
const LARGEST = top(AFRICAN);
/** Places of the steps as they are told: countries, in Africa, the one with the largest area. */
const TOLD = [["source", "left"], ["source"], []];

const MILLION = { op: "Constant", value: 1e6, kind: "number", dimension: "", text: "a million", factor: 1 };
const POPULOUS: ProgramNode = {
  ...{ op: "Filter", source: AFRICAN, key: key("population"), comparison: ">", value: MILLION },
};

const set = (at: string, value: unknown) => ({ kind: "set" as const, at: at.split("."), value });

describe("what of a step can be changed", () => {
  const fields = (program: ProgramNode, step: string[], told: readonly (readonly string[])[]) =>
    fieldsOf(program, step, told).map((field) => [field.kind, field.at.join("."), field.value]);

  it("is of the step's own operation and of what no other step tells", () => {
    expect(fields(LARGEST, ["source", "left"], TOLD)).toEqual([
      ["entity", "source.left.source.ids.0", "country"],
      ["relation", "source.left.relation", relation("type", true)],
    ]);
    expect(fields(LARGEST, ["source"], TOLD)).toEqual([
      ["entity", "source.right.source.ids.0", "Africa"],
      ["relation", "source.right.relation", relation("continent", true)],
    ]);
    expect(fields(LARGEST, [], TOLD)).toEqual([
      ["choice", "largest", true],
      ["whole", "rank", 1],
      ["whole", "count", 1],
      ["relation", "key.path.0", relation("area")],
    ]);
  });

  it("is the comparison and the value of a filter", () => {
    expect(fields(POPULOUS, [], TOLD)).toEqual([
      ["choice", "comparison", ">"],
      ["relation", "key.path.0", relation("population")],
      ["constant", "value", MILLION],
    ]);
  });

  it("is the words of a text filter, and how several values are taken together", () => {
    const named: ProgramNode = {
      op: "TextFilter",
      source: COUNTRIES,
      relation: null,
      match: "contains",
      text: "go",
    };
    expect(fields(named, [], [["source"], []])).toEqual([
      ["choice", "match", "contains"],
      ["text", "text", "go"],
    ]);
    const total: ProgramNode = {
      op: "Fold",
      how: "sum",
      source: COUNTRIES,
      key: { ...key("area"), folding: "max" },
    };
    expect(fields(total, [], [["source"], []])).toEqual([
      ["choice", "how", "sum"],
      ["choice", "key.folding", "max"],
      ["relation", "key.path.0", relation("area")],
    ]);
  });

  it("leaves out the second copy of a set that is told once", () => {
    const rest: ProgramNode = { op: "Except", source: COUNTRIES, without: top(COUNTRIES) };
    expect(fields(rest, ["without"], [["source"], ["without"], []])).toEqual([
      ["choice", "without.largest", true],
      ["whole", "without.rank", 1],
      ["whole", "without.count", 1],
      ["relation", "without.key.path.0", relation("area")],
    ]);
    expect(fields(rest, [], [["source"], []])).toEqual(
      fields(rest, ["without"], [["source"], ["without"], []]),
    );
  });

  it("is nothing where there is no such step", () => {
    expect(fieldsOf(LARGEST, ["left"], TOLD)).toEqual([]);
    expect(dropOf(LARGEST, ["left"], TOLD)).toBeNull();
  });
});

describe("a program after changes", () => {
  it("is the same without any", () => {
    expect(edited(LARGEST, [])).toBe(LARGEST);
  });

  it("has the other end of a ranking, at another place", () => {
    expect(edited(LARGEST, [set("largest", false), set("rank", 2)])).toEqual({
      ...{ op: "Top", source: AFRICAN, key: key("area"), largest: false, rank: 2, count: 1 },
    });
  });

  it("has another relation, another direction and another entity", () => {
    const edits = [
      set("key.path.0", relation("population")),
      set("source.right.relation", relation("part_of", false)),
      set("source.right.source.ids.0", "Europe"),
    ];
    expect(edited(LARGEST, edits)).toEqual({
      ...top({ op: "And", left: COUNTRIES, right: walk(entities("Europe"), "part_of") }),
      key: key("population"),
    });
  });

  it("has what a place was changed to last", () => {
    expect(edited(LARGEST, [set("rank", 2), set("rank", 3)])).toEqual({ ...LARGEST, rank: 3 });
  });

  it("has another comparison and value, and leaves the original as it was", () => {
    const before = structuredClone(POPULOUS);
    expect(edited(POPULOUS, [set("comparison", "<="), set("value", { ...MILLION, value: 5 })])).toEqual({
      ...POPULOUS,
      comparison: "<=",
      value: { ...MILLION, value: 5 },
    });
    expect(POPULOUS).toEqual(before);
  });

  it("changes both copies of a set that its steps tell once", () => {
    const rest: ProgramNode = { op: "Except", source: COUNTRIES, without: top(COUNTRIES) };
    const cities = walk(entities("city"), "type", true);
    expect(edited(rest, [set("source.source.ids.0", "city"), set("without.largest", false)])).toEqual({
      ...{ op: "Except", source: cities, without: top(cities, false) },
    });
  });
});

describe("a step left out", () => {
  const drop = (program: ProgramNode, step: string[], told: readonly (readonly string[])[]) => {
    const edit = dropOf(program, step, told);
    return edit && edited(program, [edit]);
  };

  it("leaves what it ranked or compared", () => {
    expect(drop(LARGEST, [], TOLD)).toEqual(AFRICAN);
    expect(drop(POPULOUS, [], TOLD)).toEqual(AFRICAN);
    expect(drop({ op: "Except", source: COUNTRIES, without: AFRICAN }, [], [])).toEqual(COUNTRIES);
  });

  it("leaves the side that other steps tell", () => {
    expect(drop(LARGEST, ["source"], TOLD)).toEqual(top(COUNTRIES));
    expect(drop(LARGEST, ["source", "left"], TOLD)).toEqual(top(walk(entities("Africa"), "continent", true)));
  });

  it("cannot be what all others stand on, nor where both sides have steps", () => {
    expect(dropOf(walk(COUNTRIES, "capital"), ["source"], [["source"], []])).toBeNull();
    expect(dropOf({ op: "Count", source: COUNTRIES }, [], [["source"], []])).toBeNull();
    const both: ProgramNode = { op: "And", left: top(COUNTRIES), right: top(COUNTRIES) };
    expect(dropOf(both, [], [["left"], ["right"], []])).toBeNull();
  });

  it("takes its own parts with it, not what stays", () => {
    const edit = dropOf(LARGEST, ["source"], TOLD);
    const edits = edit ? [edit] : [];
    expect(isDropped(edits, ["source", "right", "relation"])).toBe(true);
    expect(isDropped(edits, ["source", "left", "relation"])).toBe(false);
    expect(isDropped(edits, ["rank"])).toBe(false);
  });

  it("goes together with changes of what stays", () => {
    const edit = dropOf(LARGEST, ["source"], TOLD);
    expect(edited(LARGEST, [set("source.left.source.ids.0", "city"), ...(edit ? [edit] : [])])).toEqual(
      top(walk(entities("city"), "type", true)),
    );
  });
});

it("tells values of the same content from others", () => {
  expect(same({ a: [1, { b: null }] }, { a: [1, { b: null }] })).toBe(true);
  expect(same({ a: 1 }, { a: 1, b: undefined })).toBe(false);
  expect(same([1], { 0: 1 })).toBe(false);
  expect(same(null, {})).toBe(false);
});
