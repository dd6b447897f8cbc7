import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, cleanup, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { MemoryRouter } from "react-router";
import { beforeEach, expect, it, vi } from "vitest";
import type { Graph, Job } from "@/api/types";
import { ApiError, upload } from "@/api/client";
import { useJobStore } from "@/store/jobStore";
import { useToasts } from "@/store/toasts";
import { UploadCheckpoint } from "./UploadCheckpoint";

vi.mock("@/api/client", async (original) => ({ ...(await original<object>()), upload: vi.fn() }));
const closed = vi.fn();

const job = {
  id: 7,
  kind: "checkpoint",
  title: "Upload mine.zip to Films",
  state: "running",
  stage: "looking through the file",
  graph: 3,
  user: "ann",
  stages: [],
  overall: 0.1,
  revision: 1,
  done: 0,
  total: 0,
  created_at: "2026-01-01T00:00:00Z",
} as unknown as Job;

beforeEach(() => {
  closed.mockReset();
  useJobStore.setState({ jobs: [] });
  render(
    <MemoryRouter>
      <QueryClientProvider client={new QueryClient()}>
        <UploadCheckpoint graph={{ id: 3 } as Graph} isOpen onClose={closed} />
      </QueryClientProvider>
    </MemoryRouter>,
  );
});

function put(news: Partial<Job>) {
  act(() => useJobStore.getState().put([{ ...job, revision: job.revision + 1, ...news }]));
}

async function send() {
  const input = document.querySelector<HTMLInputElement>("input[type=file]");
  if (!input) throw new Error("no file input");
  await userEvent.upload(input, new File(["x"], "mine.zip", { type: "application/zip" }));
  await userEvent.click(screen.getByRole("button", { name: "Upload" }));
}

it("sends the file with its graph, shows the job, and says whether it answers", async () => {
  vi.mocked(upload).mockResolvedValueOnce(job);
  expect(screen.getByRole("button", { name: "Upload" })).toBeDisabled();
  await send();
  expect(await screen.findByText("looking through the file")).toBeVisible();
  const [path, form] = vi.mocked(upload).mock.calls.at(-1) ?? [];
  expect([path, form?.get("graph"), (form?.get("file") as File).name]).toEqual([
    "checkpoints",
    "3",
    "mine.zip",
  ]);
  expect(closed).not.toHaveBeenCalled();
  put({ state: "done", result: { method: "rapl", fingerprint: "0123456789ab", in_use: false } });
  await waitFor(() => expect(closed).toHaveBeenCalled());
  expect(useToasts.getState().toasts.at(-1)?.text).toBe(
    "rapl 0123456789 is kept. Promote it to have it answer.",
  );
});

it("shows why the file is no checkpoint", async () => {
  vi.mocked(upload).mockResolvedValueOnce(job);
  await send();
  await screen.findByText("looking through the file");
  put({ state: "failed", error: { code: "x", message: "The file is a pickle.", hint: "Download it." } });
  expect(await screen.findByText(/The file is a pickle\. Download it\./)).toBeVisible();
  expect(closed).not.toHaveBeenCalled();
});

it("shows how far the file is sent and stops sending when it is closed", async () => {
  let signal: AbortSignal | undefined;
  vi.mocked(upload).mockImplementationOnce((_path, _form, onProgress, given) => {
    onProgress(0.25);
    signal = given;
    return new Promise(() => undefined);
  });
  await send();
  expect(await screen.findByRole("progressbar", { name: "Sending the file" })).toHaveAttribute(
    "aria-valuenow",
    "25",
  );
  cleanup();
  expect(signal?.aborted).toBe(true);
});

it("shows why a file is refused and stays open", async () => {
  const why = new ApiError(400, "bad_checkpoint", "The file lacks config.json.", "Download it again.");
  vi.mocked(upload).mockRejectedValueOnce(why);
  await send();
  expect(await screen.findByText(/lacks config\.json/)).toBeVisible();
  expect(closed).not.toHaveBeenCalled();
});
