import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import type { AnswerTable as Table, TableCell } from "@/api/events";
import { cellFactsQuery } from "@/api/tables";
import { AnswerTable, tableLines } from "./AnswerTable";

const node = (id: number, label: string) => ({ id, label, kind: "entity" as const });
const cell = (text: string, value: number | null = null, nodes: TableCell["nodes"] = []): TableCell => ({
  text,
  value,
  nodes,
});
const table: Table = {
  columns: [
    { label: "category", kind: "text", unit: "" },
    { label: "average price", kind: "number", unit: "€" },
  ],
  rows: [
    [cell("Tools", null, [node(1, "Tools")]), cell("9.50", 9.5)],
    [cell("Lamps", null, [node(2, "Lamps")]), cell("120", 120)],
    [cell("Toys", null, [node(3, "Toys")]), cell("")],
  ],
  total: 3,
};
const nothing = () => undefined;
const firstCells = () =>
  screen
    .getAllByRole("row")
    .slice(1)
    .map((row) => within(row).getAllByRole("cell")[0]?.textContent);

it("shows the rows as they come, with the units in the head", () => {
  render(<AnswerTable run="7" name="prices" table={table} onFind={nothing} />);
  expect(screen.getAllByRole("columnheader").map((head) => head.textContent)).toEqual([
    "category",
    "average price (€)",
  ]);
  expect(firstCells()).toEqual(["Tools", "Lamps", "Toys"]);
});

it("sorts numbers as numbers, the largest first, and leaves empty cells last", async () => {
  render(<AnswerTable run="7" name="prices" table={table} onFind={nothing} />);
  const sort = screen.getByRole("button", { name: /average price/ });
  await userEvent.click(sort);
  expect(firstCells()).toEqual(["Lamps", "Tools", "Toys"]);
  expect(screen.getAllByRole("columnheader")[1]).toHaveAttribute("aria-sort", "descending");
  await userEvent.click(sort);
  expect(firstCells()).toEqual(["Tools", "Lamps", "Toys"]);
  await userEvent.click(screen.getByRole("button", { name: "category" }));
  expect(firstCells()).toEqual(["Lamps", "Tools", "Toys"]);
});

it("leads from a cell into the graph", async () => {
  const onFind = vi.fn();
  render(<AnswerTable run="7" name="prices" table={table} onFind={onFind} />);
  await userEvent.click(screen.getByRole("button", { name: "Lamps" }));
  expect(onFind).toHaveBeenCalledExactlyOnceWith(2);
});

it("shows twenty rows first, all on demand, and says how many there are in all", async () => {
  const rows = Array.from({ length: 30 }, (_, i) => [cell(`Row ${i}`), cell(String(i), i)]);
  render(<AnswerTable run="7" name="prices" table={{ ...table, rows, total: 1_000_000 }} onFind={nothing} />);
  expect(firstCells()).toHaveLength(20);
  expect(screen.getByText("The first 30 of 1,000,000 rows.")).toBeInTheDocument();
  await userEvent.click(screen.getByRole("button", { name: "Show all 30" }));
  expect(firstCells()).toHaveLength(30);
});

it("is copied as lines with tabs, the units in the head", () => {
  expect(tableLines(table)).toBe("category\taverage price (€)\nTools\t9.50\nLamps\t120\nToys\t");
});

it("shows the facts behind a cell, by the row's place in the answer however it is sorted", async () => {
  const client = new QueryClient();
  const step = { name: "price", label: "price", inverse: false };
  const fact = { source: node(7, "Desk lamp"), step, target: node(8, "120"), verified: true };
  client.setQueryData(cellFactsQuery("7", 1, 1).queryKey, { facts: [fact], total: 3 });
  render(
    <QueryClientProvider client={client}>
      <AnswerTable run="7" name="prices" table={table} onFind={nothing} />
    </QueryClientProvider>,
  );
  await userEvent.click(screen.getByRole("button", { name: /average price/ }));
  await userEvent.click(screen.getByRole("button", { name: "120" }));
  const facts = screen.getByRole("region", { name: "Facts behind Lamps · average price" });
  expect(within(facts).getByRole("listitem")).toHaveTextContent("Desk lamp price 120");
  expect(facts).toHaveTextContent("3 facts");
  expect(facts).toHaveTextContent("The first 1.");
  await userEvent.click(within(facts).getByRole("button", { name: "Close" }));
  expect(screen.queryByRole("region", { name: /Facts behind/ })).toBeNull();
});
