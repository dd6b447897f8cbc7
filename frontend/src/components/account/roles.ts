// What the roles mean, and a quota as people type it.
import type { Role } from "@/api/types";

export const ROLES: readonly { id: Role; label: string; detail: string }[] = [
  { id: "viewer", label: "Viewer", detail: "Asks, and looks at everything that is shared" },
  { id: "analyst", label: "Analyst", detail: "Also brings questions, reviews paths, trains and evaluates" },
  {
    id: "admin",
    label: "Administrator",
    detail: "Also brings graphs, and manages people and language models",
  },
];

const GB = 1_000_000_000;

/** Bytes of what was typed as GB; null for nothing: as the installation says. */
export function quotaOf(typed: string): number | null {
  return typed.trim() === "" ? null : Math.round(Number(typed) * GB);
}

export function asTyped(quota: number | null): string {
  return quota === null ? "" : String(quota / GB);
}
