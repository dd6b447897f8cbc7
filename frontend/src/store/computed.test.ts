import { expect, it } from "vitest";
import type { ProgramExecuted, ProgramStep } from "@/api/events";
import { PROGRAM } from "@/test/program";
import { computedSentence, stepWords, unitOfStep } from "./computed";

type Told = readonly [path: string, text: string, kept: number | string];

function computed(...told: readonly Told[]): ProgramExecuted {
  const steps = told.map(([path, text, kept]): ProgramStep => ({
    ...{ text, nodes: [], path: path ? path.split(".") : [] },
    ...(typeof kept === "number"
      ? { result: "set" as const, count: kept, value: "" }
      : { result: "number" as const, count: 0, value: kept }),
  }));
  return { ...PROGRAM, steps };
}
const said = (...told: readonly Told[]) => computedSentence(computed(...told));

it("says a product by what is multiplied, in money", () => {
  expect(said(["left", "the unit price (gbp) of Rotor blade", "1,250"], ["", "1,250 times 6", "7,500"])).toBe(
    "6 times the unit price of Rotor blade, £1,250, is £7,500.",
  );
  expect(
    said(
      ...([
        ["left", "the pots of O-1", "2"],
        ["right", "the price eur of Sage", "3.5"],
        ["", "2 times 3.5", "7"],
      ] as const),
    ),
  ).toBe("The pots of O-1, 2, times the price of Sage, €3.50, is €7.");
  expect(said(["left", "the rent (eur) of Loft", "900"], ["", "900 divided by 3", "300"])).toBe(
    "The rent of Loft, €900, divided by 3 is €300.",
  );
  expect(said(["", "£30.00 times 5", "£150"])).toBe("£30.00 times 5 is £150.");
  expect(said(["", "the price of Sage", "3"])).toBeNull();
});

it("says a difference as one has more than the other, or less", () => {
  const prices = (left: string, right: string, result: string) =>
    said(
      ...([
        ["left", "the height m of Mast", left],
        ["right", "the height m of Oak", right],
        ["", `the difference of ${left} and ${right}`, result],
      ] as const),
    );
  expect(prices("30", "12", "18")).toBe("The height of Mast is 18 m more than that of Oak.");
  expect(prices("12", "30", "-18")).toBe("The height of Mast is 18 m less than that of Oak.");
  expect(prices("12", "12", "0")).toBe("The height of Mast and of Oak is 12 m.");
  expect(
    said(
      ...([
        ["left", "the sale price (gbp) of Saddle", "30"],
        ["right", "the cost price (gbp) of Saddle", "21"],
        ["", "the difference of 30 and 21", "9"],
      ] as const),
    ),
  ).toBe("The sale price of Saddle, £30, less its cost price, £21, is £9.");
  expect(said(["", "the difference of 230 and 135", "95"])).toBe("The difference of 230 and 135 is 95.");
});

it("says of how many a share is, and what they have", () => {
  const visits = (some: string, share: string, kept: number): Told[] => [
    ["left.source.left", "visits", 8],
    ["left.source", "whose outcome is repaired", kept],
    ["left", "count them", some],
    ["right.source", "visits", 8],
    ["right", "count them", "8"],
    ["", `${some} of 8, in percent`, share],
  ];
  expect(said(...visits("4", "50%", 4))).toBe("4 of 8 visits have the outcome repaired: 50%.");
  expect(said(...visits("1", "12.5%", 1))).toBe("1 of 8 visits has the outcome repaired: 12.5%.");
  expect(said(...visits("0", "0%", 0))).toBe("None of 8 visits have the outcome repaired: 0%.");
  expect(said(["", "2 of 8, in percent", "25%"])).toBe("25%: 2 of 8.");
});

it("says between which days it is, and of what they are", () => {
  const between = "the days between 2024-01-12 and 2024-09-05";
  const crag: Told[] = [
    ["left.source.left", "visits", 8],
    ["left.source", "whose turbine is Crag Top", 3],
    ["left", "earliest of their date", "2024-01-12"],
    ["right.source.left", "visits", 8],
    ["right.source", "whose turbine is Crag Top", 3],
    ["right", "latest of their date", "2024-09-05"],
    ["", between, "237 days"],
  ];
  expect(said(...crag)).toBe(
    "237 days lie between the earliest and the latest date of 3 visits whose turbine is Crag Top: " +
      "12 January 2024 and 5 September 2024.",
  );
  const stay = (end: string): Told[] => [
    ["left", "the arrival of Ito", "2024-01-12"],
    ["right", end, "2024-01-13"],
    ["", "the days between 2024-01-12 and 2024-01-13", "1 day"],
  ];
  expect(said(...stay("the departure of Ito"))).toBe(
    "1 day lies between the arrival of Ito, 12 January 2024, and the departure of Ito, 13 January 2024.",
  );
  expect(said(...stay("the arrival of Rossi"))).toBe(
    "1 day lies between the arrival of Ito, 12 January 2024, and that of Rossi, 13 January 2024.",
  );
  expect(said(["", "the difference of 2009-06-14 and 2021-08-09", "12.1534 years"])).toBe(
    "12.15 years lie between 14 June 2009 and 9 August 2021.",
  );
  expect(said(["", between, "237 days"])).toBe("237 days lie between 12 January 2024 and 5 September 2024.");
  expect(stepWords(between)).toBe("the days between 12 January 2024 and 5 September 2024");
});

it("tells the unit of each step by its column, where that is sure", () => {
  const units = (...told: readonly Told[]) => {
    const program = computed(...told);
    return program.steps.map((step) => unitOfStep(program, step));
  };
  const product = (one: string, other: string) =>
    units(["left", `the ${one} of A`, "2"], ["right", `the ${other} of A`, "3"], ["", "2 times 3", "6"]);
  expect(product("price (gbp)", "weight (kg)")).toEqual(["gbp", "kg", "gbp"]);
  expect(product("length (m)", "width (m)")).toEqual(["m", "m", ""]);
  expect(product("length (m)", "pieces")).toEqual(["m", "", "m"]);
  expect(units(["source", "parts", 10], ["", "sum of their stock × unit price (gbp)", "43,937.91"])).toEqual([
    ...["", "gbp"],
  ]);
  expect(units(["left", "the price (gbp) of A", "9"], ["", "9 divided by 3", "3"])).toEqual(["gbp", "gbp"]);
});
