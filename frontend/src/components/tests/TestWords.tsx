// What a test came to: its mark, the answers that were and were not expected, and the facts behind a change.
import type { TestResult } from "@/api/tests";
import { valueText } from "@/view/format";
import { OUTCOMES, whyText } from "@/view/tests";

const SHOWN = 8;

export function OutcomeBadge({ outcome }: { outcome: TestResult["outcome"] }) {
  const { label, tone } = OUTCOMES[outcome];
  return <span className={`badge ${tone}`}>{label}</span>;
}

/** "Berlin, Paris and 12 more"; "no answer" where there is none. */
export function Labels({ labels }: { labels: readonly string[] }) {
  if (!labels.length) return <span className="muted">no answer</span>;
  return (
    <>
      {labels.slice(0, SHOWN).map((label, place) => (
        <span key={label}>
          {place > 0 && ", "}
          <bdi className="break">{valueText(label)}</bdi>
        </span>
      ))}
      {labels.length > SHOWN && (
        <span className="muted" title={labels.slice(SHOWN).join(", ")}>
          {" "}
          and {labels.length - SHOWN} more
        </span>
      )}
    </>
  );
}

function Facts({ sign, facts }: { sign: "+" | "−"; facts: readonly (readonly string[])[] }) {
  const word = sign === "+" ? "added" : "removed";
  return facts.map(([head, relation, tail]) => (
    <li key={`${head} ${relation} ${tail}`} className={`fact-change ${word}`}>
      <span aria-hidden="true">{sign}</span> <span className="sr-only">{word}: </span>
      <bdi>{head}</bdi> <span className="rel">→ {relation?.replaceAll("_", " ")}</span> <bdi>{tail}</bdi>
    </li>
  ));
}

type FactList = readonly (readonly string[])[];

/** Facts that came and went. */
export function FactChanges({ added, removed }: { added: FactList; removed: FactList }) {
  if (!added.length && !removed.length) return null;
  return (
    <ul>
      <Facts sign="+" facts={added} />
      <Facts sign="−" facts={removed} />
    </ul>
  );
}

/** What a test answered otherwise than before, and because of which facts. */
export function Changed({ result }: { result: TestResult }) {
  const { before, added, removed, answers } = result;
  if (!result.changed || !before) return null;
  const why = whyText(result);
  return (
    <div className="test-change small">
      <p>
        <span className="muted">v{before.number}:</span> <Labels labels={before.answers} />{" "}
        <span className="muted">→ v{result.version}:</span> <Labels labels={answers} />
      </p>
      <FactChanges added={added} removed={removed} />
      {why && <p className="muted">{why}</p>}
    </div>
  );
}

/** What is wrong with the answer of a test that did not pass. */
export function Wrong({ result }: { result: TestResult }) {
  if (result.outcome === "passed") return null;
  if (result.outcome === "error") return <p className="small bad-text">{result.message}</p>;
  const { missing, unexpected, answers } = result;
  return (
    <p className="small">
      {missing.length > 0 && (
        <>
          <span className="muted">Missing:</span> <Labels labels={missing} />.{" "}
        </>
      )}
      {unexpected.length > 0 && (
        <>
          <span className="muted">Not expected:</span> <Labels labels={unexpected} />.
        </>
      )}
      {answers.length === 0 && <span className="muted">There was no answer.</span>}
    </p>
  );
}
