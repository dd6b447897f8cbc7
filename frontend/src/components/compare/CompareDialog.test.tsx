import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { fireEvent, render, screen } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { expect, it } from "vitest";
import type { Checkpoint, Graph, MethodInfo } from "@/api/types";
import { startDraft } from "@/components/ask/draft";
import { methodChoices } from "@/view/methods";
import { CompareDialog } from "./CompareDialog";

const methods = ["rel-rag-path", "reg-triple", "rapl"].map((id): MethodInfo => ({
  ...{ id, label: id, description: "", trained: true, available: true, needs: [] },
  ...{ standalone: false, steerable: false, on_endpoints: false, takes_written_programs: true },
}));
const trained = methods.slice(0, 2).map(({ id }, index) => ({
  ...{ id: index, method: id, created_at: "2026-01-01T00:00:00Z", current: true, in_use: true },
  ...{ fingerprint: `${index}`.repeat(10), question_set_name: "questions", fraction: 1 },
})) as Partial<Checkpoint>[] as Checkpoint[];
const graph = { id: 7, name: "Films", triples: 9, passages: 0, endpoint: null } as Partial<Graph> as Graph;

function dialog(checkpoints: Checkpoint[]) {
  const choices = methodChoices(methods, checkpoints, { graph, llm: false });
  return (
    <QueryClientProvider client={new QueryClient()}>
      <MemoryRouter>
        <CompareDialog
          {...{ graph, choices, settings: {}, isOpen: true, onClose: () => undefined }}
          draft={startDraft({ question: "Who?" })}
        />
      </MemoryRouter>
    </QueryClientProvider>
  );
}

const chosen = () => screen.getAllByRole<HTMLInputElement>("checkbox").map((box) => box.checked);

it("proposes what is trained, also when that is known after it was opened, until something is chosen", () => {
  const { rerender } = render(dialog([]));
  expect(chosen()).toEqual([false, false, false]);
  rerender(dialog(trained));
  expect(chosen()).toEqual([true, true, false]);
  fireEvent.click(screen.getByRole("checkbox", { name: /rapl/ }));
  rerender(dialog(trained.slice(0, 1)));
  expect(chosen()[2]).toBe(true);
  expect(screen.getByRole("button", { name: /Ask all/ })).toBeEnabled();
});
