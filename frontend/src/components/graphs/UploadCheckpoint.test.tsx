import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";
import type { Checkpoint, Graph } from "@/api/types";
import { ApiError, upload } from "@/api/client";
import { useToasts } from "@/store/toasts";
import { UploadCheckpoint } from "./UploadCheckpoint";

vi.mock("@/api/client", async (original) => ({ ...(await original<object>()), upload: vi.fn() }));
const closed = vi.fn();

beforeEach(() => {
  closed.mockReset();
  render(
    <QueryClientProvider client={new QueryClient()}>
      <UploadCheckpoint graph={{ id: 3 } as Graph} isOpen onClose={closed} />
    </QueryClientProvider>,
  );
});

async function send() {
  const input = document.querySelector<HTMLInputElement>("input[type=file]");
  if (!input) throw new Error("no file input");
  await userEvent.upload(input, new File(["x"], "mine.zip", { type: "application/zip" }));
  await userEvent.click(screen.getByRole("button", { name: "Upload" }));
}

it("sends the file with its graph and says whether it answers", async () => {
  const made = { method: "rapl", fingerprint: "0123456789ab", in_use: false } as Checkpoint;
  vi.mocked(upload).mockResolvedValueOnce(made);
  expect(screen.getByRole("button", { name: "Upload" })).toBeDisabled();
  await send();
  await waitFor(() => expect(closed).toHaveBeenCalled());
  const [path, form] = vi.mocked(upload).mock.calls.at(-1) ?? [];
  expect([path, form?.get("graph"), (form?.get("file") as File).name]).toEqual([
    "checkpoints",
    "3",
    "mine.zip",
  ]);
  expect(useToasts.getState().toasts.at(-1)?.text).toBe(
    "rapl 0123456789 is kept. Promote it to have it answer.",
  );
});

it("shows why a file is refused and stays open", async () => {
  const why = new ApiError(400, "bad_checkpoint", "The file lacks config.json.", "Download it again.");
  vi.mocked(upload).mockRejectedValueOnce(why);
  await send();
  expect(await screen.findByText(/lacks config\.json/)).toBeVisible();
  expect(closed).not.toHaveBeenCalled();
});
