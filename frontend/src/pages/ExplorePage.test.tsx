import { QueryClientProvider } from "@tanstack/react-query";
import { render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { RouterProvider, createMemoryRouter } from "react-router";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { makeCache } from "@/api/cache";
import { ExplorePage } from "./ExplorePage";

vi.mock("@/graph/GraphCanvas", () => ({ default: () => <div>canvas</div> }));

const graph = {
  ...{ id: 7, name: "Films", state: "ready", endpoint: null, triples: 9, entities: 9 },
  snapshot: { hash: "abc", version: 1 },
};
const node = (id: number) => ({ id, label: id === 1 ? "Jaws" : `Film ${id}`, kind: "entity" });
const hop = (target: number) => ({
  ...{ source: node(1), target: node(target), verified: true },
  step: { name: "similar", label: "similar", inverse: false },
});
const COUNT = 54;
const asked: string[] = [];

function answer(url: URL): unknown {
  const { pathname, searchParams: query } = url;
  if (pathname.endsWith("/graphs/7")) return graph;
  if (pathname.endsWith("/entities"))
    return [{ ...node(1), about: "", degree: 54, score: 1, source: "degree" }];
  if (pathname.endsWith("/picture")) {
    const ids = String(query.get("entities")).split(",").map(Number);
    const nodes = ids
      .filter((id) => id < 900)
      .map((id) => ({ ...node(id), type: "film", degree: 9, iri: "", place: null }));
    const hops = nodes.filter(({ id }) => id !== 1).map(({ id }) => hop(id));
    return { nodes, hops, total: hops.length, missing: ids.filter((id) => id >= 900), kinds: ["film"] };
  }
  if (pathname.endsWith("/neighbours")) {
    const [offset, limit] = [Number(query.get("offset") ?? 0), Number(query.get("limit"))];
    const hops = Array.from({ length: COUNT }, (_, at) => hop(at + 2)).slice(offset, offset + limit);
    const groups = [{ relation: "similar", label: "similar", direction: "out", count: COUNT }];
    return {
      node: { ...node(1), attributes: {}, names: [] },
      groups,
      hops,
      total: COUNT,
      shown: hops.length,
      cut: false,
    };
  }
  throw new Error(pathname);
}

beforeEach(() => {
  asked.length = 0;
  // One column: panels beside each other measure themselves, which jsdom cannot.
  vi.stubGlobal("matchMedia", () => ({
    matches: true,
    addEventListener: vi.fn(),
    removeEventListener: vi.fn(),
  }));
  vi.stubGlobal("fetch", (path: string) => {
    asked.push(path);
    return Promise.resolve(new Response(JSON.stringify(answer(new URL(path, "http://x"))), { status: 200 }));
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
});

function open(address: string) {
  const routes = [
    { path: "/graphs/:id/explore", element: <ExplorePage /> },
    { path: "/", element: <p>ask</p> },
  ];
  const router = createMemoryRouter(routes, { initialEntries: [address] });
  render(
    <QueryClientProvider client={makeCache()}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
  return () => new URLSearchParams(router.state.location.search);
}

it("begins with an entity, and the chooser remembers what of a hub is shown", async () => {
  const address = open("/graphs/7/explore");
  await userEvent.click(await screen.findByRole("button", { name: "Jaws" }));
  expect(address().get("show")).toBe("1");
  expect(address().get("v")).toBe("abc");
  const facts = within(await screen.findByRole("list", { name: "Facts by relation" }));
  expect(facts.getByText("54 facts")).toBeInTheDocument();
  await userEvent.click(facts.getByRole("button", { name: "Show 25 of similar" }));
  expect(await facts.findByText("25 of 54 shown")).toBeInTheDocument();
  await userEvent.click(facts.getByRole("button", { name: "Show 25 more of similar" }));
  expect(await facts.findByText("50 of 54 shown")).toBeInTheDocument();
  await userEvent.click(facts.getByRole("button", { name: "Show 4 of similar" }));
  expect(await facts.findByText("54 of 54 shown")).toBeInTheDocument();
  expect(facts.getByRole("button", { name: "All shown of similar" })).toBeDisabled();
  await userEvent.click(screen.getByRole("button", { name: "Undo" }));
  expect(await facts.findByText("50 of 54 shown")).toBeInTheDocument();
});

it("comes back by its address, and remembers there too", async () => {
  open("/graphs/7/explore?show=1_2.3&pin=1&node=1&v=abc");
  expect(await screen.findByText("2 of 54 shown")).toBeInTheDocument();
  await waitFor(() => expect(screen.getByText("3 entities, 2 facts")).toBeInTheDocument());
  expect(asked).toContain("/api/v1/graphs/7/picture?entities=1%2C2%2C3&snapshot=abc");
});

it("asks about what is pinned", async () => {
  const address = open("/graphs/7/explore?show=1_2.3&pin=1.3");
  await userEvent.click(await screen.findByRole("button", { name: "Ask about them" }));
  expect([address().get("graph"), address().get("topics")]).toEqual(["7", "1.3"]);
});

it("says what a version lacks, and that another version is shown", async () => {
  const address = open("/graphs/7/explore?show=1.901.902&v=old");
  expect(await screen.findByText("2 entities are not shown.")).toBeInTheDocument();
  expect(screen.getByText("This is an earlier version of the graph.")).toBeInTheDocument();
  await userEvent.click(screen.getByRole("button", { name: "Leave them out" }));
  expect(address().get("show")).toBe("1");
});
