import { QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import { MemoryRouter, Route, Routes } from "react-router";
import { afterEach, expect, it, vi } from "vitest";
import { makeCache } from "@/api/cache";
import { AnswerHistoryPage } from "./AnswerHistoryPage";

const test = { id: 4, question: "what borders Chad?", graph: 1, graph_name: "Tiny", unread: false };
const moment = {
  ...{ version: 1, current: true, created_at: "2026-01-05T12:00:00Z", note: "", changed: false },
  ...{ came: [], went: [], added: [], removed: [], fingerprint: null },
};

function open(answers: string[] | null) {
  const history = { test, mine: false, job: null, moments: [{ ...moment, answers }] };
  vi.stubGlobal(
    "fetch",
    vi.fn(() => Promise.resolve(Response.json(history))),
  );
  render(
    <QueryClientProvider client={makeCache()}>
      <MemoryRouter initialEntries={["/tests/4"]}>
        <Routes>
          <Route path="/tests/:id" element={<AnswerHistoryPage />} />
        </Routes>
      </MemoryRouter>
    </QueryClientProvider>,
  );
}

afterEach(() => vi.unstubAllGlobals());

it("has one way to ask where a version was not asked yet", async () => {
  open(null);
  expect(await screen.findByRole("button", { name: "Ask it" })).toBeInTheDocument();
  expect(screen.queryByRole("link", { name: "Ask it now" })).toBeNull();
});

it("leads to asking again where all were asked", async () => {
  open(["Niger"]);
  expect(await screen.findByRole("link", { name: "Ask it now" })).toBeInTheDocument();
  expect(screen.queryByRole("button", { name: "Ask it" })).toBeNull();
});
