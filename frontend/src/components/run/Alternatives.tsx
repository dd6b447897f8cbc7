// The actions an agent could take in one state, best first; a person may take one of them instead.
import type { AgentAction } from "@/api/events";
import { Icon } from "@/components/kit/Icon";
import { score } from "@/view/format";
import { actionLine, actionWords, sameAction } from "@/view/agentActions";

interface Props {
  label: string;
  actions: readonly AgentAction[];
  /** The one that was taken; null while none is. */
  taken: AgentAction | null;
  /** Nobody may choose, or not now, when it is null. */
  onChoose: ((action: AgentAction) => void) | null;
}

function Row({
  action,
  first,
  taken,
  onChoose,
}: { action: AgentAction; first: boolean; taken: boolean } & Pick<Props, "onChoose">) {
  const { verb, what, facts } = actionWords(action);
  const line = (
    <>
      <span className="act-mark">{taken && <Icon name="check" />}</span>
      <span className="act-what">
        <strong>{verb}</strong> {what}
        {taken && <span className="sr-only"> (taken)</span>}
      </span>
      <span className="act-facts muted tabular">{facts}</span>
      <span className="act-score tabular" title="How probable the policy finds it">
        {action.score === null ? "" : score(action.score)}
        {action.score !== null && (
          <span className="meter" aria-hidden="true">
            <span style={{ width: `${Math.round(action.score * 100)}%` }} />
          </span>
        )}
      </span>
      <span className="act-end">{first && <span className="badge">policy</span>}</span>
    </>
  );
  if (!onChoose || taken) return <div className={`act ${taken ? "on" : ""}`}>{line}</div>;
  return (
    <button
      type="button"
      className="act"
      title={first ? "What the policy would do" : "Do this instead"}
      aria-label={`${actionLine(action)}${facts ? `, ${facts}` : ""}${first ? ", the policy's own" : ""}`}
      onClick={() => onChoose(action)}
    >
      {line}
    </button>
  );
}

export function Alternatives({ label, actions, taken, onChoose }: Props) {
  // A person may have taken what the policy did not even list.
  const known = actions.some((action) => sameAction(action, taken));
  const all = taken && !known ? [...actions, taken] : actions;
  return (
    <ul className="acts-list" aria-label={label}>
      {all.map((action, index) => (
        <li key={index}>
          <Row
            action={action}
            first={index === 0 && actions.length > 0}
            taken={sameAction(action, taken)}
            onChoose={onChoose}
          />
        </li>
      ))}
    </ul>
  );
}
