import { beforeEach, expect, it } from "vitest";
import { forgetUnsent, keepUnsent, unsentOf, type Unsent } from "./unsent";

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

it("keeps what was not sent, by analyst and queue, in its order", () => {
  for (const one of [entry("b", 2), entry("a", 1), entry("c", 3, "bob"), entry("d", 4, "ann", "2")])
    keepUnsent(one);
  localStorage.setItem("clew-unsent:cut", "{");
  expect(unsentOf("ann", "1").map((one) => one.judgement.id)).toEqual(["a", "b"]);
  forgetUnsent("a");
  expect(unsentOf("ann", "1")).toEqual([entry("b", 2)]);
});
