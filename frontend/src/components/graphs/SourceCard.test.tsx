import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { MemoryRouter } from "react-router";
import { beforeEach, expect, it, vi } from "vitest";
import { request } from "@/api/client";
import type { GraphSource, Refresh } from "@/api/sources";
import type { Graph } from "@/api/types";
import { SourceCard, SourceNotice } from "./SourceCard";

vi.mock("@/api/client", async (original) => ({
  ...(await original<typeof import("@/api/client")>()),
  request: vi.fn(),
}));
const sent = vi.mocked(request);

const graph = { id: 3, name: "Films", snapshot: { version: 4, hash: "x" } } as Graph;

const source: GraphSource = {
  kind: "files",
  addresses: ["https://data.test/films.csv"],
  query: "",
  file_name: "",
  has_password: false,
  schedule: "30 6 * * 1",
  next_at: "2026-11-30T06:30:00Z",
  is_paused: false,
  notify: "",
  checked_at: "2026-11-22T02:00:00Z",
  changed_at: null,
  failures: 0,
  error: null,
};

const refresh: Refresh = {
  id: 9,
  cause: "schedule",
  user: null,
  job: 1,
  version: 4,
  violations: 0,
  outcome: "changed",
  attempt: 1,
  retry_at: null,
  before: 1200,
  after: 1250,
  started_at: "2026-11-22T02:00:00Z",
  finished_at: "2026-11-22T02:01:00Z",
  error: null,
};

/** The server answers the page with this state. */
function answer(state: { source: GraphSource | null; refreshes: Refresh[] }) {
  sent.mockImplementation((_, path) => Promise.resolve(path.endsWith("/versions") ? [] : state));
}

function show(children: React.ReactNode) {
  return render(
    <QueryClientProvider client={new QueryClient()}>
      <MemoryRouter>{children}</MemoryRouter>
    </QueryClientProvider>,
  );
}

const calls = (method: string) => sent.mock.calls.filter((call) => call[0] === method);

beforeEach(() => {
  sent.mockReset();
});

it("says that there is no source, and who can set one", async () => {
  answer({ source: null, refreshes: [] });
  const { unmount } = show(<SourceCard graph={graph} mayChange={false} />);
  expect(await screen.findByText(/the owner of the graph can set one/)).toBeVisible();
  expect(screen.queryByRole("button")).toBeNull();
  unmount();
  show(<SourceCard graph={graph} mayChange />);
  expect(await screen.findByRole("button", { name: "Set a source" })).toBeVisible();
});

it("lists where the source is, when it is read, and what came of it", async () => {
  const error = { code: "bad_source", message: "It answers 404.", hint: "Check the address." };
  const failed: Refresh = {
    ...refresh,
    id: 8,
    outcome: "failed",
    version: null,
    cause: "hand",
    user: "ann",
    error,
  };
  answer({ source, refreshes: [refresh, failed] });
  show(<SourceCard graph={graph} mayChange />);
  expect(await screen.findByText("https://data.test/films.csv")).toBeVisible();
  expect(screen.getByText(/every Monday at 06:30 UTC/)).toBeVisible();
  const [first, second] = within(screen.getByRole("table")).getAllByRole("row").slice(1);
  expect(first).toHaveTextContent(/scheduled\s*new version v4\s*1,200 → 1,250\s*What changed/);
  expect(second).toHaveTextContent(/ann\s*failed\s*It answers 404. Check the address./);
});

it("refreshes once, and not while a refresh goes on", async () => {
  answer({ source, refreshes: [] });
  const { unmount } = show(<SourceCard graph={graph} mayChange />);
  await userEvent.click(await screen.findByRole("button", { name: "Refresh now" }));
  expect(calls("POST")).toEqual([["POST", "graphs/3/source/refresh", { query: {} }]]);
  unmount();
  answer({ source, refreshes: [{ ...refresh, outcome: "", version: null }] });
  show(<SourceCard graph={graph} mayChange />);
  expect(await screen.findByRole("button", { name: "Refreshing" })).toBeDisabled();
});

it("leaves the address out of a change that does not touch it, so that the password stays", async () => {
  const database: GraphSource = {
    ...source,
    kind: "postgresql",
    addresses: ["postgresql://reader@/films?host=db.test"],
    query: "SELECT * FROM films",
    has_password: true,
  };
  answer({ source: database, refreshes: [] });
  show(<SourceCard graph={graph} mayChange />);
  await userEvent.click(await screen.findByRole("button", { name: "Change" }));
  const query = screen.getByLabelText("SELECT query");
  await userEvent.clear(query);
  await userEvent.type(query, "SELECT title FROM films");
  await userEvent.click(screen.getByRole("button", { name: "Save" }));
  const body = {
    kind: "postgresql",
    query: "SELECT title FROM films",
    file_name: "",
    schedule: "30 6 * * 1",
    notify: "",
  };
  expect(calls("PATCH")).toEqual([["PATCH", "graphs/3/source", { query: {}, body }]]);
});

it("shows what a source begins with, or why it cannot be read", async () => {
  answer({ source, refreshes: [] });
  show(<SourceCard graph={graph} mayChange />);
  await userEvent.click(await screen.findByRole("button", { name: "Change" }));
  sent.mockResolvedValueOnce({ sample: "title,year\nLow Tide,1931", keeps_model: true });
  await userEvent.click(screen.getByRole("button", { name: "Test connection" }));
  expect(await screen.findByText(/title,year/)).toBeVisible();
  expect(screen.getByText(/with the data model of the current version/)).toBeVisible();
  sent.mockRejectedValueOnce(new Error("It answers 404."));
  await userEvent.click(screen.getByRole("button", { name: "Test connection" }));
  expect(await screen.findByText("It answers 404.")).toBeVisible();
});

it("says on top that a version has shrunk, and takes it when told to", async () => {
  const shrunk: Refresh = { ...refresh, outcome: "shrunk", version: 5, before: 1000, after: 100 };
  answer({ source, refreshes: [{ ...refresh, id: 10, outcome: "unchanged", version: null }, shrunk] });
  show(<SourceNotice graph={graph} mayChange />);
  expect(await screen.findByText(/Version 5 has lost 90\s?% of the content/)).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "Use it anyway" }));
  await waitFor(() => {
    expect(calls("POST").map((call) => call[1])).toEqual(["graphs/3/source/refreshes/9/confirm"]);
  });
});

it("says on top that the schedule is paused", async () => {
  const error = { code: "bad_source", message: "It answers 404.", hint: "Check the address." };
  answer({ source: { ...source, error, failures: 5, is_paused: true }, refreshes: [] });
  show(<SourceNotice graph={graph} mayChange />);
  expect(await screen.findByText("The last refresh failed: It answers 404.")).toBeVisible();
  expect(screen.getByText(/paused after 5 failures in a row/)).toBeVisible();
});
