import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { MemoryRouter } from "react-router";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { graphsQuery, sessionQuery } from "@/api/queries";
import type { Job } from "@/api/types";
import { mergeJobs, useJobStore } from "@/store/jobStore";
import { JobsTray, jobProgress, selfTrained } from "./JobsTray";

const job: Job = {
  id: 1,
  kind: "index",
  title: "Index MetaQA",
  state: "running",
  stages: [],
  overall: 0,
  stage: "encoding names",
  done: 18200,
  total: 43234,
  unit: "names",
  rate: 702.44,
  eta_s: 36,
  message: "",
  metrics: {},
  user: null,
  error: null,
  graph: 2,
  created_at: "2026-01-05T12:00:00Z",
  started_at: "2026-01-05T12:00:01Z",
  finished_at: null,
  result: null,
  revision: 5,
};

async function openTray(workers = 1, role: "admin" | "viewer" = "admin") {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  const user = { username: "ann", role, must_change_password: false };
  client.setQueryData(sessionQuery.queryKey, { user, csrf: "" });
  client.setQueryData(graphsQuery.queryKey, { count: 0, next: null, previous: null, results: [] });
  render(
    <QueryClientProvider client={client}>
      <MemoryRouter>
        <JobsTray workers={workers} />
      </MemoryRouter>
    </QueryClientProvider>,
  );
  await userEvent.click(screen.getByRole("button", { name: /^Jobs/ }));
}

beforeEach(() => {
  useJobStore.setState({ jobs: [] });
});

afterEach(() => {
  vi.unstubAllGlobals();
});

it("says what a self-training came to", () => {
  const done: Job = { ...job, kind: "self-train", state: "done" };
  expect(selfTrained(job)).toBeNull();
  expect(selfTrained({ ...done, result: { skipped: "Too few walks." } })).toBe("Not trained: Too few walks.");
  const figures = { compared: 100, metrics: { exact_set: 0.848, exact_set_before: 0.9 } };
  const said =
    "Of the same 100 questions written from the graph 84.8% are answered exactly with it, 90% without.";
  expect(selfTrained({ ...done, result: { kept: true, ...figures } })).toBe(
    `Kept: it takes part in answering. ${said}`,
  );
  expect(selfTrained({ ...done, result: { kept: false, ...figures } })).toBe(
    `Discarded: the graph is answered as well without it. ${said}`,
  );
});

it("says what it is for while there are no jobs", async () => {
  await openTray();
  expect(screen.getByText(/show up here while they run/)).toBeInTheDocument();
});

it("shows stage, count, rate and time left, and can cancel", async () => {
  useJobStore.getState().put([job]);
  await openTray();
  expect(screen.getByText("encoding names")).toBeInTheDocument();
  expect(screen.getByText("18,200 of 43,234 names · 702.4 names/s · 36 s left")).toBeInTheDocument();
  expect(screen.getByRole("progressbar", { name: "Index MetaQA" })).toHaveAttribute("aria-valuenow", "42");
  expect(screen.getByRole("button", { name: "Cancel Index MetaQA" })).toBeEnabled();
});

it("says plainly that no worker is running", async () => {
  useJobStore.getState().put([{ ...job, state: "queued", stage: "" }]);
  await openTray(0);
  expect(screen.getByText(/No worker is running, so this waits/)).toBeInTheDocument();
});

it("shows the error of a failed job and no cancel", async () => {
  const error = {
    code: "empty_source",
    message: "Not one row could be read.",
    hint: "Choose the delimiter.",
  };
  useJobStore.getState().put([{ ...job, state: "failed", error, finished_at: "2026-01-05T12:00:09Z" }]);
  await openTray();
  expect(screen.getByText("Not one row could be read. Choose the delimiter.")).toBeInTheDocument();
  expect(screen.queryByRole("button", { name: /^Cancel/ })).toBeNull();
});

it("leaves out what is not known", () => {
  expect(jobProgress({ ...job, total: 0, rate: null, eta_s: null })).toBe("18,200 names");
});

it("replaces a job by its news, active ones first", () => {
  const done: Job = { ...job, id: 2, state: "done", created_at: "2026-01-06T00:00:00Z" };
  const merged = mergeJobs([job, done], [{ ...job, done: 43234 }]);
  expect(merged.map((one) => [one.id, one.done])).toEqual([
    [1, 43234],
    [2, 18200],
  ]);
  expect(mergeJobs(merged, [{ ...job, state: "done" }]).map((one) => one.id)).toEqual([2, 1]);
});

it("keeps the newer of two accounts of a job, however they come", () => {
  const failed: Job = { ...job, state: "failed", revision: 7 };
  // What a request was answered, or what another process announced late.
  expect(mergeJobs([failed], [{ ...job, state: "queued", revision: 0 }])).toEqual([failed]);
  expect(mergeJobs([failed], [job])).toEqual([failed]);
  const again: Job = { ...job, state: "queued", revision: 8 };
  expect(mergeJobs([failed], [again])).toEqual([again]);
});

it("can be tried again as often as it fails", async () => {
  const failed: Job = { ...job, state: "failed", finished_at: "2026-01-05T12:00:09Z" };
  const queued: Job = { ...job, state: "queued", started_at: null, revision: 6 };
  vi.stubGlobal("fetch", () => Promise.resolve(new Response(JSON.stringify(queued), { status: 202 })));
  useJobStore.getState().put([failed]);
  await openTray();
  const button = () => screen.getByRole("button", { name: "Try again: Index MetaQA" });
  await userEvent.click(button());
  await waitFor(() => expect(button()).toHaveTextContent("Tried again"));
  expect(button()).toBeDisabled();
  act(() => useJobStore.getState().put([queued]));
  act(() => useJobStore.getState().put([{ ...failed, revision: 9 }]));
  expect(button()).toHaveTextContent("Try again");
  expect(button()).toBeEnabled();
});

it("shows the whole way of a job with stages, and not the end of each", async () => {
  const stages: Job["stages"] = [
    { name: "names", label: "Names", state: "done" },
    { name: "passages", label: "Passages", state: "running" },
    { name: "relations", label: "Relations", state: "waiting" },
  ];
  useJobStore.getState().put([{ ...job, done: 43234, stages, overall: 0.613 }]);
  await openTray();
  expect(screen.getByRole("progressbar", { name: "Index MetaQA" })).toHaveAttribute("aria-valuenow", "61");
  const list = screen.getByRole("list", { name: "Stages of Index MetaQA" });
  expect([...list.children].map((one) => one.textContent)).toEqual([
    "Names: done",
    "Passages: now",
    "Relations: to come",
  ]);
});

it("offers to cancel one's own jobs only", async () => {
  useJobStore.setState({
    jobs: [
      { ...job, user: "bob" },
      { ...job, id: 2, title: "Mine", user: "ann" },
    ],
  });
  await openTray(1, "viewer");
  expect(screen.getByRole("button", { name: "Cancel Mine" })).toBeInTheDocument();
  expect(screen.queryByRole("button", { name: "Cancel Index MetaQA" })).toBeNull();
});
