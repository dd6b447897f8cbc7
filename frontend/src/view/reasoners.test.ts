import { expect, it } from "vitest";
import { asksModel, reasonerChoices } from "./reasoners";

const open = (llm: boolean, takes: boolean) =>
  reasonerChoices(llm, takes)
    .filter((one) => !one.disabled)
    .map((one) => one.id);

it("offers what a language model does where one is set up, and programs where the method takes them", () => {
  expect(open(true, true)).toEqual(["extractive", "llm", "llm-program"]);
  expect(open(true, false)).toEqual(["extractive", "llm"]);
  expect(open(false, true)).toEqual(["extractive"]);
  expect(reasonerChoices(true, false)[2]?.detail).toContain("Not by this method");
});

it("knows which of them ask a language model", () => {
  expect(["extractive", "llm", "llm-program", null].map(asksModel)).toEqual([false, true, true, false]);
});
