import { QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";
import { makeCache } from "@/api/cache";
import type { ProgramExecuted } from "@/api/events";
import { reviewGraph } from "@/view/reviewGraph";
import { COUNT, PROGRAM } from "@/test/program";
import { candidateOf, itemOf } from "@/test/review";
import { givenBy } from "./CandidateProgram";
import { CandidateRow, type RowActs } from "./CandidateRow";

beforeEach(() => {
  Element.prototype.scrollIntoView = vi.fn();
});

function row(executed: ProgramExecuted, focused = true, kind?: "rational" | "not-rational") {
  const nothing = vi.fn();
  const acts: RowActs = {
    onFocus: nothing,
    onHover: nothing,
    onJudge: vi.fn(),
    onTell: nothing,
    onReason: nothing,
    onComment: nothing,
    onEdit: vi.fn(),
  };
  const candidate = candidateOf(7, {
    ...{ topic: "", path: [], steps: [], reached: 1, hits: 1, precision: 1, recall: 1 },
    executed,
    sources: [
      { source: "given", label_set: null, name: "Lands", score: 1, explanation: "" },
      { source: "reader", label_set: null, name: "as it is read", score: 0.67, explanation: "" },
    ],
  });
  render(
    <QueryClientProvider client={makeCache()}>
      <ol>
        <CandidateRow
          candidate={candidate}
          place={1}
          focused={focused}
          word={kind && { kind, reasons: [], comment: "" }}
          drawing={undefined}
          known
          telling={false}
          edited={0}
          acts={acts}
        />
      </ol>
    </QueryClientProvider>,
  );
  return { acts, candidate };
}

it("tells a program's steps, what it gives and who holds it", () => {
  row(PROGRAM);
  expect(screen.getByText("countries → continent Africa → largest area")).toBeInTheDocument();
  expect(
    screen
      .getAllByRole("button", { pressed: false })
      .map((one) => one.textContent)
      .slice(0, 3),
  ).toEqual(["1countries52 kept", "2in Africa (continent)3 kept", "3the one with the largest area1 kept"]);
  expect(screen.getByText("Algeria").closest("span")).toHaveTextContent("gives Algeria, 1 of 1 right");
  expect(screen.getByText("· changed from program 1")).toBeInTheDocument();
  expect(screen.getByText("0.67").closest("span[title]")).toHaveTextContent("reader 0.67");
});

it("keeps its steps to itself until it is in focus", () => {
  row(PROGRAM, false);
  expect(screen.queryByText("in Africa (continent)")).toBeNull();
});

it("is right or wrong, and is changed by its button", async () => {
  const { acts, candidate } = row(PROGRAM, true, "not-rational");
  expect(screen.getByRole("button", { name: /^Wrong/ })).toHaveAttribute("aria-pressed", "true");
  expect(screen.getAllByText(/Wrong/)[0]).toHaveClass("bad");
  await userEvent.click(screen.getByRole("button", { name: /^Right/ }));
  expect(acts.onJudge).toHaveBeenCalledExactlyOnceWith("rational", 1);
  await userEvent.click(screen.getByRole("button", { name: /^Edit/ }));
  expect(acts.onEdit).toHaveBeenCalledExactlyOnceWith(candidate);
});

it("says a number, the first of many names, and nothing", () => {
  expect(givenBy(COUNT)).toBe("3");
  const [first, second, third] = PROGRAM.steps;
  expect(givenBy({ ...PROGRAM, steps: first ? [first] : [] })).toBe("Algeria; Congo; Chad +49");
  expect(
    givenBy({ ...PROGRAM, steps: second && third ? [second, { ...third, count: 0, nodes: [] }] : [] }),
  ).toBe("nothing");
});

it("draws no answer that is no node of the graph", () => {
  const missed = [{ id: -1, label: "5", kind: "literal" as const }];
  const drawing = { candidate: 7, hops: [], hit: [], extra: [], missed };
  expect(reviewGraph([drawing], itemOf(1, { topics: [], answers: ["5"] }), 7).nodes).toEqual([]);
});
