import { QueryClientProvider } from "@tanstack/react-query";
import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { MemoryRouter, Route, Routes } from "react-router";
import { afterEach, expect, it, vi } from "vitest";
import { makeCache } from "@/api/cache";
import { StudyPage } from "./StudyPage";

const plan = {
  ...{
    fractions: [1],
    seeds: [0, 1],
    split: "test",
    budget: 50,
    topics: "given",
    subgraphs: "own",
    limit: null,
  },
  ...{ reasoner: "extractive", baseline: "none", train: [], test: [], variants: [] },
};
const cell = { train: "Six", test: "Six", fraction: 1, n: 2, intervals: {}, latency_ms: { p50: 2, p95: 4 } };
const training = { seconds: 3, questions: 2, resumed: false, metrics: {}, curve: [] };
const study = {
  ...{
    id: 5,
    name: "Labels",
    graph: 1,
    graph_name: "Tiny",
    preset: "",
    variants: ["line", "none"],
    llm: "",
    bytes: 2000,
  },
  ...{
    state: "done",
    job: 9,
    error: null,
    created_at: "2026-01-05T12:00:00Z",
    finished_at: null,
    created_by: "ann",
  },
  sets: [
    {
      name: "Six",
      graph: 1,
      graph_name: "Tiny",
      snapshot: "h",
      question_set: 3,
      labels: null,
      labels_name: "",
    },
  ],
  counts: { all: 2, done: 1, failed: 1 },
  plan,
  capsule: true,
  cells: [
    {
      ...{
        ...cell,
        id: 1,
        variant: "line",
        seed: 0,
        state: "done",
        metrics: { hit: 0.75 },
        causes: { retrieval: 1 },
      },
      ...{ training, report: 7, checkpoint: 8, error: null, finished_at: null },
    },
    {
      ...{
        ...cell,
        id: 2,
        variant: "none",
        seed: 1,
        state: "failed",
        metrics: {},
        causes: {},
        training: null,
      },
      ...{ report: null, checkpoint: null, error: { code: "x", message: "It broke.", hint: "Mend it." } },
    },
  ],
  rows: [
    {
      ...{
        train: "Six",
        test: "Six",
        variant: "line",
        fraction: 1,
        seeds: [0, 1],
        n: 2,
        cross_dataset: true,
      },
      ...{ groups: {}, causes: { retrieval: 1 }, code_versions: ["1"] },
      metrics: { hit: { mean: 0.75, sd: 0.125, values: [0.625, 0.875] } },
      intervals: { hit: [0.5, 1] },
      training_s: { mean: 3, sd: null, values: [3] },
      ...{ latency_ms: { mean: 2, sd: null, values: [2] }, retrieval_ms: { mean: 1, sd: null, values: [1] } },
    },
  ],
  gains: [
    {
      ...{ train: "Six", test: "Six", fraction: 1, variant: "line", baseline: "none" },
      metrics: { hit: { mean: 0.5, sd: null, values: [0.5] } },
    },
  ],
  winners: [],
  about_rows: "All rows: tested on Six; n = 2 test questions. No differences are tested.",
};

function open(answer: object = study, status = 200) {
  const sent: string[] = [];
  vi.stubGlobal("fetch", (url: string, { method }: { method: string }) => {
    const call = `${method} ${url.replace("/api/v1/", "")}`;
    if (method !== "GET") sent.push(call);
    const all: Record<string, object> = {
      "GET session": { user: { id: 1, username: "ann", role: "analyst" }, csrf: "x" },
      "GET studies/5": answer,
      "GET graphs?page_size=200": { count: 0, results: [] },
      "POST studies/5/resume": {
        study: answer,
        job: { id: 9, kind: "study", state: "queued", created_at: "2026" },
      },
    };
    const found = all[call];
    const code = call === "GET studies/5" ? status : found ? 200 : 404;
    return Promise.resolve(new Response(JSON.stringify(found ?? {}), { status: code }));
  });
  render(
    <QueryClientProvider client={makeCache()}>
      <MemoryRouter initialEntries={["/studies/5"]}>
        <Routes>
          <Route path="/studies/:id" element={<StudyPage />} />
        </Routes>
      </MemoryRouter>
    </QueryClientProvider>,
  );
  return sent;
}

afterEach(() => {
  vi.unstubAllGlobals();
});

it("shows rows with their deviation, gains, and each cell with the way to its questions", async () => {
  open();
  const results = await screen.findByRole("region", { name: "Results" });
  expect(within(results).getByText("0.750")).toHaveTextContent("0.750 ± 0.125");
  expect(within(results).getByText("0.750")).toHaveAttribute(
    "title",
    "0.625, 0.875; first seed 95%: 0.500 to 1.000",
  );
  expect(within(results).getByText("+50.0%")).toBeInTheDocument();
  expect(within(results).getByTitle("Of 2 questions: retrieval 1")).toBeInTheDocument();
  const cells = screen.getByRole("region", { name: "Cells" });
  expect(within(cells).getByRole("link", { name: "Questions" })).toHaveAttribute(
    "href",
    "/experiments/7?study=5",
  );
  expect(within(cells).getByText("It broke. Mend it.")).toBeInTheDocument();
});

it("is bold only where a test tells the best from the runner-up", async () => {
  const place = { train: "Six", variant: "line", fraction: 1 };
  const winner = {
    ...{ ...place, test: "Six", metric: "hit", runner_up: { ...place, variant: "none" }, questions: 8 },
    ...{ difference: 0.25, p: 0.2, significant: false },
  };
  open({ ...study, winners: [winner] });
  const results = await screen.findByRole("region", { name: "Results" });
  expect(within(results).getByText(study.about_rows)).toBeInTheDocument();
  expect(within(results).getByText("0.2000")).toBeInTheDocument();
  expect(within(results).getByText("0.750").tagName).toBe("SPAN");
});

it("shows a significant best in bold with its test", async () => {
  const place = { train: "Six", variant: "line", fraction: 1 };
  const winner = {
    ...{ ...place, test: "Six", metric: "hit", runner_up: { ...place, variant: "none" }, questions: 8 },
    ...{ difference: 0.25, p: 0.00001, significant: true },
  };
  open({ ...study, winners: [winner] });
  const results = await screen.findByRole("region", { name: "Results" });
  expect(within(results).getByText("0.750").tagName).toBe("STRONG");
  expect(within(results).getByText("+0.250")).toBeInTheDocument();
  expect(within(results).getByText("< 0.0001")).toBeInTheDocument();
});

it("tries failed cells again", async () => {
  const sent = open();
  expect(await screen.findByText("1 cell could not be done")).toBeInTheDocument();
  await userEvent.click(screen.getByRole("button", { name: "Try them again" }));
  expect(sent).toEqual(["POST studies/5/resume"]);
});

it("says that there is no such study", async () => {
  open({ error: { code: "not_found", message: "No.", hint: "" } }, 404);
  expect(await screen.findByText("This study does not exist")).toBeInTheDocument();
});
