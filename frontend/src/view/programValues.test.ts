import { expect, it } from "vitest";
import { shownConstant, typedConstant, typedText, typedWhole, unitOf } from "./programValues";

const constant = (value: number, kind = "number", more: Record<string, unknown> = {}) => ({
  ...{ op: "Constant", value, kind, dimension: "", text: "", factor: 1 },
  ...more,
});

it("shows numbers in the unit they were given in", () => {
  expect(shownConstant(constant(5e7, "number", { text: "50 million" }))).toBe("50000000");
  expect(shownConstant(constant(7.5))).toBe("7.5");
  const far = constant(2e6, "number", { dimension: "length", text: "2,000 km", factor: 1000 });
  expect(shownConstant(far)).toBe("2000");
  expect(unitOf(far)).toBe("km");
  expect(unitOf(constant(5e9, "number", { dimension: "area", text: "5 thousand km²", factor: 1e6 }))).toBe(
    "km²",
  );
  expect(unitOf(constant(5e7, "number", { text: "50 million" }))).toBe("");
});

it("reads a typed number in the same unit, and drops the question's wording of it", () => {
  expect(typedConstant(constant(5e7, "number", { text: "50 million" }), "1,500,000").value).toEqual(
    constant(1.5e6),
  );
  const far = constant(2e6, "number", { dimension: "length", text: "2,000 km", factor: 1000 });
  expect(typedConstant(far, " 2.5 ").value).toEqual({ ...far, value: 2500, text: "2.5 km" });
});

it("reads and shows dates, times and days of the year", () => {
  const day = typedConstant(constant(1950, "date"), "1960-04-27").value;
  expect(day).toEqual(constant(1960 + 117 / 366, "date"));
  expect(day && shownConstant(day)).toBe("1960-04-27");
  expect(typedConstant(constant(1950, "date"), "1961-12").value).toEqual(constant(1961 + 334 / 365, "date"));
  expect(shownConstant(constant(1962, "date"))).toBe("1962-01-01");
  expect(typedConstant(constant(0, "time"), "9:30").value).toEqual(constant(570, "time"));
  expect(shownConstant(constant(570, "time"))).toBe("09:30");
  expect(typedConstant(constant(101, "month-day"), "2-29").value).toEqual(constant(229, "month-day"));
  expect(shownConstant(constant(229, "month-day"))).toBe("02-29");
});

it("says what is wrong with a text", () => {
  const errors = [
    typedConstant(constant(1), "many"),
    typedConstant(constant(1), "1,2"),
    typedConstant(constant(1, "date"), "1961-02-29"),
    typedConstant(constant(1, "time"), "24:00"),
    typedConstant(constant(1, "month-day"), "13-01"),
    typedWhole("0"),
    typedWhole("1.5"),
    typedText(" "),
  ].map(({ error }) => error);
  expect(errors).toEqual([
    "Type a number, such as 50 or 1,500,000.",
    "Type a number, such as 50 or 1,500,000.",
    "Type a date as year, month and day, such as 1960-04-27.",
    "Type a time from 00:00 to 23:59.",
    "Type a month and a day, such as 04-27.",
    "Type a whole number from 1.",
    "Type a whole number from 1.",
    "Type what to look for.",
  ]);
  expect(typedWhole(" 3 ")).toEqual({ value: 3 });
  expect(typedText(" Lanka ")).toEqual({ value: "Lanka" });
});
