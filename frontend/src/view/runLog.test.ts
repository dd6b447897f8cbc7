import { expect, it } from "vitest";
import { EVENTS, RUN } from "@/test/switzerland";
import { emptyLog, take, type RunLog } from "./runLog";

const [one, two, three, four] = EVENTS as [
  (typeof EVENTS)[0],
  (typeof EVENTS)[0],
  (typeof EVENTS)[0],
  (typeof EVENTS)[0],
];

function takeAll(log: RunLog, events: readonly (typeof EVENTS)[0][]): RunLog {
  return events.reduce((so, event) => take(so, event)[0], log);
}

it("applies events in order", () => {
  const [log, taken] = take(emptyLog(RUN), one);
  expect([taken, log.applied.length, log.view.seq]).toEqual(["applied", 1, 1]);
});

it("drops a duplicate and changes nothing", () => {
  const log = takeAll(emptyLog(RUN), [one, two]);
  expect(take(log, two)).toEqual([log, "duplicate"]);
  expect(take(log, two)[0]).toBe(log);
});

it("keeps an early event apart until the gap is filled", () => {
  const [early, taken] = take(takeAll(emptyLog(RUN), [one]), three);
  expect([taken, early.view.seq, [...early.pending.keys()]]).toEqual(["early", 1, [3]]);
  const [withFour] = take(early, four);
  const [filled, applied] = take(withFour, two);
  expect([applied, filled.view.seq, filled.pending.size]).toEqual(["applied", 4, 0]);
  expect(filled.applied.map((event) => event.seq)).toEqual([1, 2, 3, 4]);
});

it("ignores the events of another run", () => {
  const log = emptyLog("another");
  expect(take(log, one)[1]).toBe("duplicate");
});
