import { QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import { MemoryRouter, Route, Routes } from "react-router";
import { afterEach, expect, it, vi } from "vitest";
import { makeCache } from "@/api/cache";
import { TrajectoriesPage } from "./TrajectoriesPage";

const set = {
  ...{ id: 3, name: "Walks", graph: 1, graph_name: "Tiny", snapshot: "h", question_set: 2, settings: {} },
  ...{ question_set_name: "Borders", policy: "offline", job: 9, questions: 2, answered: 1, trajectories: 1 },
  ...{ raw_steps: 3, refined_steps: 2, usage: {}, created_at: "2026-01-05T12:00:00Z", finished_at: null },
  ...{ created_by: "ann", state: "done", error: null },
};
const walk = {
  ...{ id: "t1", question: "what borders Chad?", topics: ["Chad"], answers: ["Niger"], score: 1 },
  ...{ actions: [{ kind: "explore", front: 0 }, { kind: "finish" }], kept: [1] },
};

function open(changed: Partial<Record<keyof typeof set, unknown>>) {
  const asked: string[] = [];
  vi.stubGlobal(
    "fetch",
    vi.fn((input: Request | string) => {
      const address = typeof input === "string" ? input : input.url;
      asked.push(address);
      const list = { count: 1, next: null, previous: null, results: [walk] };
      return Promise.resolve(
        Response.json(address.includes("/trajectories") ? list : { ...set, ...changed }),
      );
    }),
  );
  render(
    <QueryClientProvider client={makeCache()}>
      <MemoryRouter initialEntries={["/experiments/trajectories/3"]}>
        <Routes>
          <Route path="/experiments/trajectories/:id" element={<TrajectoriesPage />} />
        </Routes>
      </MemoryRouter>
    </QueryClientProvider>,
  );
  return asked;
}

afterEach(() => vi.unstubAllGlobals());

it("lists what was done, with what refinement left out struck out", async () => {
  open({});
  expect(await screen.findByRole("heading", { name: "what borders Chad?" })).toBeInTheDocument();
  expect(screen.getByText(/1 left out by refinement/)).toBeInTheDocument();
  expect(screen.getByRole("searchbox", { name: "Search the questions" })).toBeInTheDocument();
});

it("says why a set has none, and asks for no list", async () => {
  const error = { code: "bad_training_data", message: "No question can be used.", hint: "Check the names." };
  const asked = open({ state: "failed", error });
  expect(await screen.findByText("No question can be used.")).toBeInTheDocument();
  expect(screen.getByText("Check the names.")).toBeInTheDocument();
  expect(screen.queryByRole("searchbox")).toBeNull();
  expect(screen.getByRole("link", { name: "Experiments" })).toHaveAttribute("href", "/experiments");
  expect(asked.some((address) => /\/trajectories(\?|$)/.test(address))).toBe(false);
});
