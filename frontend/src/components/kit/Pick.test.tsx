import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { Pick, type Option } from "./controls";

const METHODS: readonly Option[] = [{ id: "reg-path", label: "Relation paths" }];

it("opens before its options are there, and shows them as they come", async () => {
  const chosen = vi.fn();
  const pick = (options: readonly Option[]) => (
    <Pick label="Method" options={options} value={null} onChange={chosen} whenEmpty="Loading the methods…" />
  );
  const { rerender } = render(pick([]));
  await userEvent.click(screen.getByRole("button", { name: /Method/ }));
  expect(screen.getByText("Loading the methods…")).toBeVisible();
  rerender(pick(METHODS));
  expect(screen.queryByText("Loading the methods…")).toBeNull();
  await userEvent.click(screen.getByRole("option", { name: "Relation paths" }));
  expect(chosen).toHaveBeenCalledExactlyOnceWith("reg-path");
});
