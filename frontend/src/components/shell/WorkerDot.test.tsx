import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import type { Status, Trouble } from "@/api/types";
import { WorkerDot } from "./WorkerDot";

const disk: Trouble = {
  code: "disk",
  message: "The server's disk is nearly full.",
  hint: "Delete versions.",
};
const queue: Trouble = { code: "queue", message: "The queue is not reachable.", hint: "It is kept." };

function show(workers: Status["workers"], troubles: Trouble[]) {
  const status = { workers, troubles, encoder: "e", version: "1", llm: { configured: false, model: null } };
  render(<WorkerDot status={status as unknown as Status} offline={false} />);
}

it("says that work is done when all is well", () => {
  show({ answers: 1, jobs: 1 }, []);
  expect(screen.getByRole("button")).toHaveTextContent("worker running");
});

it("tells what is the matter, and what to do", async () => {
  show({ answers: 1, jobs: 1 }, [disk]);
  await userEvent.click(screen.getByRole("button", { name: "1 trouble" }));
  expect(screen.getByText(disk.message)).toBeVisible();
  expect(screen.getByText(disk.hint)).toBeVisible();
  expect(screen.queryByText(/starts by itself/)).toBeNull();
});

it("does not count workers while the queue is away", () => {
  show({ answers: 0, jobs: 0 }, [queue]);
  expect(screen.getByRole("button", { name: "Queue unreachable" })).toBeVisible();
});
