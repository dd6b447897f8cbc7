// A method's settings as typed into a form: text in, values and complaints out.
import type { Setting } from "@/api/types";

/** What the form holds: text for numbers and words, "true" or "false" for switches. */
export type Typed = Readonly<Record<string, string>>;

export function asText(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
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
