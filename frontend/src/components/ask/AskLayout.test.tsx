import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { MemoryRouter, useLocation } from "react-router";
import { expect, it } from "vitest";
import { Column } from "./AskLayout";

function Address() {
  return <output>{useLocation().search}</output>;
}

function show(address: string) {
  render(
    <MemoryRouter initialEntries={[address]}>
      <Column drawing={<p>drawn</p>} side={<p>answered</p>} steps={<p>stepped</p>} timeline={<p>line</p>} />
      <Address />
    </MemoryRouter>,
  );
}

it("shows the answers first, and the graph by a tab that is in the address", async () => {
  show("/runs/r1");
  expect(screen.getByRole("tab", { name: "Answers" })).toHaveAttribute("aria-selected", "true");
  expect(screen.getByText("answered")).toBeInTheDocument();
  expect(screen.queryByText("drawn")).toBeNull();
  await userEvent.click(screen.getByRole("tab", { name: "Graph" }));
  expect(screen.getByText("drawn")).toBeInTheDocument();
  expect(screen.queryByText("answered")).toBeNull();
  expect(screen.getByRole("status")).toHaveTextContent("?view=graph");
  await userEvent.click(screen.getByRole("tab", { name: "Answers" }));
  expect(screen.getByRole("status")).toHaveTextContent(/^$/);
});

it("opens the graph where the address says so, with the timeline under both", () => {
  show("/runs/r1?view=graph");
  expect(screen.getByText("drawn")).toBeInTheDocument();
  expect(screen.getByText("line")).toBeInTheDocument();
});
