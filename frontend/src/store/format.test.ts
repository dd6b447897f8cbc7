import { expect, it } from "vitest";
import { ordinal, relativeTime } from "./format";

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
