import { QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { makeCache } from "@/api/cache";
import { FactSourceText, useFactSources } from "./FactSources";

const file = { type: "file", name: "orders.csv", row: 10248, edit: null, author: null } as const;
const edit = { type: "edit", name: "edit:7", row: null, edit: 7, author: null } as const;
const author = { person: "Ada", edited_at: "2026-01-02T12:00:00Z", reason: "seen on the invoice" };

afterEach(() => {
  vi.unstubAllGlobals();
});

it.each([
  [file, "from orders.csv, row 10,248"],
  [{ ...file, row: null }, "from orders.csv"],
  [edit, "added by edit 7"],
  [{ ...edit, author }, `added by Ada, ${new Date(author.edited_at).toLocaleDateString()}`],
  [{ ...edit, author: { ...author, person: "" } }, /^added by a former user/],
])("says where a fact comes from", (source, text) => {
  render(<FactSourceText source={source} />);
  expect(screen.getByText(/^(from|added by)/)).toHaveTextContent(text);
});

it("shows the reason of an edit on hovering", () => {
  render(<FactSourceText source={{ ...edit, author }} />);
  expect(screen.getByTitle("seen on the invoice")).toHaveTextContent("Ada");
});

function Sources({ facts }: { facts: readonly string[] }) {
  const sources = useFactSources({ graph: 1, snapshot: "abc" }, facts);
  return <p>{[...sources].map(([fact, source]) => `${fact} ${source.name}`).join("; ")}</p>;
}

it("asks for at most 50 facts at a time, and leaves out those without a source", async () => {
  const asked: string[][] = [];
  vi.stubGlobal("fetch", (url: string) => {
    const facts = new URL(url, "http://clew").searchParams.getAll("fact");
    asked.push(facts);
    const rows = facts.map((fact) => ({ fact, source: fact === "3|r|0" || fact === "50|r|0" ? file : null }));
    return Promise.resolve(new Response(JSON.stringify(rows), { status: 200 }));
  });
  render(
    <QueryClientProvider client={makeCache()}>
      <Sources facts={Array.from({ length: 51 }, (_, number) => `${number}|r|0`)} />
    </QueryClientProvider>,
  );
  expect(await screen.findByText("3|r|0 orders.csv; 50|r|0 orders.csv")).toBeInTheDocument();
  expect(asked.map((facts) => facts.length)).toEqual([50, 1]);
});
