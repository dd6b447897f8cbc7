import { describe, expect, it } from "vitest";
import type { Setting } from "@/api/types";
import {
  asText,
  changedSettings,
  chosenSettings,
  complaint,
  inForm,
  rangeOf,
  settingsText,
  typedOf,
} from "./settingsForm";

const setting = (change: Partial<Setting>): Setting => ({
  name: "epochs",
  type: "int",
  default: 30,
  about: "",
  choices: [],
  least: 1,
  above: null,
  below: null,
  ...change,
});
const rate = setting({
  name: "learning_rate",
  type: "float",
  default: 0.001,
  least: null,
  above: 0,
  below: 1,
});
const raw = setting({ name: "raw_graph", type: "bool", default: false, least: null });
const pool = setting({
  name: "pool",
  type: "choice",
  default: "mean",
  choices: ["mean", "max"],
  least: null,
});

describe("a typed value", () => {
  it.each([
    [setting({}), "12", null],
    [setting({}), "", null],
    [setting({}), "0", "Must be 1 or more."],
    [setting({}), "1.5", "Type a whole number."],
    [setting({}), "many", "Type a number."],
    [rate, "1e-3", null],
    [rate, "0", "Must be above 0 and below 1."],
    [rate, "1", "Must be above 0 and below 1."],
    [pool, "max", null],
    [pool, "min", "Choose one of: mean, max."],
  ])("%o takes %s: %s", (one, text, said) => {
    expect(complaint(one, text)).toBe(said);
  });
});

it("sends what differs from the defaults, and nothing that is wrong or left empty", () => {
  expect(
    changedSettings([setting({}), rate, raw, pool], {
      epochs: "30",
      learning_rate: "0.01",
      raw_graph: "true",
      pool: " ",
    }),
  ).toEqual({ learning_rate: 0.01, raw_graph: true });
  expect(changedSettings([setting({})], { epochs: "0" })).toEqual({});
});

it("says ranges in words, and defaults as they are typed", () => {
  expect([rangeOf(rate), rangeOf(setting({})), rangeOf(raw)]).toEqual([
    "above 0 and below 1",
    "1 or more",
    "",
  ]);
  expect([asText(0.001), asText(null), asText("mean"), asText(false)]).toEqual([
    "0.001",
    "",
    "mean",
    "false",
  ]);
});

it("says which of a method's settings were chosen, and what is wrong with one", () => {
  const all = [setting({ name: "beam", default: 20 }), raw];
  expect(chosenSettings(all, { beam: "8", raw_graph: "false" }, "ReG")).toEqual({
    changed: { beam: 8 },
    wrong: null,
  });
  expect(chosenSettings(all, { beam: "0" }, "ReG").wrong).toBe("beam: Must be 1 or more.");
  expect(chosenSettings(all, { top_k: "1" }, "ReG").wrong).toBe("top k: ReG has no such setting.");
});

it("tells settings in words, and takes them back into the form", () => {
  expect(settingsText({ chain_length: 2, similarity: false })).toBe("chain length 2, similarity false");
  expect(typedOf({ chain_length: 2, similarity: false })).toEqual({ chain_length: "2", similarity: "false" });
});

it("shows the values of a paper's form in place of the defaults", () => {
  const skip = setting({ name: "skip", type: "bool", default: true, least: null });
  expect(inForm([setting({}), skip], "paper", { skip: false }).map((one) => one.default)).toEqual([
    30,
    false,
  ]);
});
