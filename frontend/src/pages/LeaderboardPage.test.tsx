import { QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { afterEach, expect, it, vi } from "vitest";
import { makeCache } from "@/api/cache";
import { LeaderboardPage } from "./LeaderboardPage";

const place = {
  ...{
    method: "rapl",
    fingerprint: "",
    reasoner: "extractive",
    llm: "",
    budget: 50,
    seed: 3,
    topics: "given",
  },
  ...{ n: 8, group: "g", study: 5, fraction: 0.25, created_at: "2026-01-05T12:00:00Z" },
};
const board = (significant: boolean) => ({
  ...{ question_set: 3, name: "Six", graph: 1, metric: "macro_f1", count: 2, benchmark: null },
  ...{ benchmarks: [], quoted: [] },
  places: [
    { ...place, id: 1, variant: "line", metrics: { macro_f1: 0.75 }, intervals: { macro_f1: [0.5, 1] } },
    { ...place, id: 2, variant: "raw", metrics: { macro_f1: 0.25 }, intervals: { macro_f1: [0, 0.5] } },
  ],
  leads: [
    {
      ...{ group: "g", report: 1, runner_up: 2, questions: 8 },
      ...{ difference: 0.5, p: 0.015625, significant },
    },
  ],
});

function open(significant: boolean) {
  vi.stubGlobal("fetch", (url: string) => {
    const found = url.includes("leaderboard")
      ? board(significant)
      : url.includes("question-sets")
        ? { count: 1, results: [{ id: 3, name: "Six", graph: 1, graph_name: "Tiny" }] }
        : {};
    return Promise.resolve(new Response(JSON.stringify(found)));
  });
  render(
    <QueryClientProvider client={makeCache()}>
      <MemoryRouter initialEntries={["/leaderboard?set=3"]}>
        <LeaderboardPage />
      </MemoryRouter>
    </QueryClientProvider>,
  );
}

afterEach(() => {
  vi.unstubAllGlobals();
});

it.each([true, false])("is bold where the best differs from the runner-up: %s", async (significant) => {
  open(significant);
  const best = await screen.findByText("0.750");
  expect(best.classList.contains("strong")).toBe(significant);
  expect(best).toHaveAttribute("title", "+0.500 over the runner-up, p = 0.016");
  expect(screen.getByText("0.250").classList.contains("strong")).toBe(false);
});

it("says split, share and seed of what was measured", async () => {
  open(true);
  expect(await screen.findByText("test questions, measured here, one seed a row")).toBeInTheDocument();
  expect(screen.getAllByText(/25% of the training questions · seed 3/)).toHaveLength(2);
  expect(screen.getByText(/paired randomisation test over the questions/)).toBeInTheDocument();
});
