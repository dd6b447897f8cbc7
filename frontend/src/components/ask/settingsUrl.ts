// Settings of a method in the address: "set-iterations=4".
import type { Change } from "@/components/kit/url";
import type { Typed } from "@/view/settingsForm";

const PREFIX = "set-";

export function settingsOfUrl(params: URLSearchParams): Typed {
  const own = [...params].filter(([name]) => name.startsWith(PREFIX));
  return Object.fromEntries(own.map(([name, value]) => [name.slice(PREFIX.length), value]));
}

/** What to change in the address so that it has these settings and no others. */
export function urlOfSettings(params: URLSearchParams, typed: Typed): Change {
  const before = Object.keys(settingsOfUrl(params)).map((name) => [PREFIX + name, null]);
  const now = Object.entries(typed).map(([name, text]) => [PREFIX + name, text.trim() || null]);
  return Object.fromEntries([...before, ...now]) as Change;
}
