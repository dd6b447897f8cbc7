import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { forgetUnsent, keepSending, keepUnsent, unsentOf, type Unsent } from "./unsent";

const entry = (id: string, at: number, who = "ann", queue = "1"): Unsent => ({
  user: who,
  queue,
  item: at,
  question: "",
  at,
  judgement: { id, version: 1, shown: "", verdicts: [], broken: false, reasons: [], comment: "" },
});

beforeEach(() => {
  localStorage.clear();
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it("keeps what was not sent, by analyst and queue, in its order", () => {
  for (const one of [entry("b", 2), entry("a", 1), entry("c", 3, "bob"), entry("d", 4, "ann", "2")])
    keepUnsent(one);
  localStorage.setItem("clew-unsent:cut", "{");
  expect(unsentOf("ann", "1").map((one) => one.judgement.id)).toEqual(["a", "b"]);
  forgetUnsent("a");
  expect(unsentOf("ann", "1")).toEqual([entry("b", 2)]);
});

it("sends what is kept of all queues, again until the server takes it", async () => {
  vi.useFakeTimers();
  const gone = new Set(["/api/v1/review/items/1/submit"]);
  const asked: string[] = [];
  vi.stubGlobal("fetch", (url: string) => {
    asked.push(url);
    return Promise.resolve(new Response("{}", { status: gone.has(url) ? 404 : 200 }));
  });
  for (const one of [entry("a", 1), entry("b", 2, "ann", "2"), entry("c", 3, "bob")]) keepUnsent(one);
  const stop = keepSending("ann");
  await vi.advanceTimersByTimeAsync(0);
  expect(unsentOf("ann").map((one) => one.judgement.id)).toEqual(["a"]);
  gone.clear();
  await vi.advanceTimersByTimeAsync(61_000);
  expect([unsentOf("ann"), unsentOf("bob").length, asked.length]).toEqual([[], 1, 3]);
  stop();
});
