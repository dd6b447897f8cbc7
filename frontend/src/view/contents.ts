// What a graph holds, in a few lines: its kinds, how many there are of each, and what is known of them.
import type { Schema } from "@/api/datasets";

export interface Content {
  kind: string;
  count: number;
  relations: string[];
  /** Relations that are left out here. */
  more: number;
}

const KINDS = 5;
const RELATIONS = 12;
/** What the server calls things of no kind of their own. */
const NO_KINDS = new Set(["entity", "literal", "class", "cvt", "concept", "thing"]);
/** What only says kinds, or where in its table something stands. */
const SAY_NOTHING = new Set(["type", "instance of", "is a", "p31", "row in table"]);

export function contentsOf(schema: Schema): Content[] {
  return schema.types
    .filter((type) => !NO_KINDS.has(type.label.toLowerCase()))
    .slice(0, KINDS)
    .map((type) => {
      const labels = schema.edges.filter((edge) => edge.source === type.id).map((edge) => edge.label);
      const known = [...new Set(labels)].filter((label) => !SAY_NOTHING.has(label.toLowerCase()));
      return {
        kind: type.label,
        count: type.count,
        relations: known.slice(0, RELATIONS),
        more: Math.max(known.length - RELATIONS, 0),
      };
    });
}
