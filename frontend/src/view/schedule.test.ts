import { expect, it } from "vitest";
import { describeSchedule, formatCron, parseSchedule } from "./schedule";

it.each([
  ["", "only by hand"],
  ["5 * * * *", "every hour, at 5 minutes past"],
  ["30 6 * * *", "every day at 06:30 UTC"],
  ["0 22 * * 0", "every Sunday at 22:00 UTC"],
  ["30 6 * * 1-5", "at 30 6 * * 1-5 (cron, UTC)"],
  ["*/5 * * * *", "at */5 * * * * (cron, UTC)"],
  ["0 0 1 * *", "at 0 0 1 * * (cron, UTC)"],
])("reads and writes the schedule %j without changing it", (line, words) => {
  expect(describeSchedule(line)).toBe(words);
  expect(formatCron(parseSchedule(line))).toBe(line);
});

it("keeps the time of day when it repeats otherwise", () => {
  const weekly = { ...parseSchedule("30 6 * * *"), repeat: "weekly" as const, day: "5" };
  expect(formatCron(weekly)).toBe("30 6 * * 5");
  expect(formatCron({ ...weekly, repeat: "none" })).toBe("");
});
