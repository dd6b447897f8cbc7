import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { viewAt } from "@/store/runView";
import { EVENTS, NODES, RUN } from "@/test/switzerland";
import { AnswersPanel } from "./AnswersPanel";

const view = viewAt(RUN, EVENTS, EVENTS.length);
const nothing = () => undefined;

it("lists each answer with its certainty, badge and chains", () => {
  render(<AnswersPanel view={view} chain={null} onChain={nothing} onFind={nothing} />);
  const rows = screen.getAllByRole("listitem").map((row) => row.textContent);
  expect(rows).toEqual([
    "1German verified1 chain0.97",
    "2French verified1 chain0.96",
    "3Romanshnot in the graphno chain0.20",
  ]);
  expect(screen.getByText("3 · 130 ms")).toBeInTheDocument();
  expect(screen.getByText("German, French")).toBeInTheDocument();
});

it("asks the page to light the chain, and to put it out again", async () => {
  const onChain = vi.fn();
  const { rerender } = render(<AnswersPanel view={view} chain={null} onChain={onChain} onFind={nothing} />);
  const first = screen.getAllByRole("button", { name: "1 chain" })[0] ?? document.body;
  await userEvent.click(first);
  expect(onChain).toHaveBeenLastCalledWith(0);
  rerender(<AnswersPanel view={view} chain={0} onChain={onChain} onFind={nothing} />);
  const lit = screen.getAllByRole("button", { name: "1 chain" })[0] ?? document.body;
  expect(lit).toHaveAttribute("aria-pressed", "true");
  await userEvent.click(lit);
  expect(onChain).toHaveBeenLastCalledWith(null);
});

it("finds an answer in the graph, but not one that the graph does not hold", async () => {
  const onFind = vi.fn();
  render(<AnswersPanel view={view} chain={null} onChain={nothing} onFind={onFind} />);
  await userEvent.click(screen.getByRole("button", { name: "French" }));
  expect(onFind).toHaveBeenCalledExactlyOnceWith(NODES.french.id);
  expect(screen.queryByRole("button", { name: "Romansh" })).toBeNull();
});

it("shows twelve answers first, and all on demand", async () => {
  const many = Array.from({ length: 30 }, (_, i) => ({
    label: `Film ${i}`,
    score: 0.5,
    entity: { id: i, label: `Film ${i}`, kind: "entity" as const },
    chains: [0],
    verified: true,
    citations: [],
  }));
  render(<AnswersPanel view={{ ...view, answers: many }} chain={null} onChain={nothing} onFind={nothing} />);
  const list = screen.getByRole("list");
  expect(within(list).getAllByRole("listitem")).toHaveLength(12);
  await userEvent.click(screen.getByRole("button", { name: "Show all 30" }));
  expect(within(list).getAllByRole("listitem")).toHaveLength(30);
});
