import { render, screen } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import type { Run, Status } from "@/api/types";
import { emptyView } from "@/store/runView";
import { RunNotices } from "./RunNotices";

const run = {
  ...{ state: "queued", position: 1 },
  warning: { message: "No worker is running, so nobody works on this question yet.", hint: "Start one." },
} as unknown as Run;

function shown(answers: number) {
  const status = { workers: { answers } } as unknown as Status;
  const view = { ...emptyView("r1"), phase: "queued" as const };
  return render(
    <RunNotices view={view} link="live" run={run} graph={undefined} status={status} onAgain={vi.fn()} />,
  );
}

it("says once that no worker is running", () => {
  shown(0);
  expect(screen.getAllByText(/No worker is running/)).toHaveLength(1);
});
