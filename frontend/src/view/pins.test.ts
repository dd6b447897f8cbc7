import { describe, expect, it } from "vitest";
import { viewAt } from "@/view/runView";
import { EVENTS, NODES, RUN } from "@/test/switzerland";
import { linkedIn, names, pinOf, pinsAfter, pinsOfRun, withPin } from "./pins";

const { switzerland, austria } = NODES;
const capital = "capital of Switzerland";
const pinned = [pinOf(switzerland, capital)];
const beside = [pinOf(switzerland, "what is its capital?")];

it("finds words in a question whatever their capitals and spaces, and only whole ones", () => {
  expect(names("who directed  catch me  If you can?", "Catch Me If You Can")).toBe(true);
  expect(names("Switzerland's capital", "Switzerland")).toBe(true);
  expect(names("Peruvian food", "Peru")).toBe(false);
  expect(names("who sang (What's) C++?", "(What's) C++")).toBe(true);
  expect(names("what did Antoine de Saint-Exupéry write?", "Antoine de Saint-Exupéry")).toBe(true);
  expect(names("where do A/B and C-3 meet?", "A/B")).toBe(true);
  expect(names("스위스의 수도", "스위스")).toBe(true);
  expect(names("anything", "")).toBe(false);
});

describe("a pin", () => {
  it("goes when its words go from the question", () => {
    expect(pinsAfter(pinned, capital, "capital of Peru")).toBeNull();
    expect(pinsAfter(pinned, capital, "capital of Switz")).toBeNull();
    expect(pinsAfter(pinned, capital, "")).toBeNull();
  });
  it("stays while they stand there", () => {
    expect(pinsAfter(pinned, capital, "what is the capital of switzerland?")).toBe(pinned);
  });
  it("leaves the others when it goes", () => {
    const both = withPin(pinned, pinOf(austria, "Switzerland and Austria"));
    expect(both.map((pin) => pin.label)).toEqual(["Switzerland", "Austria"]);
    expect(pinsAfter(both, "Switzerland and Austria", "Austria")?.map((pin) => pin.label)).toEqual([
      "Austria",
    ]);
  });
  it("is there once, however often it is picked", () => {
    expect(withPin(pinned, pinOf(switzerland, "Switzerland"))).toBe(pinned);
  });
});

describe("a pin that the question does not name", () => {
  const asked = "what is its capital?";
  it("stays while the question is written and mended", () => {
    expect(pinsAfter(beside, "", "w")).toBe(beside);
    expect(pinsAfter(beside, asked, "what is its capita")).toBe(beside);
    expect(pinsAfter(beside, asked, "what is its population?")).toBe(beside);
  });
  it("goes with the question", () => {
    expect(pinsAfter(beside, asked, "")).toBeNull();
    expect(pinsAfter(beside, asked, "w")).toBeNull();
    expect(pinsAfter(beside, asked, "what is the capital of Peru?")).toBeNull();
  });
});

it("takes up the pins of a run that is opened again, and none where Clew found the topics", () => {
  const { linked } = viewAt(RUN, EVENTS, 2);
  expect(pinsOfRun(linked, capital)).toBeNull();
  const given = linked.map((one) => ({ ...one, source: "given" as const }));
  expect(pinsOfRun(given, capital)).toEqual([{ id: 10, label: "Switzerland", text: "Switzerland" }]);
  expect(pinsOfRun(given, "its capital")).toEqual([{ id: 10, label: "Switzerland", text: "" }]);
});

it("shows of what was found only what the question still names", () => {
  const { linked } = viewAt(RUN, EVENTS, 2);
  expect(linkedIn(linked, "capital of Switzerland", "x")).toEqual(linked);
  expect(linkedIn(linked, "capital of Peru", "x")).toEqual([]);
  expect(linkedIn(linked, "its capital", "its capital")).toEqual(linked);
});
