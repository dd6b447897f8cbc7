import { fireEvent, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { viewAt } from "@/view/runView";
import { CAPITAL, WALK } from "@/test/agent";
import { RUN } from "@/test/switzerland";
import { SteerPanel } from "./SteerPanel";
import { WalkDetail } from "./WalkDetail";
import type { Steering } from "./useSteering";

function steering(phase: Steering["phase"], change: Partial<Steering> = {}): Steering {
  return {
    ...{ phase, pausing: false, busy: false, stepwise: false },
    ...{ setStepwise: vi.fn(), pause: vi.fn(), goOn: vi.fn(), back: vi.fn(), choose: vi.fn() },
    ...change,
  };
}

function show(seq: number, by: Steering) {
  render(<SteerPanel view={viewAt(RUN, WALK, seq)} steering={by} onStop={vi.fn()} />);
}

const press = (key: string) => fireEvent.keyDown(document.body, { key });

it("pauses a run that goes on, by a button and by the space bar", async () => {
  const by = steering("going");
  show(2, by);
  await userEvent.click(screen.getByRole("button", { name: /Pause/ }));
  press(" ");
  press("u");
  expect(by.pause).toHaveBeenCalledTimes(2);
  expect(by.back).not.toHaveBeenCalled();
});

it("does not pause twice", () => {
  const by = steering("going", { pausing: true });
  show(2, by);
  press(" ");
  expect(by.pause).not.toHaveBeenCalled();
  expect(screen.getByRole("button", { name: /Pausing after this step/ })).toBeDisabled();
});

it("goes on, takes back and goes another way from where it rests", async () => {
  const by = steering("paused");
  show(3, by);
  expect(screen.getByRole("heading")).toHaveTextContent("Paused after step 1");
  press(" ");
  expect(by.goOn).toHaveBeenCalledTimes(1);
  press("u");
  expect(by.back).toHaveBeenLastCalledWith(0);
  const next = within(screen.getByRole("list", { name: "What could come next" }));
  expect(next.getAllByRole("button").map((each) => each.getAttribute("aria-label"))).toEqual([
    "Keep → borders, 1 fact, the policy's own",
    "Keep → capital, 1 fact",
  ]);
  await userEvent.click(next.getByRole("button", { name: /capital/ }));
  expect(by.choose).toHaveBeenCalledWith(1, CAPITAL);
});

it("leaves the space bar to a button in focus", () => {
  const by = steering("paused");
  show(3, by);
  fireEvent.keyDown(screen.getByRole("button", { name: /Take back/ }), { key: " " });
  expect(by.goOn).not.toHaveBeenCalled();
});

it("takes a finished run up only by taking back", () => {
  const by = steering("over");
  show(6, by);
  expect(screen.queryByRole("button", { name: /Go on/ })).toBeNull();
  press(" ");
  press("u");
  expect(by.goOn).not.toHaveBeenCalled();
  expect(by.back).toHaveBeenCalledWith(2);
});

function detail(seq: number, of: number, by: Steering | null) {
  const view = viewAt(RUN, WALK, seq);
  const walk = [...view.agent, ...view.undone].find((each) => each.seq === of);
  if (!walk) throw new Error("no such step");
  render(<WalkDetail walk={walk} view={view} onLight={vi.fn()} steering={by} />);
}

it("shows what a step thought, did, kept and pruned, and what it could have been", async () => {
  const by = steering("over");
  detail(6, 4, by);
  const parts = [...document.querySelectorAll(".step-part")].map((part) => part.textContent.trim());
  expect(parts.slice(0, 5)).toEqual([
    "Thinksthought 2",
    "DoesKeep → borders",
    "Seessaw 2window 1 fact · focus 1 fact",
    "Kept 1Switzerland → borders Austria",
    "Pruned 1Switzerland → capital Bern",
  ]);
  await userEvent.click(screen.getByRole("button", { name: "Keep → capital, 1 fact" }));
  expect(by.choose).toHaveBeenCalledWith(1, CAPITAL);
  await userEvent.click(screen.getByRole("button", { name: "Take back to step 1" }));
  expect(by.back).toHaveBeenCalledWith(1);
});

it("offers nothing at a step that was taken back, while it goes on, or to others", () => {
  detail(9, 4, steering("over"));
  detail(6, 4, steering("going"));
  detail(6, 4, null);
  expect(screen.queryAllByRole("button")).toEqual([]);
});

it("says who chose a step", () => {
  detail(9, 9, null);
  expect(screen.getByText("chosen by a person")).toBeInTheDocument();
});
