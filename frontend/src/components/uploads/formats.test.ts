import { describe, expect, it } from "vitest";
import { formatName, formatOptions, heeds, nameFromFiles, swapped, tableWords } from "./formats";

const FORMATS = [
  { name: "csv", label: "Commas", holds: "facts", options: ["delimiter" as const, "header" as const] },
  { name: "pdf", label: "PDF", holds: "a document", options: [] },
];

it("lists the formats that the server knows, and asks for what the chosen one heeds", () => {
  expect(formatOptions(FORMATS).map((one) => one.id)).toEqual(["auto", "csv", "pdf"]);
  expect([formatName(FORMATS, "pdf"), formatName(FORMATS, "new")]).toEqual(["PDF", "new"]);
  expect([heeds(FORMATS, "csv", "delimiter"), heeds(FORMATS, "pdf", "delimiter")]).toEqual([true, false]);
  expect([heeds(FORMATS, "pdf", "encoding"), heeds(FORMATS, "", "encoding")]).toEqual([false, true]);
});

it("never leaves two roles in one column, so that every order can be reached", () => {
  const first = { head: 0, relation: 1, tail: 2 };
  const second = swapped(first, "head", 1);
  expect(second).toEqual({ head: 1, relation: 0, tail: 2 });
  expect(swapped(second, "relation", 2)).toEqual({ head: 1, relation: 2, tail: 0 });
  expect(swapped(first, "tail", 3)).toEqual({ head: 0, relation: 1, tail: 3 });
  expect(swapped(first, "head", 0)).toEqual(first);
});

it("says what a table was read as, and nothing of other formats", () => {
  const rows = [
    ["order 1", "type", "order"],
    ["order 1", "order_date", "2024-01-08"],
    ["order 1", "city", "Lagos"],
    ["order 2", "type", "order"],
    ["order 2", "city", "Oslo"],
  ];
  expect(tableWords({ format: "table", rows, header_cells: [] })).toBe(
    "Each row is an order, named here “order 1”, “order 2”. What is known of each: order date, city.",
  );
  expect(
    tableWords({ format: "table", rows: rows.filter(([, what]) => what !== "type"), header_cells: [] }),
  ).toBe("Each row is one thing, named here “order 1”, “order 2”. What is known of each: order date, city.");
  expect(tableWords({ format: "turtle", rows, header_cells: [] })).toBeNull();
  const header_cells = ["id", "order_date", "collected", "city", ""];
  expect(tableWords({ format: "table", rows, header_cells })).toBe(
    "Each row is an order, named here “order 1”, “order 2”. What is known of each: order date, collected, city.",
  );
});

describe("names of graphs of several files", () => {
  it.each([
    [["films.csv"], "films"],
    [["hr_staff.csv", "hr_sites.csv"], "hr"],
    [["clinic visits.csv", "clinic rooms.csv"], "clinic"],
    [["categories.csv", "customers.csv"], ""],
    [[], ""],
    [["/data/northwind/orders.csv", "/data/northwind/cities.csv"], "northwind"],
    [["/data/north/orders.csv", "/data/south/cities.csv"], ""],
    [["/data/north/orders.csv"], "orders"],
  ])("%j", (files, name) => {
    expect(nameFromFiles(files)).toBe(name);
  });
});
