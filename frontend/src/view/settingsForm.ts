// A method's settings as typed into a form: text in, values and complaints out.
import type { Setting } from "@/api/types";

/** What the form holds: text for numbers and words, "true" or "false" for switches. */
export type Typed = Readonly<Record<string, string>>;

export function asText(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Values of a paper's form, by setting; null where the method has no such form. */
export type PaperForm = Readonly<Record<string, unknown>> | null;

/** The settings with the defaults of a form: what is shown and taken where nothing is typed. */
export function inForm(settings: readonly Setting[], form: string, paper: PaperForm | undefined): Setting[] {
  const values = (form === "paper" ? paper : null) ?? {};
  return settings.map((one) => (one.name in values ? { ...one, default: values[one.name] } : one));
}

/** Values as the server has them, as the form holds them. */
export function typedOf(values: Readonly<Record<string, unknown>>): Typed {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, asText(value)]));
}

/** "1 or more", "above 0 and below 1": the range in words; "" where there is none. */
export function rangeOf({ least, above, below }: Setting): string {
  const parts = [
    ...(least === null ? [] : [`${least} or more`]),
    ...(above === null ? [] : [`above ${above}`]),
    ...(below === null ? [] : [`below ${below}`]),
  ];
  return parts.join(" and ");
}

/** Why `text` cannot be the value of `setting`; null when it can. Empty text takes the default. */
export function complaint(setting: Setting, text: string): string | null {
  const typed = text.trim();
  if (typed === "" || setting.type === "bool" || setting.type === "str") return null;
  if (setting.type === "choice") {
    return setting.choices.includes(typed) ? null : `Choose one of: ${setting.choices.join(", ")}.`;
  }
  const value = Number(typed);
  if (!Number.isFinite(value)) return "Type a number.";
  if (setting.type === "int" && !Number.isInteger(value)) return "Type a whole number.";
  const { least, above, below } = setting;
  const inside =
    (least === null || value >= least) &&
    (above === null || value > above) &&
    (below === null || value < below);
  return inside ? null : `Must be ${rangeOf(setting)}.`;
}

function valueOf(setting: Setting, text: string): unknown {
  const typed = text.trim();
  if (setting.type === "bool") return typed === "true";
  return setting.type === "int" || setting.type === "float" ? Number(typed) : typed;
}

/** What was chosen among a method's settings: what differs from the defaults, and what is wrong with one. */
export interface Chosen {
  changed: Readonly<Record<string, unknown>>;
  wrong: string | null;
}

export function chosenSettings(settings: readonly Setting[], typed: Typed, method: string): Chosen {
  const known = new Map(settings.map((setting) => [setting.name, setting]));
  const wrong = Object.entries(typed).flatMap(([name, text]) => {
    const setting = known.get(name);
    const why = setting ? complaint(setting, text) : `${method} has no such setting.`;
    return why === null ? [] : [`${name.replaceAll("_", " ")}: ${why}`];
  });
  return { changed: changedSettings(settings, typed), wrong: wrong[0] ?? null };
}

/** "iterations 4, similarity false". */
export function settingsText(values: Readonly<Record<string, unknown>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name.replaceAll("_", " ")} ${asText(value)}`)
    .join(", ");
}

/** All settings that something was typed for, as the server takes them, those that say the default too. */
export function typedValues(settings: readonly Setting[], typed: Typed): Record<string, unknown> {
  const named = settings.flatMap((setting): [string, unknown][] => {
    const text = typed[setting.name] ?? "";
    return text.trim() === "" || complaint(setting, text) ? [] : [[setting.name, valueOf(setting, text)]];
  });
  return Object.fromEntries(named);
}

/** The settings that differ from their defaults, as the server takes them. */
export function changedSettings(settings: readonly Setting[], typed: Typed): Record<string, unknown> {
  const changed = settings.flatMap((setting): [string, unknown][] => {
    const text = typed[setting.name];
    if (text === undefined || text.trim() === "" || complaint(setting, text)) return [];
    const value = valueOf(setting, text);
    return value === setting.default ? [] : [[setting.name, value]];
  });
  return Object.fromEntries(changed);
}
