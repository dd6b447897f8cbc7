import { fireEvent, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { viewAt } from "@/view/runView";
import { EVENTS, RUN } from "@/test/switzerland";
import { Timeline } from "./Timeline";

const { steps } = viewAt(RUN, EVENTS, EVENTS.length);

it("stands at the end and steps back to the event before", async () => {
  const onStep = vi.fn();
  render(<Timeline steps={steps} step={null} live={false} onStep={onStep} />);
  expect(screen.getByText("9/9")).toBeInTheDocument();
  await userEvent.click(screen.getByRole("button", { name: "Step back" }));
  expect(onStep).toHaveBeenLastCalledWith(9);
});

it("scrubs to a step by its event, and to null at the end", () => {
  const onStep = vi.fn();
  render(<Timeline steps={steps} step={4} live={false} onStep={onStep} />);
  const slider = screen.getByRole("slider", { name: "Step of the run" });
  expect(slider).toHaveValue("3");
  expect(slider).toHaveAttribute("aria-valuetext", expect.stringContaining("Path 1: Switzerland → borders"));
  fireEvent.change(slider, { target: { value: "2" } });
  expect(onStep).toHaveBeenLastCalledWith(3);
  fireEvent.change(slider, { target: { value: "8" } });
  expect(onStep).toHaveBeenLastCalledWith(null);
});

it("replays step by step", () => {
  vi.useFakeTimers();
  const onStep = vi.fn();
  render(<Timeline steps={steps} step={2} live={false} onStep={onStep} />);
  fireEvent.click(screen.getByRole("button", { name: "Replay" }));
  vi.advanceTimersByTime(700);
  expect(onStep).toHaveBeenLastCalledWith(3);
  vi.useRealTimers();
});
