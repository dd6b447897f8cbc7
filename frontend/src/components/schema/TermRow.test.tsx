import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { MemoryRouter } from "react-router";
import { afterEach, expect, it, vi } from "vitest";
import type { Graph } from "@/api/types";
import type { Term } from "@/api/vocabulary";
import { TermRow } from "./TermRow";

const TERM: Term = {
  category: "relation",
  name: "air.route",
  label: "route",
  count: 3,
  description: "",
  synonyms: ["connects"],
  unit: "",
  domain: ["airport"],
  range: [],
  inverse: [],
  broader: [],
  examples: [["Oslo", "Bergen"]],
  warnings: ["“connects” also stands for link: a question with it may mean either."],
  question: "Oslo connects what?",
  updated_by: null,
  updated_at: null,
};

function show(mayChange: boolean, status = 200) {
  const sent: { method: string; body: unknown }[] = [];
  vi.stubGlobal("fetch", (_: string, { method, body }: { method: string; body: string }) => {
    sent.push({ method, body: JSON.parse(body) as unknown });
    const answer =
      status === 200 ? { terms: [] } : { error: { code: "invalid", message: "No.", hint: "Try." } };
    return Promise.resolve(new Response(JSON.stringify(answer), { status }));
  });
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MemoryRouter>
        <TermRow graph={{ id: 7 } as Graph} term={TERM} mayChange={mayChange} />
      </MemoryRouter>
    </QueryClientProvider>,
  );
  return sent;
}

afterEach(() => vi.unstubAllGlobals());

it("shows what a term is, where it is used, and what is ambiguous", () => {
  show(false);
  const row = screen.getByRole("article", { name: "relation route" });
  for (const text of ["relation, 3 facts", "air.route", "Oslo — route → Bergen", TERM.warnings[0] ?? ""]) {
    expect(within(row).getByText(text)).toBeTruthy();
  }
  expect(within(row).getByText(/^from:/).textContent).toBe("from: airport");
  expect(screen.queryByRole("button")).toBeNull();
  expect(screen.queryByRole("textbox")).toBeNull();
});

it("adds a synonym by Enter and offers a question that uses it", async () => {
  const sent = show(true);
  await userEvent.type(screen.getByLabelText("Add a synonym of route"), "flies to{Enter}");
  const body = { category: "relation", name: "air.route", description: "", unit: "" };
  expect(sent).toEqual([{ method: "PUT", body: { ...body, synonyms: ["connects", "flies to"] } }]);
  await screen.findByText("Saved: questions use it now");
  expect(screen.getByRole("link", { name: "Oslo connects what?" }).getAttribute("href")).toBe(
    "/?graph=7&q=Oslo%20connects%20what%3F",
  );
});

it("takes a synonym off", async () => {
  const sent = show(true);
  await userEvent.click(screen.getByRole("button", { name: "Remove connects" }));
  expect(sent).toMatchObject([{ method: "PUT", body: { synonyms: [] } }]);
});

it("edits description and unit in place", async () => {
  const sent = show(true);
  await userEvent.click(screen.getByRole("button", { name: "Edit route" }));
  await userEvent.type(screen.getByLabelText("Description"), " A line. ");
  await userEvent.type(screen.getByLabelText("Unit of its values"), "km");
  await userEvent.click(screen.getByRole("button", { name: "Save" }));
  expect(sent).toMatchObject([{ method: "PUT", body: { description: "A line.", unit: "km" } }]);
  await vi.waitFor(() => expect(screen.queryByLabelText("Description")).toBeNull());
});

it("says why a synonym is refused and keeps the others", async () => {
  show(true, 400);
  await userEvent.type(screen.getByLabelText("Add a synonym of route"), "of the{Enter}");
  await screen.findByText("No.");
  expect(screen.getByText("connects")).toBeTruthy();
});
