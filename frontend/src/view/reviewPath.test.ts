import { expect, it } from "vitest";
import type { Hop } from "@/api/events";
import { candidateOf } from "@/test/review";
import {
  TOPIC,
  cutAt,
  draftOf,
  newDraft,
  placesOf,
  prefixOf,
  putStep,
  restart,
  samePath,
  selectHop,
} from "./reviewPath";

const candidate = candidateOf(7, {
  path: [
    ["borders", false],
    ["language", false],
  ],
});

it("opens at the last hop, and takes another relation there", () => {
  const draft = draftOf(candidate);
  expect([draft.at, prefixOf(draft)]).toEqual([1, [["borders", false]]]);
  const changed = putStep(draft, ["currency", false]);
  expect([changed.path, changed.at, changed.from]).toEqual([
    [
      ["borders", false],
      ["currency", false],
    ],
    2,
    7,
  ]);
});

it("keeps what follows a hop that is changed, and goes on to it", () => {
  const changed = putStep(selectHop(draftOf(candidate), 0), ["borders", true]);
  expect([changed.path, changed.at]).toEqual([
    [
      ["borders", true],
      ["language", false],
    ],
    1,
  ]);
});

it("is cut, and starts elsewhere with the same hops", () => {
  expect(cutAt(draftOf(candidate), 1)).toMatchObject({ path: [["borders", false]], at: 1 });
  expect(cutAt(newDraft("Bern"), -1)).toMatchObject({ path: [], at: 0 });
  expect(restart(draftOf(candidate), "France")).toMatchObject({
    topic: "France",
    path: candidate.path,
    at: 0,
  });
});

it("asks where it starts before anything else", () => {
  expect([newDraft("").at, newDraft("Bern").at]).toEqual([TOPIC, 0]);
  expect(selectHop(newDraft(""), 3).at).toBe(TOPIC);
  expect([selectHop(draftOf(candidate), 9).at, selectHop(draftOf(candidate), -5).at]).toEqual([2, TOPIC]);
});

it("knows the same path by relations and directions", () => {
  expect(samePath(candidate.path, [...candidate.path])).toBe(true);
  expect(samePath(candidate.path, [["borders", false]])).toBe(false);
  expect(samePath([["borders", false]], [["borders", true]])).toBe(false);
});

it("finds the steps of facts and the levels of entities in a drawing", () => {
  const node = (id: number, label: string) => ({ id, label, kind: "entity" as const });
  const [ch, de, german] = [node(1, "Switzerland"), node(2, "Germany"), node(3, "German")];
  const hop = (source: typeof ch, name: string, target: typeof ch, inverse = false): Hop => ({
    source,
    step: { name, label: name, inverse },
    target,
    verified: true,
  });
  const { steps, levels } = placesOf(
    [hop(ch, "borders", de, true), hop(de, "language", german), hop(de, "borders", ch)],
    "Switzerland",
    [
      ["borders", true],
      ["language", false],
    ],
  );
  expect([...steps]).toEqual([
    ["2|borders|1", 0],
    ["2|language|3", 1],
  ]);
  expect([...levels]).toEqual([
    [1, 0],
    [2, 1],
    [3, 2],
  ]);
});
