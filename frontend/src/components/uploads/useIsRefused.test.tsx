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

function look(ready: boolean) {
  const client = new QueryClient();
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={client}>{children}</QueryClientProvider>
  );
  return renderHook(() => useIsRefused("graph", from, {}, ready), { wrapper }).result;
}

it("refuses what the preview says cannot be imported, and what it could not look at", async () => {
  sent.mockResolvedValueOnce([{ refused: false }, { refused: true }]);
  const one = look(true);
  expect(one.current).toBe(false);
  await waitFor(() => {
    expect(one.current).toBe(true);
  });
  sent.mockRejectedValueOnce(new ApiError(400, "config", "The encoding is unknown."));
  const failed = look(true);
  await waitFor(() => {
    expect(failed.current).toBe(true);
  });
});

it("refuses nothing that can be read, or before there is anything to look at", async () => {
  sent.mockResolvedValueOnce([{ refused: false }]);
  const fine = look(true);
  await waitFor(() => {
    expect(sent).toHaveBeenCalled();
  });
  expect(fine.current).toBe(false);
  expect(look(false).current).toBe(false);
});
