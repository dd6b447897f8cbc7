import { QueryClientProvider } from "@tanstack/react-query";
import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { MemoryRouter, Route, Routes } from "react-router";
import { afterEach, expect, it, vi } from "vitest";
import { makeCache } from "@/api/cache";
import { AcrossPage } from "./AcrossPage";

vi.mock("@/graph/GraphCanvas", () => ({ default: () => <div>canvas</div> }));

const hop = (target: string) => ({
  source: { id: 1, label: "Switzerland", kind: "entity" },
  target: { id: 2, label: target, kind: "entity" },
  ...{ step: { name: "borders", label: "borders", inverse: false }, verified: true },
});
const member = (place: number, label: string, by: string) => ({
  ...{ place, label, by, entity: 2, iri: "", score: 0.9, verified: true },
  ...{ facts: [hop(label)], facts_total: 14 },
});
const across = {
  ...{ id: "x", question: "What borders Switzerland?", created_at: "", going: false },
  graphs: [
    { graph: 1, name: "World", state: "done", run: { id: "r1", state: "done" }, error: null, text: "" },
    { graph: 2, name: "Alps", state: "done", run: { id: "r2", state: "done" }, error: null, text: "" },
    { graph: null, name: "Old", state: "deleted", run: null, error: null, text: "" },
    {
      ...{ graph: 4, name: "New", state: "refused", run: null, text: "" },
      error: { code: "graph_not_ready", message: "New is still being imported.", hint: "Wait." },
    },
  ],
  answers: [
    {
      label: "France",
      score: 0.9,
      guess: false,
      members: [member(0, "France", ""), member(1, "FRANCE", "name")],
    },
  ],
};

afterEach(() => {
  vi.unstubAllGlobals();
});

function open(status: number, answer: unknown) {
  vi.stubGlobal("matchMedia", () => ({
    matches: false,
    addEventListener: vi.fn(),
    removeEventListener: vi.fn(),
  }));
  vi.stubGlobal("fetch", () => Promise.resolve(new Response(JSON.stringify(answer), { status })));
  render(
    <QueryClientProvider client={makeCache()}>
      <MemoryRouter initialEntries={["/across/x"]}>
        <Routes>
          <Route path="/across/:id" element={<AcrossPage />} />
        </Routes>
      </MemoryRouter>
    </QueryClientProvider>,
  );
}

it("puts the answers of graphs together, each with its evidence and the match", async () => {
  open(200, across);
  expect(await screen.findByText("1 answer: 1 in both graphs.")).toBeInTheDocument();
  await userEvent.click(screen.getByRole("button", { name: /France/ }));
  const alps = within(screen.getByRole("region", { name: "Evidence of Alps" }));
  expect(alps.getByText(/Matched by its name/)).toHaveTextContent("“FRANCE”");
  expect(alps.getByText("and 13 more facts")).toBeInTheDocument();
  expect(screen.getByRole("link", { name: "Change the question" })).toHaveAttribute(
    "href",
    "/?graph=1&also=2.4&q=What%20borders%20Switzerland%3F",
  );
});

it("says of each graph what became of it", async () => {
  open(200, across);
  expect(await screen.findByText("deleted")).toBeInTheDocument();
  expect(screen.getByText(/The graph or its run was deleted/)).toBeInTheDocument();
  expect(screen.getByText("New is still being imported. Wait.")).toBeInTheDocument();
  expect(screen.getAllByRole("link", { name: "Open" }).map((one) => one.getAttribute("href"))).toEqual([
    "/runs/r1",
    "/runs/r2",
  ]);
});

it("says that there is no such question", async () => {
  open(404, { error: { code: "not_found", message: "Not found.", hint: "" } });
  expect(await screen.findByText("This question does not exist")).toBeInTheDocument();
});
