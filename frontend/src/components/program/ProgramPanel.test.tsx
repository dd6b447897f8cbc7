import { QueryClientProvider } from "@tanstack/react-query";
import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { MemoryRouter } from "react-router";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { makeCache } from "@/api/cache";
import type { ProgramExecuted } from "@/api/events";
import type { Graph } from "@/api/types";
import { AnswersPanel } from "@/components/run/AnswersPanel";
import { viewAt } from "@/view/runView";
import { COUNT, COUNTED, LARGEST, PROGRAM, programRun } from "@/test/program";
import { RUN } from "@/test/switzerland";
import { ProgramPanel } from "./ProgramPanel";

const graph = { id: 1, name: "Land", snapshot: { hash: "b2f1" } } as unknown as Graph;
const relations = ["area", "population"].map((name, relation) => ({
  ...{ relation, name, label: name, count: 7 - relation, heads: 7, tails: 7, example: ["", "", ""] },
}));

beforeEach(() => {
  vi.stubGlobal("fetch", (url: string) => {
    const body = url.includes("statistics")
      ? { top_relations: relations, relations: 2 }
      : [{ id: 9, label: "Europe", kind: "entity", degree: 2, score: 1, source: "exact", about: "" }];
    return Promise.resolve(new Response(JSON.stringify(body), { status: 200 }));
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
});

function show(program: ProgramExecuted = PROGRAM, mayRun = true, corrects: string | null = null) {
  const [onRun, onFind, onChoose] = [vi.fn(), vi.fn(), vi.fn()];
  function Page() {
    const [chosen, setChosen] = useState<number | null>(null);
    onChoose.mockImplementation(setChosen);
    return (
      <ProgramPanel
        program={program}
        question="Which country in Africa has the largest area?"
        graph={graph}
        corrects={corrects}
        chosen={chosen}
        onChoose={onChoose}
        onFind={onFind}
        onRun={mayRun ? onRun : undefined}
      />
    );
  }
  render(
    <QueryClientProvider client={makeCache()}>
      <MemoryRouter>
        <Page />
      </MemoryRouter>
    </QueryClientProvider>,
  );
  return { onRun, onFind, onChoose };
}

const step = (name: RegExp) => screen.getByRole("button", { name });
const press = (name: string | RegExp) => userEvent.click(screen.getByRole("button", { name }));

it("tells the steps, what each kept, and how sure the reading is", () => {
  show();
  expect(screen.getByRole("heading", { name: "How it was worked out" })).toBeInTheDocument();
  expect(screen.getByText("medium confidence")).toBeInTheDocument();
  expect(screen.getByText("countries → continent Africa → largest area")).toBeInTheDocument();
  expect(screen.getAllByRole("button", { pressed: false }).map((one) => one.textContent)).toEqual([
    "1countries52 kept",
    "2in Africa (continent)3 kept",
    "3the one with the largest area1 kept",
  ]);
});

it("lists what a chosen step kept, and how many more there are", async () => {
  const { onFind, onChoose } = show();
  await userEvent.click(step(/^countries ?52/));
  const kept = within(screen.getByRole("list", { name: "Kept by step 1" }));
  expect(kept.getAllByRole("listitem").map((one) => one.textContent)).toEqual([
    ...["Algeria", "Congo", "Chad", "France"],
    "and 48 more",
  ]);
  await userEvent.click(kept.getByRole("button", { name: "Chad" }));
  expect(onFind).toHaveBeenCalledExactlyOnceWith(3);
  await userEvent.click(step(/^countries ?52/));
  expect(onChoose).toHaveBeenLastCalledWith(null);
  expect(screen.queryByRole("list", { name: "Kept by step 1" })).toBeNull();
});

it("goes from step to step by the arrow keys", async () => {
  const { onChoose } = show();
  step(/^countries ?52/).focus();
  await userEvent.keyboard("{ArrowDown}{ArrowDown}{ArrowDown}");
  expect(onChoose.mock.calls).toEqual([[1], [2], [2]]);
  expect(step(/^the one with/)).toHaveFocus();
  await userEvent.keyboard("{Home}");
  expect(step(/^countries ?52/)).toHaveAttribute("aria-pressed", "true");
});

it("offers no reading that is told like the one on show", () => {
  const twin = { ...PROGRAM.read, program: COUNTED };
  show({ ...PROGRAM, others: [twin, ...PROGRAM.others, ...PROGRAM.others] });
  const readings = within(screen.getByRole("list", { name: "Did you mean" }));
  expect(readings.getAllByRole("button").map((one) => one.textContent)).toEqual([
    "countries → continent Africa → count",
  ]);
});

it("keeps other readings folded where it is sure what was asked", () => {
  show({ ...PROGRAM, read: { ...PROGRAM.read, score: 0.9 } });
  expect(screen.queryByText("Did you mean")).toBeNull();
  expect(screen.getByText("1 other reading").closest("details")).not.toHaveAttribute("open");
});

it("asks again with another reading", async () => {
  const { onRun } = show();
  await press("countries → continent Africa → count");
  expect(onRun).toHaveBeenCalledExactlyOnceWith(COUNTED);
});

it("runs again from the other end of the ranking, at another place", async () => {
  const { onRun } = show();
  await press("Change step 3: the one with the largest area");
  await press(/Order$/);
  await userEvent.click(screen.getByRole("option", { name: "smallest or earliest" }));
  const place = screen.getByLabelText("Place");
  await userEvent.clear(place);
  expect(screen.getByText("Type a whole number from 1.")).toBeInTheDocument();
  expect(screen.getByRole("button", { name: "Run again" })).toBeDisabled();
  await userEvent.type(place, "2");
  expect(screen.getByText("2 changes, not run yet")).toBeInTheDocument();
  await press("Run again");
  expect(onRun).toHaveBeenCalledExactlyOnceWith({ ...LARGEST, largest: false, rank: 2 });
});

it("takes changes back one by one", async () => {
  show();
  await press("Change step 2: in Africa (continent)");
  await press("Leave this step out");
  expect(screen.getByText("left out")).toBeInTheDocument();
  await press("Undo");
  expect(screen.queryByText("left out")).toBeNull();
  expect(screen.queryByRole("button", { name: "Run again" })).toBeNull();
});

it("runs again with another entity and the relation the other way", async () => {
  const { onRun } = show();
  await press("Change step 2: in Africa (continent)");
  await press("Swap Africa for another entity");
  await userEvent.type(screen.getByLabelText("Search entities"), "eur");
  await userEvent.click(await screen.findByRole("option", { name: /Europe/ }));
  await press(/^Walk continent the other way/);
  expect(screen.getByText("Europe; continent the other way")).toBeInTheDocument();
  await press("Run again");
  const right = {
    ...LARGEST.source.right,
    source: { op: "Entities", ids: ["Europe"] },
    relation: { name: "continent", inverse: false },
  };
  expect(onRun).toHaveBeenCalledExactlyOnceWith({ ...LARGEST, source: { ...LARGEST.source, right } });
});

it("runs again with another relation of the graph", async () => {
  const { onRun } = show();
  await press("Change step 3: the one with the largest area");
  const field = await screen.findByRole("combobox", { name: "Relation" });
  await userEvent.clear(field);
  await userEvent.type(field, "popu");
  await userEvent.click(await screen.findByRole("option", { name: /population/ }));
  await press("Run again");
  const key = { ...LARGEST.key, path: [{ name: "population", inverse: false }] };
  expect(onRun).toHaveBeenCalledExactlyOnceWith({ ...LARGEST, key });
});

it("says in amber which step kept nothing", () => {
  const steps = PROGRAM.steps.map((one, at) => (at > 0 ? { ...one, count: 0, nodes: [] } : one));
  show({ ...PROGRAM, steps });
  expect(screen.getByText(/Step 2 kept nothing/)).toHaveClass("warn-text");
  expect(screen.getAllByText("0 kept")[0]).toHaveClass("warn");
});

it("takes no for an answer", () => {
  const steps = PROGRAM.steps.map((one, at) => (at === 1 ? { ...one, count: 0, nodes: [] } : one));
  const no = {
    ...{ text: "is there any?", result: "truth" as const, value: "no", path: [], count: 0, nodes: [] },
    ...{ operation: "Exists", display: "no" },
  };
  show({ ...PROGRAM, steps: [...steps.slice(0, 2), no] });
  expect(screen.getByText("0 kept")).not.toHaveClass("warn");
  expect(screen.queryByText(/kept nothing/)).toBeNull();
});

it("cannot be changed while the run goes on, and names a person as its reader", () => {
  show({ ...PROGRAM, by: "person", others: [] }, false, "r0");
  expect(screen.getByText("read by a person")).toBeInTheDocument();
  expect(screen.getByRole("link", { name: "before the change" })).toHaveAttribute("href", "/runs/r0");
  expect(screen.queryByRole("button", { name: /^Change/ })).toBeNull();
  expect(screen.queryByText("Did you mean")).toBeNull();
});

function answers(program: ProgramExecuted, label: string) {
  const events = programRun(program, label);
  const [onFind, nothing] = [vi.fn(), () => undefined];
  render(
    <AnswersPanel
      view={viewAt(RUN, events, events.length)}
      chain={null}
      onChain={nothing}
      onFind={onFind}
      onCite={nothing}
      isTrained={false}
    />,
  );
}

it("shows what an answer was ranked by, and the runners-up under it", () => {
  answers(PROGRAM, "Algeria");
  expect(screen.getByRole("button", { name: /^Algeria\s*2,381,741 km²$/ })).toBeInTheDocument();
  expect(screen.getByText("2 runners-up")).toBeInTheDocument();
  const runners = within(screen.getByRole("list", { name: "Runners-up", hidden: true }));
  expect(runners.getAllByRole("listitem", { hidden: true }).map((one) => one.textContent)).toEqual([
    "Congo2,344,858 km²",
    "Chad1,284,000 km²",
  ]);
});

it("opens the list that was counted under its number", () => {
  answers(COUNT, "3");
  expect(screen.getByText("The 3 that were counted")).toBeInTheDocument();
  expect(screen.getByRole("button", { name: "Congo", hidden: true })).toBeInTheDocument();
});
