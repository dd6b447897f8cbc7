import { expect, it } from "vitest";
import { confidence, ordinal, relativeTime, valueText } from "./format";

it.each([
  [44, "just now"],
  [46, "1 minute ago"],
  [46 * 60, "46 minutes ago"],
  [59 * 60, "1 hour ago"],
  [20 * 3600, "20 hours ago"],
  [6 * 86_400, "6 days ago"],
  [14 * 86_400, "2 weeks ago"],
])("tells %i seconds as %s", (seconds, told) => {
  const now = Date.parse("2026-01-31T12:00:00Z");
  expect(relativeTime(new Date(now - seconds * 1000).toISOString(), now)).toBe(told);
});

it("counts places in a line as people do", () => {
  expect([1, 2, 3, 4, 11, 12, 21, 102].map(ordinal).join(" ")).toBe("1st 2nd 3rd 4th 11th 12th 21st 102nd");
});

it.each([
  ["223800000", "223,800,000"],
  ["1955", "1955"],
  ["505990 km2", "505,990 km²"],
  ["8849 m", "8,849 m"],
  ["-12.5 m", "-12.5 m"],
  ["4500.5 kg", "4,500.5 kg"],
  ["2003-11-20", "20 November 2003"],
  ["2003-13-45", "2003-13-45"],
  ["1984 novel", "1984 novel"],
  ["1917 (film)", "1917 (film)"],
  ["2,381,741 km2", "2,381,741 km²"],
  ["Nigeria", "Nigeria"],
])("writes %s as %s", (text, written) => {
  expect(valueText(text)).toBe(written);
});

it("says how sure something is in a word", () => {
  expect([0.9, 0.7, 0.69, 0.3, 0.29, 0].map(confidence)).toEqual([
    ...["high", "high", "medium", "medium", "guess", "guess"],
  ]);
});
