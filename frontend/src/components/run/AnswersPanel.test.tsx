import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import type { Answer } from "@/api/events";
import { viewAt } from "@/view/runView";
import { EVENTS, NODES, RUN } from "@/test/switzerland";
import { AnswersPanel } from "./AnswersPanel";

const view = viewAt(RUN, EVENTS, EVENTS.length);
const nothing = () => undefined;

it("lists each answer with its certainty, badge and chains", () => {
  render(
    <AnswersPanel view={view} chain={null} onChain={nothing} onFind={nothing} onCite={nothing} isTrained />,
  );
  const rows = screen.getAllByRole("listitem").map((row) => row.textContent);
  expect(rows).toEqual([
    "1Germanfacts in graph1 chainhigh0.97",
    "2Frenchfacts in graph1 chainhigh0.96",
    "3Romanshnot in the graphno evidenceguess0.20",
  ]);
  expect(screen.getByText("3 · 130 ms")).toBeInTheDocument();
  expect(screen.getByText("German, French")).toBeInTheDocument();
});

it("calls what is below the floor a guess, apart from the answers, and never marks it green", () => {
  const guess = (label: string) => ({ ...view.answers[0], label, score: 0.1, guess: true }) as Answer;
  const shown = { chain: null, onChain: nothing, onFind: nothing, onCite: nothing, isTrained: true };
  const answers = [...view.answers.slice(0, 1), guess("Romansh")];
  const { rerender } = render(<AnswersPanel view={{ ...view, answers }} {...shown} />);
  expect(screen.getAllByRole("heading").map((one) => one.textContent)).toEqual([
    "Answers",
    "Closest guesses",
  ]);
  expect(screen.getAllByRole("listitem")[1]).toHaveTextContent("2Romansh1 chainguess0.10");
  rerender(<AnswersPanel view={{ ...view, answers: [guess("German"), guess("French")] }} {...shown} />);
  expect(screen.getByRole("heading")).toHaveTextContent("Closest guesses");
  expect(screen.getByText(/These come closest/)).toBeInTheDocument();
  expect(document.querySelector(".good, .good-text")).toBeNull();
});

it("says the answer in the run's sentence above the list", () => {
  const sentence = "The official languages of Switzerland are German and French.";
  render(
    <AnswersPanel
      view={{ ...view, text: "", sentence }}
      chain={null}
      onChain={nothing}
      onFind={nothing}
      onCite={nothing}
      isTrained
    />,
  );
  expect(screen.getByText(sentence)).toBeInTheDocument();
});

it("shows a computed value in its unit, and whose each answer is", () => {
  const [first] = view.answers;
  const total = { ...first, label: "43937.91", entity: null, display: "£43,937.91" } as Answer;
  const owned = { ...first, owner: "Switzerland" } as Answer;
  render(
    <AnswersPanel
      view={{ ...view, answers: [total, owned] }}
      chain={null}
      onChain={nothing}
      onFind={nothing}
      onCite={nothing}
      isTrained
    />,
  );
  expect(screen.getByText("£43,937.91")).toBeInTheDocument();
  expect(screen.getByText("Switzerland", { selector: ".answer-owner bdi" })).toBeInTheDocument();
});

it("asks the page to light the chain, and to put it out again", async () => {
  const onChain = vi.fn();
  const { rerender } = render(
    <AnswersPanel view={view} chain={null} onChain={onChain} onFind={nothing} onCite={nothing} isTrained />,
  );
  const first = screen.getAllByRole("button", { name: "1 chain" })[0] ?? document.body;
  await userEvent.click(first);
  expect(onChain).toHaveBeenLastCalledWith(0);
  rerender(
    <AnswersPanel view={view} chain={0} onChain={onChain} onFind={nothing} onCite={nothing} isTrained />,
  );
  const lit = screen.getAllByRole("button", { name: "1 chain" })[0] ?? document.body;
  expect(lit).toHaveAttribute("aria-pressed", "true");
  await userEvent.click(lit);
  expect(onChain).toHaveBeenLastCalledWith(null);
});

it("finds an answer in the graph, but not one that the graph does not hold", async () => {
  const onFind = vi.fn();
  render(
    <AnswersPanel view={view} chain={null} onChain={nothing} onFind={onFind} onCite={nothing} isTrained />,
  );
  await userEvent.click(screen.getByRole("button", { name: "French" }));
  expect(onFind).toHaveBeenCalledExactlyOnceWith(NODES.french.id, 0);
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
    guess: false,
    beside: [],
    display: "",
    owner: "",
  }));
  render(
    <AnswersPanel
      view={{ ...view, answers: many }}
      chain={null}
      onChain={nothing}
      onFind={nothing}
      onCite={nothing}
      isTrained
    />,
  );
  const list = screen.getByRole("list");
  expect(within(list).getAllByRole("listitem")).toHaveLength(12);
  await userEvent.click(screen.getByRole("button", { name: "Show all 30" }));
  expect(within(list).getAllByRole("listitem")).toHaveLength(30);
});

