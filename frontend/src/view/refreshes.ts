// What came of reading a source, in words.
import type { Refresh, SourceKind } from "@/api/sources";

export const KINDS: Record<SourceKind, string> = {
  files: "Files",
  s3: "S3 storage",
  postgresql: "PostgreSQL query",
  sqlite: "SQLite query",
  sparql: "SPARQL query",
};

const OUTCOMES: Record<Exclude<Refresh["outcome"], "">, readonly [label: string, tone: string]> = {
  changed: ["new version", "good"],
  unchanged: ["nothing changed", ""],
  held: ["held back by tests or shapes", "warn"],
  shrunk: ["waits for you", "warn"],
  failed: ["failed", "bad"],
  stopped: ["stopped", "warn"],
};

/** A word for how a refresh ended, or how far it is, and the tone of its badge. */
export function describeOutcome(refresh: Refresh): readonly [label: string, tone: string] {
  if (refresh.outcome) return OUTCOMES[refresh.outcome];
  if (refresh.retry_at) return ["waits to try again", "warn"];
  return refresh.version === null ? ["reading", "accent"] : ["being tested", "accent"];
}
