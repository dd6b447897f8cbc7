import { render, screen } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import type { Graph, Run, Status } from "@/api/types";
import { emptyView } from "@/view/runView";
import { EVENTS } from "@/test/switzerland";
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

it("says that a pin is of an earlier version", () => {
  const linked = EVENTS.flatMap((event) => (event.type === "question.linked" ? event.entities : []));
  const view = { ...emptyView("r1"), linked: linked.map((one) => ({ ...one, source: "given" as const })) };
  const graph = { name: "Lands", snapshot: { hash: "second" } } as unknown as Graph;
  const shown = (snapshot: string) => (
    <RunNotices
      view={view}
      link="closed"
      run={{ state: "done", snapshot, program: null } as unknown as Run}
      graph={graph}
      status={undefined}
      onAgain={vi.fn()}
    />
  );
  const { rerender } = render(shown("first"));
  expect(screen.getByText("Lands has another version since")).toBeVisible();
  expect(screen.getByText(/Pin/)).toHaveTextContent("Pin Switzerland again if it is still there.");
  rerender(shown("second"));
  expect(screen.queryByText(/another version/)).toBeNull();
});

it("says once that no worker is running", () => {
  shown(0);
  expect(screen.getAllByText(/No worker is running/)).toHaveLength(1);
});
