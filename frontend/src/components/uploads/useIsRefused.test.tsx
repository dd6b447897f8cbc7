import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { renderHook, waitFor } from "@testing-library/react";
import type { ReactNode } from "react";
import { expect, it, vi } from "vitest";
import { ApiError, request } from "@/api/client";
import { useIsRefused } from "./useIsRefused";

vi.mock("@/api/client", async (original) => ({
  ...(await original<typeof import("@/api/client")>()),
  request: vi.fn(),
}));
const sent = vi.mocked(request);
const from = { uploads: ["1"], sources: [] };

/** Before the preview has answered, and after it. */
async function look(ready: boolean): Promise<[before: boolean, after: boolean]> {
  const client = new QueryClient();
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={client}>{children}</QueryClientProvider>
  );
  const { result } = renderHook(() => useIsRefused("graph", from, {}, ready), { wrapper });
  const before = result.current;
  await waitFor(() => {
    expect(client.isFetching()).toBe(0);
  });
  return [before, result.current];
}

it("refuses what the preview says cannot be imported, and what it could not look at", async () => {
  sent.mockResolvedValueOnce([{ refused: false }, { refused: true }]);
  expect(await look(true)).toEqual([true, true]);
  sent.mockRejectedValueOnce(new ApiError(400, "config", "The encoding is unknown."));
  expect(await look(true)).toEqual([true, true]);
});

it("waits for the preview of what can be read, and refuses nothing before there are files", async () => {
  sent.mockResolvedValueOnce([{ refused: false }]);
  expect(await look(true)).toEqual([true, false]);
  expect(await look(false)).toEqual([false, false]);
});
