// What was expected and what came: right ones, wrong ones and missing ones, told apart by marks.
import { elide, integer } from "@/view/format";

const FIRST = 6;
const same = (text: string) => text.trim().toLowerCase();

export function AnswerSets({
  answers,
  predicted,
  nothing,
}: {
  answers: readonly string[];
  predicted: readonly string[];
  /** Why nothing came, when nothing did. */
  nothing: string | null;
}) {
  const gold = new Set(answers.map(same));
  const given = new Set(predicted.map(same));
  const missing = answers.filter((answer) => !given.has(same(answer)));
  return (
    <span className="answer-sets">
      {predicted.length === 0 && <span className="muted">{nothing?.replaceAll("_", " ") ?? "nothing"}</span>}
      {predicted.slice(0, FIRST).map((label) => {
        const right = gold.has(same(label));
        return (
          <span
            key={label}
            className={right ? "good-text" : "bad-text"}
            title={right ? "right" : "not an answer"}
          >
            {right ? "✓" : "✗"} {elide(label, 40)}
          </span>
        );
      })}
      {predicted.length > FIRST && <span className="muted">+{integer(predicted.length - FIRST)}</span>}
      {missing.slice(0, FIRST).map((label) => (
        <span key={label} className="missing" title="expected, and not given">
          ○ {elide(label, 40)}
        </span>
      ))}
      {missing.length > FIRST && <span className="muted">+{integer(missing.length - FIRST)} missing</span>}
    </span>
  );
}

export function AnswerSetsKey() {
  return (
    <span className="muted small">
      <span className="good-text">✓</span> right <span className="bad-text">✗</span> wrong ○ missing
    </span>
  );
}
