import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { MemoryRouter, Route, Routes } from "react-router";
import { afterEach, expect, it, vi } from "vitest";
import { ReviewQueuePage } from "./ReviewQueuePage";

vi.mock("@/graph/GraphCanvas", () => ({ default: () => <div>drawing</div> }));

const queue = {
  id: 1,
  name: "Capitals",
  version: 1,
  current: true,
  state: "done",
  items: 2,
  progress: { open: 2, done: 0, broken: 0 },
};
const path = (id: number, label: string) => ({
  id,
  topic: "Germany",
  steps: [{ name: label, label, inverse: false }],
  sources: [{ source: "answer-set", label_set: 1, name: "One", score: 1, explanation: "" }],
  reached: 1,
  hits: 1,
  precision: 1,
  recall: 1,
});
const item = (id: number, question: string) => ({
  id,
  queue: 1,
  position: id,
  key: `q${id}`,
  question,
  topics: ["Germany"],
  answers: ["Berlin"],
  doubt: 1,
  reason: "The sources disagree.",
  shown: "hash",
  state: "open",
  submitted: 0,
  version: 4,
  candidates: [path(11, "capital"), path(12, "borders")],
  mine: null,
});
const nothing = { agreement: { paths: 0, percent: null, alpha: null }, people: [], pairs: [] };

/** What was posted, by address; the server has two questions. */
function serve() {
  const posted: Record<string, unknown[]> = {};
  vi.stubGlobal("matchMedia", () => ({
    matches: false,
    addEventListener: vi.fn(),
    removeEventListener: vi.fn(),
  }));
  vi.stubGlobal("fetch", (url: string, { method, body }: { method: string; body?: string }) => {
    const address = url.replace("/api/v1/", "").replace(/\?.*/, "");
    if (method === "POST") (posted[address] ??= []).push(JSON.parse(body ?? "null"));
    const answers: Record<string, unknown> = {
      session: { user: { username: "ann", role: "analyst" }, csrf: "x" },
      "review/queues/1": queue,
      "review/queues/1/statistics": nothing,
      "review/queues/1/items": { count: 0, next: null, previous: null, results: [] },
      "review/queues/1/next": { item: item(5, "capital of Germany?") },
      "review/queues/1/undo": { item: item(5, "capital of Germany?") },
      "review/items/5/drawing": [],
      "review/items/6/drawing": [],
      "review/items/5/submit": { item: item(5, ""), next: item(6, "capital of France?") },
      "review/items/6/submit": { item: item(6, ""), next: null },
    };
    return Promise.resolve(new Response(JSON.stringify(answers[address])));
  });
  return posted;
}

afterEach(() => {
  vi.unstubAllGlobals();
});

it("is judged by keys alone, from one question to the next and back", async () => {
  const posted = serve();
  const user = userEvent.setup();
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MemoryRouter initialEntries={["/review/1"]}>
        <Routes>
          <Route path="review/:id" element={<ReviewQueuePage />} />
        </Routes>
      </MemoryRouter>
    </QueryClientProvider>,
  );
  await screen.findByText("capital of Germany?");
  expect(screen.getByText("2 paths to judge", { exact: false })).toBeInTheDocument();
  await user.keyboard("{Enter}");
  expect(posted["review/items/5/submit"]).toBeUndefined();
  await user.keyboard("12{Enter}");
  await screen.findByText("capital of France?");
  expect(posted["review/items/5/submit"]).toEqual([
    expect.objectContaining({
      version: 4,
      shown: "hash",
      broken: false,
      verdicts: [
        { candidate: 11, kind: "rational" },
        { candidate: 12, kind: "not-rational" },
      ],
    }),
  ]);
  await user.keyboard("{Control>}z{/Control}");
  await screen.findByText("capital of Germany?");
  expect(posted["review/queues/1/undo"]).toHaveLength(1);
  await user.keyboard("b{Enter}");
  await waitFor(() => {
    expect(posted["review/items/5/submit"]).toHaveLength(2);
  });
  expect(posted["review/items/5/submit"]?.[1]).toMatchObject({ broken: true, verdicts: [] });
});
