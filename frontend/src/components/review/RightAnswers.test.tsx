import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, expect, it, vi } from "vitest";
import type { Item } from "@/api/review";
import { openAnnotation } from "@/view/review";
import { itemOf } from "@/test/review";
import { RightAnswers, useRightAnswers } from "./RightAnswers";

const item = itemOf(5, { answers: [], assumed: true, version: 0 });

function open(now: Item) {
  const sent: unknown[] = [];
  vi.stubGlobal("fetch", (url: string, { body }: { body?: string } = {}) => {
    if (url.includes("/topics")) {
      const found = [
        { id: 1, label: "Germany", kind: "entity", about: "", degree: 2, score: 1, source: "exact" },
      ];
      return Promise.resolve(new Response(JSON.stringify(found)));
    }
    const told = JSON.parse(body ?? "{}") as { id: string; answers: string[] };
    sent.push(told);
    const answered = { id: told.id, analyst: "ann", at: "2026-01-01T00:00:00Z", answers: told.answers };
    const fresh = { ...now, answers: told.answers, answered, suggested: [] };
    return Promise.resolve(new Response(JSON.stringify({ item: fresh })));
  });
  function Annotation() {
    const [annotation, setDesk] = useState(() => openAnnotation(now));
    const tells = useRightAnswers(annotation, (change) => {
      setDesk(change);
    });
    return <RightAnswers item={annotation.item} tells={tells} />;
  }
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Annotation />
    </QueryClientProvider>,
  );
  return sent;
}

afterEach(() => {
  vi.unstubAllGlobals();
});

it("says how to tell the right answer where none is known, and shows who told it", async () => {
  const sent = open(item);
  expect(screen.getByText("The right answer is not known yet.")).toBeInTheDocument();
  await userEvent.click(screen.getByRole("button", { name: /Give the right answer/ }));
  await userEvent.type(screen.getByRole("combobox", { name: "All right answers" }), "germ");
  await userEvent.click(await screen.findByRole("option", { name: /Germany/ }));
  await userEvent.click(screen.getByRole("button", { name: "Set the right answers" }));
  expect(await screen.findByText(/told by ann/)).toBeInTheDocument();
  expect(screen.getByText("Germany")).toBeInTheDocument();
  expect(sent).toEqual([expect.objectContaining({ answers: ["Germany"], replaces: null })]);
});

it("does not call right what a doubted run gave, and takes over what somebody suggests", async () => {
  const at = "2026-01-01T00:00:00Z";
  const suggested = [{ id: "e1", analyst: "vic", at, answers: ["France", "Germany"] }];
  const sent = open({ ...item, answers: ["Berlin"], suggested });
  expect(screen.getByText("Answers given, not checked")).toBeInTheDocument();
  expect(screen.getByText(/vic says that/)).toHaveTextContent("France; Germany are right");
  await userEvent.click(screen.getByRole("button", { name: "Use these" }));
  await waitFor(() => {
    expect(sent).toEqual([expect.objectContaining({ answers: ["France", "Germany"], replaces: null })]);
  });
  expect(await screen.findByText("Right answers")).toBeInTheDocument();
});
