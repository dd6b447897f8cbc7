import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
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

it("says that the graph has a newer version, and offers to ask again", async () => {
  const linked = EVENTS.flatMap((event) => (event.type === "question.linked" ? event.entities : []));
  const over = { ...emptyView("r1"), phase: "done" as const };
  const view = { ...over, linked: linked.map((one) => ({ ...one, source: "given" as const })) };
  const graph = { name: "Lands", snapshot: { hash: "second" } } as unknown as Graph;
  const onAgain = vi.fn();
  const shown = (snapshot: string, seen = view) => (
    <RunNotices
      view={seen}
      link="closed"
      run={{ state: "done", snapshot, program: null } as unknown as Run}
      graph={graph}
      status={undefined}
      onAgain={onAgain}
    />
  );
  const { rerender } = render(shown("first"));
  expect(screen.getByText("Lands has a newer version")).toBeVisible();
  expect(screen.getByText(/Pin/)).toHaveTextContent("Pin Switzerland again if it is still there.");
  await userEvent.click(screen.getByRole("button", { name: "Ask again" }));
  expect(onAgain).toHaveBeenCalledOnce();
  rerender(shown("first", { ...view, linked: [] }));
  expect(screen.getByText("Lands has a newer version")).toBeVisible();
  expect(screen.queryByText(/Pin/)).toBeNull();
  rerender(shown("second"));
  expect(screen.queryByText(/another version/)).toBeNull();
});

it("says once that no worker is running", () => {
  shown(0);
  expect(screen.getAllByText(/No worker is running/)).toHaveLength(1);
});
