// Numbers, dates and times of a program, as people read and type them. A date is kept as a year with a fraction, a
// time as minutes after midnight, a day of the year as month times 100 plus day, a number in its dimension's base unit.
import type { ProgramNode } from "./program";

type Kind = "number" | "date" | "time" | "month-day";

export const kindOf = (constant: ProgramNode): Kind => (constant.kind as Kind | undefined) ?? "number";

const isLeap = (year: number) => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
const daysOf = (year: number, month: number) =>
  month === 2 && isLeap(year) ? 29 : ([31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0);
const yearDays = (year: number) => (isLeap(year) ? 366 : 365);
const two = (value: number) => String(value).padStart(2, "0");

function dateText(value: number): string {
  const year = Math.floor(value + 1e-9);
  let left = Math.floor((value - year) * yearDays(year) + 1e-4);
  let month = 1;
  while (month < 12 && left >= daysOf(year, month)) {
    left -= daysOf(year, month);
    month += 1;
  }
  return `${String(year).padStart(4, "0")}-${two(month)}-${two(left + 1)}`;
}

function dateValue(text: string): number | null {
  const match = /^(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?$/.exec(text);
  if (!match) return null;
  const [year, month, day] = [Number(match[1]), Number(match[2] ?? 1), Number(match[3] ?? 1)];
  if (month < 1 || month > 12 || day < 1 || day > daysOf(year, month)) return null;
  let before = day - 1;
  for (let each = 1; each < month; each += 1) before += daysOf(year, each);
  return year + before / yearDays(year);
}

function timeValue(text: string): number | null {
  const match = /^(\d{1,2}):(\d{2})$/.exec(text);
  const [hour, minute] = [Number(match?.[1] ?? 24), Number(match?.[2] ?? 60)];
  return hour < 24 && minute < 60 ? hour * 60 + minute : null;
}

function monthDayValue(text: string): number | null {
  const match = /^(\d{1,2})-(\d{1,2})$/.exec(text);
  const [month, day] = [Number(match?.[1] ?? 0), Number(match?.[2] ?? 0)];
  // 29 February is a day of some years.
  return day >= 1 && day <= daysOf(2000, month) ? month * 100 + day : null;
}

function numberValue(text: string): number | null {
  if (!/^[-+−]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?$/.test(text)) return null;
  return Number(text.replaceAll(",", "").replace("−", "-"));
}

const factorOf = ({ factor }: ProgramNode) => (typeof factor === "number" ? factor : 1);

/** The unit that a number was given in; "" where it has none. */
export function unitOf({ dimension, text }: ProgramNode): string {
  if (!dimension || typeof text !== "string") return "";
  return text.replace(/^[\s\d.,+−-]*(?:(?:thousand|million|billion|trillion)\b\s*)?/i, "").trim();
}

/** A constant for its field. */
export function shownConstant(constant: ProgramNode): string {
  const value = Number(constant.value);
  switch (kindOf(constant)) {
    case "date":
      return dateText(value);
    case "time":
      return `${two(Math.floor(Math.round(value) / 60))}:${two(Math.round(value) % 60)}`;
    case "month-day":
      return `${two(Math.floor(value / 100))}-${two(value % 100)}`;
    case "number":
      return String(Number((value / factorOf(constant)).toPrecision(12)));
  }
}

const READ: Record<Kind, (text: string) => number | null> = {
  number: numberValue,
  date: dateValue,
  time: timeValue,
  "month-day": monthDayValue,
};
const WRONG: Record<Kind, string> = {
  number: "Type a number, such as 50 or 1,500,000.",
  date: "Type a date as year, month and day, such as 1960-04-27.",
  time: "Type a time from 00:00 to 23:59.",
  "month-day": "Type a month and a day, such as 04-27.",
};

export type Typed<T> = { value: T; error?: undefined } | { error: string; value?: undefined };

/** The constant with another value, or what is wrong with the text. Its old wording goes, its unit stays. */
export function typedConstant(constant: ProgramNode, text: string): Typed<ProgramNode> {
  const kind = kindOf(constant);
  const value = READ[kind](text.trim());
  if (value === null) return { error: WRONG[kind] };
  const unit = kind === "number" ? unitOf(constant) : "";
  const whole = kind === "number" ? Number((value * factorOf(constant)).toPrecision(15)) : value;
  return { value: { ...constant, value: whole, text: unit && `${text.trim()} ${unit}` } };
}

/** A place or a number of places, from 1. */
export function typedWhole(text: string): Typed<number> {
  const value = numberValue(text.trim());
  return value !== null && Number.isInteger(value) && value >= 1 && value <= 1_000_000
    ? { value }
    : { error: "Type a whole number from 1." };
}

/** Words that a text is searched for. */
export function typedText(text: string): Typed<string> {
  return text.trim() ? { value: text.trim() } : { error: "Type what to look for." };
}
