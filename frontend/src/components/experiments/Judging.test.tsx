import { QueryClientProvider } from "@tanstack/react-query";
import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { MemoryRouter } from "react-router";
import { afterEach, expect, it, vi } from "vitest";
import { makeCache } from "@/api/cache";
import type { Judged } from "@/api/reportTypes";
import { EvaluateDialog } from "./EvaluateDialog";
import { JudgedCard } from "./JudgedCard";

const graph = {
  id: 1,
  name: "Tiny",
  state: "ready",
  endpoint: null,
  checkpoint: null,
  triples: 5,
  passages: 0,
};
const checkpoint = {
  ...{ id: 3, graph: 1, method: "rel-rag-path", fingerprint: "0123456789", in_use: true, foreign: true },
  ...{ current: true, question_set_name: "q", fraction: 1, metrics: {}, created_at: "2026-01-05T12:00:00Z" },
};
const method = {
  ...{ id: "rel-rag-path", label: "REL-RAG", description: "", available: true, trained: true },
  ...{ standalone: false, steerable: false, on_endpoints: false, takes_written_programs: true },
  ...{ needs: [], options: [], untrained_options: [] },
};
const set = { id: 4, name: "Six", graph: 1, questions: 6, splits: { test: 2 } };
const list = (...results: object[]) => ({ count: results.length, next: null, previous: null, results });

function open({ llm = true, trained = true } = {}) {
  const sent: Record<string, unknown>[] = [];
  vi.stubGlobal("fetch", (url: string, { method: verb, body }: { method: string; body?: string }) => {
    const path = url.replace("/api/v1/", "").split("?")[0] ?? "";
    if (verb === "POST") sent.push(JSON.parse(body ?? "{}") as Record<string, unknown>);
    const found: Record<string, object> = {
      session: { user: { id: 1, username: "ann", role: "analyst" }, csrf: "x" },
      graphs: list(graph),
      status: {
        ...{ methods: [method], llm: { configured: llm }, budgets: { default: 50, max: 500 } },
        workers: { jobs: 1, answers: 1 },
      },
      "question-sets": list(set),
      checkpoints: list(...(trained ? [checkpoint] : [])),
      "methods/rel-rag-path": method,
      "language-models": list({ id: 8, name: "Local", model: "small", enabled: true, default: true }),
    };
    return Promise.resolve(
      new Response(JSON.stringify(found[path] ?? { error: { code: "invalid", message: "No.", hint: "" } }), {
        status: found[path] && verb === "GET" ? 200 : 400,
      }),
    );
  });
  render(
    <QueryClientProvider client={makeCache()}>
      <MemoryRouter>
        <EvaluateDialog start={{ graph: "1" }} isOpen onClose={() => undefined} />
      </MemoryRouter>
    </QueryClientProvider>,
  );
  return sent;
}

afterEach(() => {
  vi.unstubAllGlobals();
});

const start = async () => {
  const button = await screen.findByRole("button", { name: "Start evaluation" });
  await vi.waitFor(() => {
    expect(button).toBeEnabled();
  });
  await userEvent.click(button);
};

it("asks for judgements and for a checkpoint of another graph where that was chosen", async () => {
  const sent = open();
  await userEvent.click(await screen.findByText(/^Judged by a language model, and/));
  await userEvent.click(screen.getByRole("checkbox", { name: /^Judge/ }));
  await userEvent.click(screen.getByRole("checkbox", { name: /^Faithfulness/ }));
  await userEvent.click(await screen.findByRole("button", { name: /Only where it knows the relations/ }));
  await userEvent.click(await screen.findByRole("option", { name: /All the same/ }));
  expect(screen.getByText("2 changed")).toBeInTheDocument();
  expect(await screen.findByRole("button", { name: /Local.*Language model/ })).toBeInTheDocument();
  await start();
  expect(sent).toEqual([expect.objectContaining({ judgements: ["judge", "faithfulness"], foreign: "ask" })]);
});

it("sends nothing of it unless it was chosen", async () => {
  const sent = open();
  await screen.findByText(/^Judged by a language model, and/);
  await start();
  expect(Object.keys(sent[0] ?? {})).not.toContain("judgements");
  expect(Object.keys(sent[0] ?? {})).not.toContain("foreign");
});

it("says that there is no language model to ask, and no checkpoint to choose for", async () => {
  open({ llm: false, trained: false });
  await userEvent.click(await screen.findByText(/^Judged by a language model, and/));
  expect(screen.getByRole("checkbox", { name: /^Judge/ })).toBeDisabled();
  expect(screen.getByText(/^No language model is set up/)).toBeInTheDocument();
  expect(screen.queryByText("A checkpoint of a graph of other relations is asked")).toBeNull();
});

it("shows what was said, by whom and what it cost", () => {
  const judged = {
    ...{
      judge: null,
      verify: null,
      model: "Local",
      usage: { llm_calls: 4, tokens: 1720, cost: null, kept: 2 },
    },
    faithfulness: { n: 2, why: null, unsaid: 0, asked: 2, used: 1, not_used: 1, hallucination_score: 0.5 },
  } as Judged;
  render(<JudgedCard judged={judged} />);
  const card = screen.getByRole("region", { name: "Judged by a language model" });
  expect(card).toHaveTextContent("Local, 4 calls, 1,720 tokens, 2 replies kept from before");
  const row = within(card).getByRole("row", { name: /^Rests on what was read/ });
  expect(row).toHaveTextContent("0.50of 2 right answers: 1 from what was read, 1 not");
});
