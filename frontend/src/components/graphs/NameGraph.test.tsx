import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { ApiError, request } from "@/api/client";
import type { Graph } from "@/api/types";
import { NameGraph } from "./NameGraph";

vi.mock("@/api/client", async (original) => ({
  ...(await original<typeof import("@/api/client")>()),
  request: vi.fn(),
}));
const sent = vi.mocked(request);

it("sends the new name and what is said of it, and stays open when the name is taken", async () => {
  const closed = vi.fn();
  const graph = { id: 3, name: "Films", description: "Of the seventies" } as Graph;
  render(
    <QueryClientProvider client={new QueryClient()}>
      <NameGraph graph={graph} isOpen onClose={closed} />
    </QueryClientProvider>,
  );
  const name = screen.getByRole("textbox", { name: "Name" });
  const save = screen.getByRole("button", { name: "Save" });
  await userEvent.clear(name);
  expect(save).toBeDisabled();
  await userEvent.type(name, " Old films ");
  sent.mockRejectedValueOnce(new ApiError(409, "name_taken", "There is a graph of this name."));
  await userEvent.click(save);
  expect(await screen.findByText("There is a graph of this name.")).toBeVisible();
  expect(closed).not.toHaveBeenCalled();
  sent.mockResolvedValueOnce({});
  await userEvent.click(save);
  await waitFor(() => {
    expect(closed).toHaveBeenCalledOnce();
  });
  expect(sent).toHaveBeenLastCalledWith("PATCH", "graphs/3", {
    query: {},
    body: { name: "Old films", description: "Of the seventies" },
  });
});
