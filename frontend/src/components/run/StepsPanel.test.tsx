import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { readEvent } from "@/test/readEvent";
import { reduceRun, viewAt } from "@/view/runView";
import { EVENTS, NODES, RUN, hop } from "@/test/switzerland";
import { StepsPanel } from "./StepsPanel";

const step = {
  type: "agent.step",
  step: 1,
  thought: "the languages are missing",
  action: "select",
  observation: "12 facts around 1 entity",
  hops: [hop(NODES.switzerland, "borders", NODES.austria)],
  dropped: [hop(NODES.switzerland, "capital", NODES.bern)],
  current: [NODES.switzerland],
  window: 12,
  focus: 1,
  sufficient: false,
  took_ms: 20,
};
const jump = {
  type: "similarity.expanded",
  source: NODES.austria,
  target: NODES.german,
  score: 0.8,
  step: 1,
};
const end = {
  ...step,
  step: 2,
  thought: "both are known",
  hops: [],
  dropped: [],
  sufficient: true,
};
const routed = {
  type: "router.decided",
  method: "inses",
  reason: "two hops",
  scores: { "text-rag": 0.31, inses: 0.69 },
  took_ms: 1,
};
const view = [routed, step, jump, end]
  .map((payload, index) =>
    readEvent({ run: RUN, seq: 3 + index, at: "2026-01-05T12:00:00.100Z", ...payload }),
  )
  .reduce(reduceRun, viewAt(RUN, EVENTS, 2));

function show() {
  const onLight = vi.fn();
  render(
    <StepsPanel
      steps={view.steps}
      step={null}
      view={view}
      onStep={vi.fn()}
      onLight={onLight}
      isTrained={false}
      llm=""
    />,
  );
  return onLight;
}

it("tells the jumps of a step with it, and the router's scores at once", () => {
  show();
  expect(screen.queryByText("Similarity jump")).toBeNull();
  expect(screen.getByText("12 facts around 1 entity · 1 selected · 1 left · 1 jump")).toBeInTheDocument();
  expect(screen.getByText("inses").parentElement).toHaveTextContent("inses0.69 chosen");
});

it("folds open to what was selected and left, the jumps, and the decision", async () => {
  show();
  await userEvent.click(screen.getByRole("button", { name: "Open Agent step 1" }));
  const parts = [...document.querySelectorAll(".step-item .step-part")]
    .map((part) => part.textContent)
    .filter((text) => !/^(inses|text-rag)/.test(text));
  expect(parts).toEqual([
    "Stands atSwitzerland",
    "Looks at12 facts around 1 entity · holds 1 by now",
    "Selected 1Switzerland → borders Austria",
    "Left 1Switzerland → capital Bern",
    "Similarity jumps 1Austria similar 0.80 German",
    "DecidesNot enough yet, so the search goes on: the languages are missing",
  ]);
});

it("says why the search stopped", async () => {
  show();
  await userEvent.click(screen.getByRole("button", { name: "Open Agent step 2" }));
  expect(screen.getByText("Enough to answer, so the search stops").parentElement).toHaveTextContent(
    "Enough to answer, so the search stops: both are known",
  );
});

it("lights a fact in the drawing while it is pointed at, by keyboard too", async () => {
  const onLight = show();
  await userEvent.click(screen.getByRole("button", { name: "Open Agent step 1" }));
  const left = within(screen.getByText("Left").parentElement ?? document.body).getByRole("listitem");
  left.focus();
  expect(onLight).toHaveBeenLastCalledWith(["10|capital|30"]);
  left.blur();
  expect(onLight).toHaveBeenLastCalledWith(null);
});

it("tells a step that asks for what the question describes by what it found", async () => {
  const asked = {
    ...step,
    action: "ask",
    observation: "the country where Bern lies → Switzerland",
    thought: "What is the country where Bern lies? “Bern lies in Switzerland.” (0.90)",
    hops: [],
    dropped: [],
    sufficient: null,
  };
  const own = reduceRun(
    viewAt(RUN, EVENTS, 2),
    readEvent({ run: RUN, seq: 3, at: "2026-01-05T12:00:00.100Z", ...asked }),
  );
  render(
    <StepsPanel
      steps={own.steps}
      step={null}
      view={own}
      onStep={vi.fn()}
      onLight={vi.fn()}
      isTrained={false}
      llm=""
    />,
  );
  expect(screen.getByText("the country where Bern lies → Switzerland")).toBeInTheDocument();
  await userEvent.click(screen.getByRole("button", { name: "Open Agent step 1" }));
  const parts = [...document.querySelectorAll(".step-item .step-part")].map((part) => part.textContent);
  expect(parts).toEqual([
    "Findsthe country where Bern lies → Switzerland",
    "AsksWhat is the country where Bern lies? “Bern lies in Switzerland.” (0.90)",
  ]);
});
