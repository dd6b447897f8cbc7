import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { request } from "@/api/client";
import type { LabelSet } from "@/api/types";
import { CombineForm } from "./LabelSets";

vi.mock("@/api/client", async (original) => ({ ...(await original<object>()), request: vi.fn() }));

const made = (id: number, fields: Partial<LabelSet> = {}) =>
  ({ id, name: `L${id}`, state: "done", question_set: 1, snapshot: "a", ...fields }) as LabelSet;

it("combines two label sets that go together", async () => {
  const closed = vi.fn();
  vi.mocked(request).mockResolvedValueOnce({ label_set: made(9), job: { id: 5, state: "queued" } });
  const sets = [made(3, { snapshot: "b" }), made(4), made(5, { state: "failed" }), made(6)];
  render(
    <QueryClientProvider client={new QueryClient()}>
      <CombineForm sets={sets} onClose={closed} />
    </QueryClientProvider>,
  );
  await userEvent.click(screen.getByRole("radio", { name: /Intersection/ }));
  await userEvent.click(screen.getByRole("button", { name: "Combine" }));
  await waitFor(() => expect(closed).toHaveBeenCalledOnce());
  expect(vi.mocked(request)).toHaveBeenCalledWith("POST", "label-sets/combine", {
    query: {},
    body: { first: 4, second: 6, how: "intersection" },
  });
});
