// Operations of edits.
import type { Operation } from "@/api/edits";

/** Whether nothing is missing, so that the server can say what the operation would change. */
export function isComplete({ op, fact = [], replacement = [], entity, other, name }: Operation): boolean {
  const isFact = (parts: readonly string[]) => parts.length === 3 && parts.every((part) => part.trim());
  switch (op) {
    case "add_fact":
    case "remove_fact":
      return isFact(fact);
    case "change_fact":
      return isFact(replacement) && replacement.some((part, place) => part !== fact[place]);
    case "rename_entity":
      return Boolean(name?.trim()) && name !== entity;
    case "merge_entities":
      return Boolean(other?.trim());
  }
}
