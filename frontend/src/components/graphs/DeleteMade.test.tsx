import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import { useToasts } from "@/store/toasts";
import { DeleteMade } from "./DeleteMade";

afterEach(() => {
  vi.unstubAllGlobals();
});

it("asks, deletes, and takes it back by the toast", async () => {
  const asked: string[] = [];
  vi.stubGlobal("fetch", (url: string, { method }: { method: string }) => {
    asked.push(`${method} ${url}`);
    return Promise.resolve(new Response(null, { status: 204 }));
  });
  render(
    <QueryClientProvider client={new QueryClient()}>
      <DeleteMade kind="question-sets" id={4} name="Films" isOpen onClose={() => undefined}>
        2 questions will be deleted.
      </DeleteMade>
    </QueryClientProvider>,
  );
  expect(screen.getByRole("alertdialog", { name: "Delete Films?" })).toHaveTextContent(/can be restored/);
  expect(asked).toEqual([]);
  await userEvent.click(screen.getByRole("button", { name: "Delete" }));
  await waitFor(() => {
    expect(useToasts.getState().toasts.at(-1)?.act?.label).toBe("Undo");
  });
  expect(asked).toEqual(["DELETE /api/v1/question-sets/4"]);
  useToasts.getState().toasts.at(-1)?.act?.run();
  await waitFor(() => {
    expect(asked).toContain("POST /api/v1/trash/question-sets/4/restore");
  });
});
