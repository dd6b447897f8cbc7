import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { MemoryRouter } from "react-router";
import { afterEach, expect, it, vi } from "vitest";
import type { Run } from "@/api/types";
import { emptyView } from "@/view/runView";
import { useToasts } from "@/store/toasts";
import { DoubtDialog, Doubts, type Doubt } from "./Doubt";

const run = { id: "r1", question: "?" } as Run;

function open(doubt: Doubt, view = emptyView("r1")) {
  const sent: unknown[] = [];
  vi.stubGlobal("fetch", (_: string, { body }: { body: string }) => {
    sent.push(JSON.parse(body));
    return Promise.resolve(new Response(JSON.stringify({ queue: 3, item: 9 })));
  });
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MemoryRouter>
        <DoubtDialog run={run} view={view} doubt={doubt} onClose={() => undefined} />
      </MemoryRouter>
    </QueryClientProvider>,
  );
  return sent;
}

afterEach(() => {
  vi.unstubAllGlobals();
});

it("sends which answer is doubted, with a comment, and says where it went", async () => {
  const entity = { id: 7, label: "Bern", kind: "entity" as const };
  const answer = {
    label: "Bern",
    entity,
    score: 1,
    chains: [],
    verified: true,
    citations: [],
    guess: false,
    beside: [],
    display: "",
    owner: "",
  };
  const sent = open({ kind: "answer-wrong", answer });
  expect(screen.getByRole("dialog", { name: "Bern is wrong" })).toBeInTheDocument();
  await userEvent.type(screen.getByLabelText("Comment, optional"), "it is Geneva");
  await userEvent.click(screen.getByRole("button", { name: "Send to the analysts" }));
  await waitFor(() => {
    expect(useToasts.getState().toasts.at(-1)?.act?.label).toBe("Open it");
  });
  expect(sent).toEqual([
    expect.objectContaining({ kind: "answer-wrong", answer: 7, comment: "it is Geneva" }),
  ]);
});

it("sends what the person calls right, or starts from the answers beside the doubted one", async () => {
  const answers = ["Bern", "Basel"].map((label, id) => ({
    label,
    entity: { id, label, kind: "entity" as const },
    score: 1,
    chains: [],
    verified: true,
    guess: false,
    beside: [],
    display: "",
    owner: "",
    citations: [],
  }));
  const [answer] = answers;
  if (!answer) throw new Error("There are two.");
  const sent = open({ kind: "answer-wrong", answer }, { ...emptyView("r1"), answers });
  await userEvent.click(screen.getByRole("button", { name: "The other answer is right" }));
  expect(screen.getByRole("list", { name: "All right answers, optional" })).toHaveTextContent("Basel");
  await userEvent.click(screen.getByRole("button", { name: "Send to the analysts" }));
  await waitFor(() => {
    expect(sent).toEqual([expect.objectContaining({ answer: 0, right_answers: ["Basel"] })]);
  });
});

it("asks what is wrong with a run as a whole", async () => {
  const sent = open({ kind: "answer-wrong" });
  await userEvent.click(screen.getByLabelText(/The paths are not the reason/));
  await userEvent.click(screen.getByRole("button", { name: "Send to the analysts" }));
  await waitFor(() => {
    expect(sent).toHaveLength(1);
  });
  expect(sent[0]).toMatchObject({ kind: "path-wrong", comment: "" });
  expect(sent[0]).not.toHaveProperty("answer");
});

it("shows what was doubted, and the way to where it is judged", () => {
  const flag = {
    kind: "path-wrong" as const,
    answer: "",
    chain: 1,
    right_answers: [],
    comment: "by chance",
    at: "2026-01-01T00:00:00Z",
    ...{ user: "ann", queue: 3, item: 9 },
  };
  const open = { state: "open" as const, rational: 0, rejected: 0, answers: [], judges: [] };
  render(
    <MemoryRouter>
      <Doubts flags={[{ ...flag, outcome: open }]} />
    </MemoryRouter>,
  );
  expect(screen.getByText("Nobody has judged it yet.")).toBeInTheDocument();
  expect(screen.getByText(/ann says that chain 2 is not the reason: by chance/)).toBeInTheDocument();
  expect(screen.getByRole("link", { name: "Open" })).toHaveAttribute("href", "/review/3?item=9");
});

it("tells who flagged an answer what became of it", () => {
  const flag = {
    ...{ kind: "answer-wrong" as const, answer: "Lyon", chain: null, right_answers: [], comment: "" },
    ...{ at: "2026-01-01T00:00:00Z", user: "ann", queue: 3, item: 9 },
  };
  const outcome = { state: "done" as const, rational: 1, rejected: 2, answers: ["Paris"], judges: ["bob"] };
  render(
    <MemoryRouter>
      <Doubts flags={[{ ...flag, outcome }]} />
    </MemoryRouter>,
  );
  expect(screen.getByText("Analysts judged this answer")).toBeInTheDocument();
  expect(screen.getByText(/Judged by bob: 1 path is the reason, 2 paths are not/)).toHaveTextContent(
    "Right answer: Paris.",
  );
});
