import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeAll, expect, it, vi } from "vitest";
import type { Citation, RetrievedPassage } from "@/api/events";
import { viewAt } from "@/view/runView";
import { EVENTS, RUN } from "@/test/switzerland";
import { PassagesPanel } from "./PassagesPanel";

const scrolled = vi.fn();
beforeAll(() => {
  // jsdom lays nothing out, so it cannot scroll.
  Element.prototype.scrollIntoView = scrolled;
});

const ranked = (id: number, title: string, text: string, facts = 0): RetrievedPassage => ({
  passage: { id, name: `p${id}`, title, text, document: "atlas.txt", url: "" },
  score: 0.5,
  facts,
});
const cite: Citation = { passage: 8, start: 6, end: 25 };
const view = {
  ...viewAt(RUN, EVENTS, EVENTS.length),
  passages: [
    ranked(7, "Alps", "Mountains."),
    ranked(8, "Languages", "Four. German comes first. Then others.", 2),
  ],
  answers: [
    {
      label: "German",
      score: 1,
      entity: null,
      chains: [],
      verified: true,
      citations: [cite],
      guess: false,
      beside: [],
      display: "",
      owner: "",
    },
  ],
};

it("lists passages with their facts, and of a cited one the sentence", () => {
  render(<PassagesPanel view={view} cite={null} />);
  const [first, second] = screen.getAllByRole("listitem");
  expect(first).toHaveTextContent("1Alps0.50Mountains.atlas.txt");
  expect(second).toHaveTextContent(
    "2Languagescited0.50German comes first. (cited for German)atlas.txt2 retrieved facts from here",
  );
});

it("opens to the whole text by its button", async () => {
  render(<PassagesPanel view={view} cite={null} />);
  const button = screen.getByRole("button", { name: /Languages/ });
  expect(button).toHaveAttribute("aria-expanded", "false");
  await userEvent.click(button);
  expect(button).toHaveAttribute("aria-expanded", "true");
  expect(screen.getAllByRole("listitem")[1]).toHaveTextContent(
    "Four. German comes first. (cited for German) Then others.",
  );
});

it("opens the passage of a citation, goes to the sentence and marks it, each time it is asked", () => {
  const { rerender, container } = render(<PassagesPanel view={view} cite={cite} />);
  const mark = container.querySelector("mark");
  expect(mark).toHaveClass("on");
  expect(mark).toHaveFocus();
  expect(scrolled).toHaveBeenCalledTimes(1);
  rerender(<PassagesPanel view={view} cite={{ ...cite }} />);
  expect(scrolled).toHaveBeenCalledTimes(2);
});
