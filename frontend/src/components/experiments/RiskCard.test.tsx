import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import type { VerifiedGuarantee } from "@/api/errorLimit";
import type { Risk } from "@/api/reportTypes";
import { FIVE } from "@/test/errorLimit";
import { RiskCard } from "./RiskCard";

const risk = {
  curve: [
    { coverage: 0.25, error: 0 },
    { coverage: 0.5, error: 0.05 },
    { coverage: 1, error: 0.2 },
  ],
  bins: [{ low: 0.9, high: 1, n: 1200, confidence: 0.95, right: 0.9 }],
} as unknown as Risk;

const kept: VerifiedGuarantee = {
  ...FIVE,
  measured: { n: 50, answered: 40, wrong: 1, share: 0.025, low: 0.0006, high: 0.1316, held: "kept" },
};

it("gives the figures behind its charts as tables", async () => {
  render(<RiskCard all={[{ label: "answers", risk }]} />);
  await userEvent.click(screen.getByText("The figures as tables"));
  const coverage = screen.getByRole("table", { name: /can be answered/ });
  const rows = within(coverage).getAllByRole("row").slice(1);
  expect(rows.map((row) => row.textContent)).toEqual(["1%25%", "2%25%", "5%50%", "10%50%", "20%100%"]);
  const right = screen.getByRole("table", { name: /right answers, by confidence/ });
  expect(within(right).getAllByRole("row")[1]?.textContent).toBe("90% to 100%1,20095%90%");
});

it("tells whether the limit was kept", () => {
  render(<RiskCard all={[{ label: "answers", risk }]} guarantee={kept} />);
  expect(screen.getByText("Limit: at most 5 of 100 wrong")).toBeVisible();
  expect(
    screen.getByText(/The limit was kept: 40 of 50 questions were answered within it, 1 of them/),
  ).toBeVisible();
});

it("is empty without reports, and says so without answers", () => {
  const { container, rerender } = render(<RiskCard all={[]} />);
  expect(container).toBeEmptyDOMElement();
  rerender(<RiskCard all={[{ label: "answers", risk: { ...risk, curve: [] } }]} />);
  expect(screen.getByText(/No question was answered/)).toBeVisible();
});
