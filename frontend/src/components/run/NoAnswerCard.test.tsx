import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import type { NoAnswerReason } from "@/api/events";
import { NoAnswerCard } from "./NoAnswerCard";

it.each<[NoAnswerReason, string]>([
  ["entity_not_linked", "No entity of the graph was recognised"],
  ["no_path", "No path leads from the topic to an answer"],
  ["reasoner_declined", "The evidence does not support an answer"],
  ["not_in_graph", "The graph does not hold this"],
  ["not_understood", "Clew cannot work this out yet"],
  ["too_long", "The question is too long to be read in full"],
])("says why there is no answer: %s", (reason, title) => {
  render(
    <NoAnswerCard
      noAnswer={{ reason, message: "Because.", hint: "Do this.", spans: [], near: [] }}
      onAgain={vi.fn()}
    />,
  );
  expect(screen.getByRole("heading", { level: 2 })).toHaveTextContent(title);
  expect(screen.getByText("Because.")).toBeInTheDocument();
  expect(screen.getAllByRole("listitem")[0]).toHaveTextContent("Do this.");
});

it("offers a bigger budget where that may help, and only there", async () => {
  const onRaise = vi.fn();
  const none = { message: "", hint: "", spans: [], near: [] };
  const { rerender } = render(
    <NoAnswerCard noAnswer={{ ...none, reason: "no_path" }} onAgain={vi.fn()} onRaiseBudget={onRaise} />,
  );
  await userEvent.click(screen.getByRole("button", { name: "Ask with twice the budget" }));
  expect(onRaise).toHaveBeenCalledOnce();
  rerender(
    <NoAnswerCard noAnswer={{ ...none, reason: "not_in_graph" }} onAgain={vi.fn()} onRaiseBudget={onRaise} />,
  );
  expect(screen.queryByRole("button", { name: "Ask with twice the budget" })).toBeNull();
});

it("marks in the question what was not understood, and does not offer to ask the same again", () => {
  const question = "🏔 how many countries border Switzerland?";
  render(
    <NoAnswerCard
      noAnswer={{
        ...{ reason: "not_understood", message: "Not understood: “how many”.", hint: "Ask for the things." },
        near: [],
        spans: [{ start: 2, end: 10 }],
      }}
      question={question}
      onAgain={vi.fn()}
    />,
  );
  expect(screen.getByText("how many", { selector: "mark" }).parentElement).toHaveTextContent(question);
  expect(screen.getByText("Ask for the things.")).toBeInTheDocument();
  expect(screen.queryByRole("button")).toBeNull();
});

it("offers the names that may have been meant, each to be asked with", async () => {
  const onMeant = vi.fn();
  const noAnswer = {
    reason: "entity_not_linked",
    message: "",
    hint: "",
    spans: [],
    near: ["Spielberg"],
  } as const;
  render(<NoAnswerCard noAnswer={noAnswer} onAgain={vi.fn()} onMeant={onMeant} />);
  await userEvent.click(screen.getByRole("button", { name: "Spielberg" }));
  expect(onMeant).toHaveBeenCalledExactlyOnceWith("Spielberg");
});

it("leads to what is known of the topic, and to questions that the graph answers", async () => {
  const [onFind, onExample] = [vi.fn(), vi.fn()];
  render(
    <NoAnswerCard
      noAnswer={{ reason: "not_in_graph", message: "No.", hint: "", spans: [], near: [] }}
      question="Tim Ashdown"
      topics={[{ id: 7, label: "Tim Ashdown" }]}
      examples={["Tim Ashdown", "How many books are there?"]}
      {...{ onFind, onExample }}
      onAgain={vi.fn()}
    />,
  );
  expect(screen.queryByRole("button", { name: "Tim Ashdown" })).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "What is known of Tim Ashdown" }));
  await userEvent.click(screen.getByRole("button", { name: "How many books are there?" }));
  expect(onFind).toHaveBeenCalledExactlyOnceWith(7);
  expect(onExample).toHaveBeenCalledExactlyOnceWith("How many books are there?");
});
