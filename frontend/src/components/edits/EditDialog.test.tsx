import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";
import { ApiError, request } from "@/api/client";
import type { Operation } from "@/api/edits";
import type { Graph } from "@/api/types";
import { EditDialog } from "./EditDialog";
import { isComplete } from "./operations";

vi.mock("@/api/client", async (original) => ({
  ...(await original<typeof import("@/api/client")>()),
  request: vi.fn(),
}));
const sent = vi.mocked(request);
const graph = { id: 3, name: "Lakes" } as Graph;
const MERGE: Operation = { op: "merge_entities", entity: "IBM", other: "IBM Corp" };
const EFFECT = {
  description: "Merge IBM Corp into IBM",
  removed: 3,
  added: 2,
  removed_sample: [["IBM Corp", "founded", "1911"]],
  added_sample: [
    ["IBM", "founded", "1911"],
    ["Ann", "works at", "IBM"],
  ],
  new_entities: [],
  new_relations: [],
};

function show(operation: Operation, onClose = vi.fn()) {
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <EditDialog graph={graph} operation={operation} onClose={onClose} />
    </QueryClientProvider>,
  );
  return onClose;
}

beforeEach(() => {
  sent.mockReset();
});

it("shows what a merge changes before it is sent, with reason and source", async () => {
  sent.mockImplementation((_, path) =>
    Promise.resolve(
      path === "graphs/3/edits/preview" ? [EFFECT] : path === "graphs/3/edits" ? { id: 7 } : [],
    ),
  );
  const closed = show(MERGE);
  expect(await screen.findByText("3 facts removed, 2 facts added")).toBeVisible();
  expect(screen.getByRole("list", { name: "Removed facts" })).toHaveTextContent(
    "− IBM Corp · founded · 1911and 2 more facts",
  );
  await userEvent.type(screen.getByRole("textbox", { name: "Reason" }), "one company");
  await userEvent.type(screen.getByRole("textbox", { name: "Source" }), "annual report");
  await userEvent.click(screen.getByRole("button", { name: "Save" }));
  await waitFor(() => {
    expect(closed).toHaveBeenCalledOnce();
  });
  expect(sent).toHaveBeenCalledWith("POST", "graphs/3/edits", {
    query: {},
    body: { edits: [{ operation: MERGE, reason: "one company", source: "annual report" }] },
  });
});

it("says why an edit cannot be made, and does not send it", async () => {
  sent.mockImplementation((_, path) =>
    path === "graphs/3/edits/preview"
      ? Promise.reject(new ApiError(409, "bad_edit", "IBM cannot be merged with itself."))
      : Promise.resolve([]),
  );
  show({ op: "merge_entities", entity: "IBM", other: "IBM" });
  expect(await screen.findByText("IBM cannot be merged with itself.")).toBeVisible();
  expect(screen.getByRole("button", { name: "Save" })).toBeDisabled();
});

it("asks for an effect only of operations that lack nothing", () => {
  const fact = ["Ann", "works at", "IBM"];
  expect(isComplete({ op: "add_fact", fact: ["Ann", " ", "IBM"] })).toBe(false);
  expect(isComplete({ op: "add_fact", fact })).toBe(true);
  expect(isComplete({ op: "change_fact", fact, replacement: fact })).toBe(false);
  expect(isComplete({ op: "change_fact", fact, replacement: ["Ann", "works at", "HP"] })).toBe(true);
  expect(isComplete({ op: "rename_entity", entity: "Ann", name: "Ann" })).toBe(false);
  expect(isComplete({ op: "merge_entities", entity: "Ann", other: "" })).toBe(false);
});
