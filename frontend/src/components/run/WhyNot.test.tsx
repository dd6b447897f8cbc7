import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import type { Run } from "@/api/types";
import type { Remedy, WhyNot as Found } from "@/api/whyNot";
import { WhyNot } from "./WhyNot";

const run = { id: "r1", graph: 1, question: "What is the capital of France?" } as Run;

const NOTHING = { trial: null, entity: null, fact: null, path: [], program: null, budget: null };
const TRIAL = { works: true, place: 2, count: 3, answers: ["Paris", "Lyon"], score: 0.9 };

const REMEDIES: Remedy[] = [
  { ...NOTHING, kind: "budget", text: "Allow 200 facts instead of 50.", trial: TRIAL, budget: 200 },
  { ...NOTHING, kind: "fact", text: "Add the fact France → capital → Lyon." },
];

const FOUND: Found = {
  expected: "Lyon",
  entity: { id: 4, label: "Lyon", kind: "entity" },
  stage: "budget",
  summary: "The budget of 50 facts was used up before Lyon was reached.",
  checks: [
    { stage: "entity", passed: true, text: "The graph has Lyon, with 4 facts." },
    { stage: "budget", passed: false, text: "The budget was used up." },
  ],
  remedies: REMEDIES,
  step: null,
  near: [],
};

function answers(of: Record<string, unknown>) {
  vi.stubGlobal("fetch", (url: string) => {
    const [, said] = Object.entries(of).find(([part]) => url.includes(part)) ?? [];
    return Promise.resolve(new Response(JSON.stringify(said)));
  });
}

afterEach(() => {
  vi.unstubAllGlobals();
});

function shown() {
  const acts = { onProgram: vi.fn(), onBudget: vi.fn(), onPin: vi.fn(), onMissing: vi.fn() };
  render(
    <QueryClientProvider client={new QueryClient()}>
      <WhyNot run={run} {...acts} />
    </QueryClientProvider>,
  );
  return acts;
}

it("names an expected answer, and shows where it is lost and what was tried", async () => {
  answers({
    entities: [{ id: 4, label: "Lyon", kind: "entity", about: "", source: "exact", degree: 4 }],
    "why-not/k1": { state: "done", found: FOUND, error: null },
    "why-not": { key: "k1" },
  });
  const acts = shown();
  await userEvent.click(screen.getByRole("button", { name: "Why not …? Name the answer that you expected" }));
  await userEvent.type(screen.getByRole("combobox"), "Lyon");
  await screen.findByRole("option", { name: /Lyon/ });
  await userEvent.keyboard("{Enter}");
  expect(await screen.findByText(FOUND.summary)).toBeInTheDocument();
  expect(screen.getByRole("heading", { name: "Why not Lyon?" })).toBeInTheDocument();
  const looked = screen.getByRole("list", { name: "What was looked at" });
  expect(looked).toHaveTextContent("The graph has Lyon, with 4 facts.");
  expect(looked).not.toHaveTextContent("used up");
  expect(screen.getByText("tried: it is then answer 2 of 3")).toBeInTheDocument();
  expect(screen.getByText("not tried")).toBeInTheDocument();
  await userEvent.click(screen.getByRole("button", { name: "Ask with 200 facts" }));
  expect(acts.onBudget).toHaveBeenCalledWith(200);
  await userEvent.click(screen.getByRole("button", { name: "Tell the analysts that it is missing" }));
  expect(acts.onMissing).toHaveBeenCalledWith("Lyon");
});

it("takes a name that the graph lacks, and says why it could not be found out", async () => {
  const error = { code: "time_limit", message: "It took too long.", hint: "Name another answer." };
  answers({
    entities: [],
    "why-not/k2": { state: "failed", found: null, error },
    "why-not": { key: "k2" },
  });
  shown();
  await userEvent.click(screen.getByRole("button", { name: "Why not …? Name the answer that you expected" }));
  await userEvent.type(screen.getByRole("combobox"), "Lutetia");
  await userEvent.click(await screen.findByRole("button", { name: "Ask about it anyway" }));
  expect(await screen.findByText(/It took too long/, {}, { timeout: 5_000 })).toBeInTheDocument();
});
