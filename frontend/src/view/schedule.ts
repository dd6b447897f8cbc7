// The schedule of a refresh as a person chooses it, and as a line of cron, in UTC.
export type Repeat = "none" | "hourly" | "daily" | "weekly" | "cron";

export interface Schedule {
  repeat: Repeat;
  /** HH:MM; of an hourly one, only the minutes count. */
  time: string;
  /** Day of the week, 0 is Sunday. */
  day: string;
  /** The line itself, where it is none of the others. */
  cron: string;
}

export const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"] as const;

const pad = (text: string) => text.padStart(2, "0");
const isNumber = (text: string | undefined): text is string => text !== undefined && /^\d+$/.test(text);

export function parseSchedule(line: string): Schedule {
  const plain: Schedule = { repeat: "none", time: "06:00", day: "1", cron: line };
  if (!line) return plain;
  const [minute, hour, date, month, day] = line.split(" ");
  const other: Schedule = { ...plain, repeat: "cron" };
  if (!isNumber(minute) || date !== "*" || month !== "*") return other;
  if (hour === "*" && day === "*") return { ...plain, repeat: "hourly", time: `00:${pad(minute)}` };
  if (!isNumber(hour)) return other;
  const time = `${pad(hour)}:${pad(minute)}`;
  if (day === "*") return { ...plain, repeat: "daily", time };
  return isNumber(day) && Number(day) < DAYS.length ? { ...plain, repeat: "weekly", time, day } : other;
}

export function formatCron({ repeat, time, day, cron }: Schedule): string {
  const [hour = 0, minute = 0] = time.split(":").map(Number);
  if (repeat === "none") return "";
  if (repeat === "cron") return cron.trim();
  if (repeat === "hourly") return `${minute} * * * *`;
  return `${minute} ${hour} * * ${repeat === "weekly" ? day : "*"}`;
}

/** A schedule in words. */
export function describeSchedule(line: string): string {
  const { repeat, time, day, cron } = parseSchedule(line);
  if (repeat === "none") return "only by hand";
  if (repeat === "cron") return `at ${cron} (cron, UTC)`;
  if (repeat === "hourly") return `every hour, at ${Number(time.slice(3))} minutes past`;
  if (repeat === "daily") return `every day at ${time} UTC`;
  return `every ${DAYS[Number(day)] ?? day} at ${time} UTC`;
}
