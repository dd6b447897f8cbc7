import { QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { makeCache } from "@/api/cache";
import { graphsQuery, sessionQuery } from "@/api/queries";
import { nothingExplored } from "@/view/explore";
import { NODE_LIMIT, buildGraph } from "@/view/graphModel";
import { viewAt } from "@/view/runView";
import { EVENTS, NODES, RUN } from "@/test/switzerland";
import { Inspector } from "./Inspector";

const view = viewAt(RUN, EVENTS, EVENTS.length);
const model = buildGraph(view, nothingExplored, {
  ...{ chain: null, limit: NODE_LIMIT, only: "evidence", relations: new Set<string>() },
});
const group = (label: string, direction: "in" | "out", count: number) => ({
  ...{ relation: label.replaceAll(" ", "_"), label, direction, count },
});

beforeEach(() => {
  const groups = [group("official language", "in", 26), group("writing system", "out", 1)];
  vi.stubGlobal("fetch", (url: string) => {
    const facts = new URL(url, "http://clew").searchParams.getAll("fact");
    const source = { type: "file", name: "languages.csv", row: 10248, edit: null, author: null };
    if (/\/(entities|relations)/.test(url)) return Promise.resolve(Response.json([]));
    const answer = url.includes("/facts/sources")
      ? facts.map((fact) => ({ fact, source }))
      : {
          node: { names: [{ language: "de", name: "Deutsch", is_main: true }] },
          groups,
          hops: [],
          total: 27,
          cut: false,
        };
    return Promise.resolve(new Response(JSON.stringify(answer), { status: 200 }));
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
});

type Picked = { kind: "node"; id: number } | { kind: "edge"; id: string };

function show(picked: Picked, role = "viewer") {
  const [onExpand, onAsk, onClose] = [vi.fn(), vi.fn(), vi.fn()];
  const [onPin, onSimilar] = [vi.fn(), vi.fn()];
  const cache = makeCache();
  cache.setQueryData(graphsQuery.queryKey, { results: [{ id: 1, name: "Lands", endpoint: null }] } as never);
  cache.setQueryData(sessionQuery.queryKey, { user: { username: "Ann", role } } as never);
  render(
    <QueryClientProvider client={cache}>
      <Inspector graph={1} {...{ picked, model, view, onExpand, onAsk, onPin, onSimilar, onClose }} />
    </QueryClientProvider>,
  );
  return { onExpand, onAsk, onPin, onSimilar, onClose };
}

it("tells what an entity is, and its facts by relation with their counts", async () => {
  const { onExpand, onAsk, onPin, onSimilar, onClose } = show({ kind: "node", id: NODES.french.id });
  expect(screen.getByRole("heading", { name: "French" })).toBeInTheDocument();
  expect(screen.getByText("answer")).toBeInTheDocument();
  expect(await screen.findByText("27 facts in 2 relations")).toBeInTheDocument();
  expect(screen.getByText("Names in 1 language").closest("details")).toHaveTextContent("GermanDeutsch");
  const facts = within(screen.getByRole("list", { name: "Facts by relation" }));
  expect(facts.getAllByRole("listitem").map((one) => one.textContent)).toEqual([
    "←official language (inverse)26",
    "→writing system1",
  ]);
  await userEvent.click(screen.getByRole("button", { name: "Expand" }));
  expect(onExpand).toHaveBeenCalledExactlyOnceWith(NODES.french.id);
  await userEvent.click(screen.getByRole("button", { name: "Ask about" }));
  expect(onAsk).toHaveBeenCalledExactlyOnceWith(NODES.french.id);
  await userEvent.click(screen.getByRole("button", { name: "Pin" }));
  expect(onPin).toHaveBeenCalledExactlyOnceWith(NODES.french.id);
  await userEvent.click(screen.getByRole("button", { name: "Find similar" }));
  expect(onSimilar).toHaveBeenCalledExactlyOnceWith(NODES.french.id);
  await userEvent.click(screen.getByRole("button", { name: "Close" }));
  expect(onClose).toHaveBeenCalledOnce();
});

it("tells a fact, which chains it is in, and where it comes from", async () => {
  show({ kind: "edge", id: "12|official_language|21" });
  const card = screen.getByRole("complementary", { name: "What is selected" });
  expect(card).toHaveTextContent("France → official language → French");
  expect(card).toHaveTextContent("✓ a fact of the graph");
  expect(card).toHaveTextContent("in chain 1");
  expect(await screen.findByText(/^from/)).toHaveTextContent("from languages.csv, row 10,248");
});

it("is not there for what is not drawn", () => {
  show({ kind: "node", id: NODES.bern.id });
  expect(screen.queryByRole("complementary")).toBeNull();
});

it("asks for the facts of the version that the run asked", async () => {
  const asked: string[] = [];
  vi.stubGlobal("fetch", (url: string) => {
    asked.push(url);
    return Promise.resolve(
      new Response(JSON.stringify({ node: { names: [] }, groups: [], hops: [], total: 0, cut: false }), {
        status: 200,
      }),
    );
  });
  show({ kind: "node", id: NODES.french.id });
  await screen.findByText("0 facts in 0 relations");
  expect(asked.find((url) => url.includes("neighbours"))).toContain(
    `snapshot=${view.started?.snapshot ?? ""}`,
  );
});

it("offers to edit an entity and a fact to those who may change the graph", async () => {
  show({ kind: "node", id: NODES.french.id }, "admin");
  await userEvent.click(screen.getByRole("button", { name: "Rename…" }));
  expect(screen.getByRole("dialog", { name: "Rename" })).toBeInTheDocument();
  expect(screen.getByLabelText("New name")).toHaveValue("French");
  cleanup();
  show({ kind: "edge", id: "12|official_language|21" }, "admin");
  await userEvent.click(screen.getByRole("button", { name: "Edit France official language French" }));
  expect(screen.getByLabelText("Relation")).toHaveValue("official_language");
  cleanup();
  show({ kind: "edge", id: "12|official_language|21" });
  expect(screen.queryByRole("button", { name: /Edit/ })).toBeNull();
});
