import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { MemoryRouter } from "react-router";
import { beforeEach, expect, it, vi } from "vitest";
import { request } from "@/api/client";
import type { Endpoint, Graph } from "@/api/types";
import { EndpointCard } from "./EndpointCard";
import { EndpointDialog } from "./EndpointDialog";

vi.mock("@/api/client", async (original) => ({
  ...(await original<typeof import("@/api/client")>()),
  request: vi.fn(),
}));
const sent = vi.mocked(request);

const endpoint: Endpoint = {
  url: "https://host/sparql",
  named_graph: "",
  languages: ["en", "de"],
  hops: 2,
  max_triples: 5000,
  per_entity: 100,
  timeout: 20,
  checked_at: "2026-11-22T02:00:00Z",
  took_ms: 31,
  named: true,
  error: null,
};
const graph = (change: Partial<Endpoint> = {}) =>
  ({ id: 3, name: "Films", endpoint: { ...endpoint, ...change } }) as Graph;

function show(children: React.ReactNode) {
  return render(
    <QueryClientProvider client={new QueryClient()}>
      <MemoryRouter>{children}</MemoryRouter>
    </QueryClientProvider>,
  );
}

beforeEach(() => {
  sent.mockReset();
});

it("says where a graph is asked, how much is pulled, and when that was checked", () => {
  show(<EndpointCard graph={graph()} mayChange={false} />);
  const card = screen.getByRole("region", { name: "SPARQL endpoint" });
  const said = within(card)
    .getAllByRole("definition")
    .map((one) => one.textContent);
  expect(said.slice(0, 5)).toEqual([
    "https://host/sparql",
    "the endpoint’s default",
    "en, de",
    "pulls at most 5,000 facts within 2 hops, of one entity and direction 100 (500 of a topic)",
    "may take 20 seconds",
  ]);
  expect(said[5]).toMatch(/, answered in 31 ms$/);
  expect(screen.queryByRole("button")).toBeNull();
});

it("says why an endpoint does not answer, and that nothing has a name", () => {
  const error = { code: "endpoint_unavailable", message: "It answered 503.", hint: "Try again later." };
  const { unmount } = show(<EndpointCard graph={graph({ error, took_ms: null })} mayChange />);
  expect(screen.getByText("It answered 503.")).toBeVisible();
  expect(screen.getByText(/without success$/)).toBeVisible();
  unmount();
  show(<EndpointCard graph={graph({ named: false })} mayChange />);
  expect(screen.getByText("Nothing there has a name in these languages")).toBeVisible();
});

it("checks an endpoint when asked to", async () => {
  sent.mockResolvedValue(graph());
  show(<EndpointCard graph={graph()} mayChange />);
  await userEvent.click(screen.getByRole("button", { name: "Check now" }));
  expect(sent).toHaveBeenCalledExactlyOnceWith("POST", "graphs/3/endpoint/check", { query: {} });
});

it("connects an endpoint only when what was typed can be sent", async () => {
  sent.mockResolvedValue(graph());
  const onClose = vi.fn();
  show(<EndpointDialog graph={null} isOpen onClose={onClose} />);
  const connect = screen.getByRole("button", { name: "Check and connect" });
  await userEvent.click(connect);
  expect(screen.getByText("Give the graph a name.")).toBeVisible();
  expect(screen.getByText("Type an address of http or https.")).toBeVisible();
  expect(sent).not.toHaveBeenCalled();
  await userEvent.type(screen.getByLabelText("Name"), "Films");
  await userEvent.type(screen.getByLabelText("Address"), "https://host/sparql");
  await userEvent.click(connect);
  const { checked_at, took_ms, named, error, ...connection } = endpoint;
  expect([checked_at, took_ms, named, error]).toHaveLength(4);
  expect(sent).toHaveBeenCalledExactlyOnceWith("POST", "endpoints", {
    query: {},
    body: { name: "Films", ...connection, languages: ["en"], visibility: "private" },
  });
  await waitFor(() => {
    expect(onClose).toHaveBeenCalled();
  });
});

it("changes how a graph is asked, and shows why that was refused", async () => {
  sent.mockRejectedValue(new Error("It answers, and has no facts."));
  show(<EndpointDialog graph={graph()} isOpen onClose={vi.fn()} />);
  const hops = screen.getByLabelText("Hops");
  await userEvent.clear(hops);
  await userEvent.type(hops, "3");
  await userEvent.click(screen.getByRole("button", { name: "Check and save" }));
  expect(sent.mock.calls[0]?.slice(0, 2)).toEqual(["PATCH", "graphs/3/endpoint"]);
  expect(sent.mock.calls[0]?.[2]?.body).toMatchObject({ hops: 3, languages: ["en", "de"] });
  expect(await screen.findByText("It answers, and has no facts.")).toBeVisible();
});
