// Follow-ups: which run the question in the box leans on, and what that was about.
import type { Run } from "@/api/types";
import { count } from "./format";
import type { RunView } from "./runView";
import { nameOf } from "./entityNames";

export interface Before {
  id: string;
  /** What the ghost chip says of it. */
  about: string;
}

interface Written {
  question: string;
  graph: string | null;
  /** The person took the ghost chip off. */
  alone: boolean;
}

const ELIDED = 60;

function elided(text: string): string {
  return text.length > ELIDED ? `${text.slice(0, ELIDED - 1)}…` : text;
}

/** "9 countries that border Germany", "Nigeria", "“How many countries border Germany?”". */
export function aboutOf(question: string, labels: readonly string[], nodes: number): string {
  if (labels.length === 1 && nodes === 1) return labels[0] ?? "";
  const bare = question.trim().replace(/[?.!\s]+$/u, "");
  const asked = /^(?:which|what)\s+(\p{Ll}+s)\s+(?!do\b|does\b|did\b)(.+)$/iu.exec(bare);
  if (nodes > 1 && asked) return elided(`${nodes} ${asked[1] ?? ""} that ${asked[2] ?? ""}`);
  if (nodes > 1) return elided(`${count(nodes, "answer")} to “${bare}?”`);
  return elided(`“${bare}?”`);
}

/** The run that the question in the box follows; null where it stands alone. */
export function beforeOf(written: Written, run: Run | undefined, view: RunView | undefined): Before | null {
  if (!run || view?.phase !== "done" || written.alone) return null;
  if (String(run.graph) !== written.graph || written.question.trim() === run.question) return null;
  const question = view.rewritten?.shown ?? run.question;
  const nodes = view.answers.filter((answer) => answer.entity).length;
  const labels = view.answers.map(nameOf);
  return { id: run.id, about: aboutOf(question, labels, nodes) };
}

/** What is sent as the run before: of the same question again, what it followed. */
export function followsOf(written: Written, run: Run | undefined, before: Before | null): string | null {
  if (before) return before.id;
  const again = run !== undefined && !written.alone && written.question.trim() === run.question;
  return again ? (run.follows ?? null) : null;
}