it("names the cited sentences by their passages, and says when an answer comes from the text", async () => {
  const onCite = vi.fn();
  const passage = {
    id: 41,
    name: "p41",
    title: "Romansh",
    text: "It is spoken. Still.",
    document: "",
    url: "",
  };
  const cited = {
    ...view,
    passages: [
      { passage: { ...passage, id: 40 }, score: 0.9, facts: 0 },
      { passage, score: 0.8, facts: 2 },
    ],
    answers: [
      {
        label: "Romansh",
        score: 0.7,
        entity: null,
        chains: [],
        verified: false,
        citations: [
          { passage: 41, start: 0, end: 13 },
          { passage: 41, start: 14, end: 20 },
        ],
        guess: false,
        beside: [],
        display: "",
        owner: "",
      },
    ],
  };
  render(
    <AnswersPanel
      view={cited}
      chain={null}
      onChain={nothing}
      onFind={nothing}
      onCite={onCite}
      isTrained={false}
    />,
  );
  expect(screen.getByRole("listitem")).toHaveTextContent("1Romanshfrom the text[2]high0.70");
  await userEvent.click(screen.getByRole("button", { name: "Sentence cited for Romansh, in passage 2" }));
  expect(onCite).toHaveBeenCalledExactlyOnceWith({ passage: 41, start: 0, end: 13 });
});

it("calls a run untrained only where the method learns", () => {
  const untrained = { ...view, started: view.started && { ...view.started, checkpoint: null } };
  const shown = { view: untrained, chain: null, onChain: nothing, onFind: nothing, onCite: nothing };
  const { rerender } = render(<AnswersPanel {...shown} isTrained />);
  expect(screen.getByText("untrained")).toBeInTheDocument();
  rerender(<AnswersPanel {...shown} isTrained={false} />);
  expect(screen.queryByText("untrained")).toBeNull();
});

it("shows what was asked for beside each answer", () => {
  const asked = { ...view.answers[0], beside: [{ name: "speakers", value: "5,100,000" }] } as Answer;
  render(
    <AnswersPanel
      view={{ ...view, text: "", answers: [asked] }}
      chain={null}
      onChain={nothing}
      onFind={nothing}
      onCite={nothing}
      isTrained
    />,
  );
  expect(screen.getByText("speakers").nextElementSibling).toHaveTextContent("5,100,000");
});

it("says which words of the question the answers leave out", () => {
  const unused = { ...view, unused: ["in 2021", "density"] };
  render(
    <AnswersPanel view={unused} chain={null} onChain={nothing} onFind={nothing} onCite={nothing} isTrained />,
  );
  const list = screen.getByRole("list", { name: "Words of the question that were not used" });
  expect([...list.children].map((one) => one.textContent)).toEqual([
    "not used: in 2021",
    "not used: density",
  ]);
});

it("shows what is withheld by a limit as the best guess, and says why", () => {
  const shown = { chain: null, onChain: nothing, onFind: nothing, onCite: nothing, isTrained: true };
  const answers = view.answers.map((one) => ({ ...one, guess: true }));
  const limit = { at_most_wrong: 5, confidence: 0.6, threshold: 0.8, questions: 900, withheld: true };
  const { rerender } = render(<AnswersPanel view={{ ...view, answers, limit }} {...shown} />);
  expect(screen.getByRole("heading")).toHaveTextContent("Best guess");
  expect(screen.getByRole("status")).toHaveTextContent(
    "Not sure enough for your limitThe limit of at most 5 of 100 wrong requires a confidence of 0.80; this answer has 0.60.",
  );
  expect(screen.getAllByRole("listitem")).toHaveLength(3);
  rerender(
    <AnswersPanel
      view={{ ...view, answers, limit: { ...limit, questions: 0, threshold: null } }}
      {...shown}
    />,
  );
  expect(screen.getByRole("status")).toHaveTextContent("has not been calibrated");
  rerender(<AnswersPanel view={{ ...view, limit: { ...limit, withheld: false } }} {...shown} />);
  expect(screen.getByText(/^Sure enough for the limit of at most 5 of 100 wrong/)).toBeInTheDocument();
});
