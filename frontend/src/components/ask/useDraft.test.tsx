import { QueryClientProvider } from "@tanstack/react-query";
import { act, renderHook } from "@testing-library/react";
import type { ReactNode } from "react";
import { MemoryRouter } from "react-router";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { makeCache } from "@/api/cache";
import type { Run } from "@/api/types";
import { graphsQuery } from "@/api/queries";
import { rememberGraph } from "@/store/settings";
import { useDraft } from "./useDraft";

const run = {
  ...{ id: "r1", graph: 1, question: "and the second largest?", method: "reg-path", state: "done" },
  ...{ reasoner: "extractive", budget: 50, seed: 7, options: {}, program: null, checkpoint: null },
} as unknown as Run;

beforeEach(() => {
  sessionStorage.clear();
  vi.stubGlobal("fetch", () => new Promise(() => undefined));
});

afterEach(() => {
  vi.unstubAllGlobals();
});

function opened(first?: Run) {
  const cache = makeCache();
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={cache}>
      <MemoryRouter initialEntries={["/runs/r1"]}>{children}</MemoryRouter>
    </QueryClientProvider>
  );
  return renderHook(({ of, id }: { of: Run | undefined; id: string }) => useDraft(id, of, undefined), {
    wrapper,
    initialProps: { of: first, id: "r1" },
  });
}

it("takes the question of a run that is opened, once it has come", () => {
  const { result, rerender } = opened();
  expect(result.current.draft.question).toBe("");
  rerender({ of: run, id: "r1" });
  expect(result.current.draft.question).toBe("and the second largest?");
});

it("keeps what was typed before the run had come, and takes the rest of it", () => {
  const { result, rerender } = opened();
  act(() => {
    result.current.change({ question: "Which is the smallest?" });
  });
  rerender({ of: run, id: "r1" });
  expect(result.current.draft.question).toBe("Which is the smallest?");
  expect(result.current.draft.graph).toBe("1");
});

it("keeps what is typed while the page goes to a run that was asked here", () => {
  const { result, rerender } = opened(run);
  act(() => {
    result.current.change({ question: "Which is the smallest?" });
  });
  act(() => {
    result.current.onAsked("r2");
  });
  act(() => {
    result.current.change({ question: "and its" });
  });
  rerender({ of: run, id: "r1" });
  expect(result.current.draft.question).toBe("and its");
  rerender({ of: { ...run, id: "r2", question: "Which is the smallest?" }, id: "r2" });
  expect(result.current.draft.question).toBe("and its");
  rerender({ of: run, id: "r1" });
  expect(result.current.draft.question).toBe("and the second largest?");
});

function asking(address: string) {
  const cache = makeCache();
  const graph = (id: number, state: string) => ({ id, name: `g${id}`, owner: null, state, created_at: "" });
  cache.setQueryData(graphsQuery.queryKey, {
    results: [graph(1, "ready"), graph(2, "ready"), graph(3, "failed")],
  } as never);
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={cache}>
      <MemoryRouter initialEntries={[address]}>{children}</MemoryRouter>
    </QueryClientProvider>
  );
  return renderHook(() => useDraft(undefined, undefined, undefined), { wrapper }).result.current.draft.graph;
}

it("opens the graph that was used last, and the address wins and is remembered", () => {
  rememberGraph(2);
  expect(asking("/")).toBe("2");
  expect(asking("/?graph=1")).toBe("1");
  expect(asking("/")).toBe("1");
});
