// Topic entities: those the person named, or those Clew found. Both can be taken off and exchanged.
import { MenuTrigger, Popover, Button as AriaButton } from "react-aria-components";
import type { LinkedEntity } from "@/api/events";
import { Icon } from "@/components/kit/Icon";
import { ActList, Tip } from "@/components/kit/controls";
import { score } from "@/store/format";
import type { Named } from "./draft";

const SOURCES: Record<LinkedEntity["source"], string> = {
  exact: "the same name",
  alias: "another name of it",
  fuzzy: "a similar spelling",
  vector: "a similar meaning",
  given: "named by you",
};

interface Props {
  given: readonly Named[] | null;
  linked: readonly LinkedEntity[];
  unmatched: readonly string[];
  onChange: (given: readonly Named[]) => void;
}

function Remove({ label, onRemove }: { label: string; onRemove: () => void }) {
  return (
    <button type="button" aria-label={`Remove ${label}`} onClick={onRemove}>
      <Icon name="close" />
    </button>
  );
}

export function LinkedChips({ given, linked, unmatched, onChange }: Props) {
  if (given) {
    return (
      <>
        {given.map((entity) => (
          <span key={entity.id} className="chip given">
            <span className="elide">{entity.label}</span>
            <Remove
              label={entity.label}
              onRemove={() => {
                onChange(given.filter((other) => other.id !== entity.id));
              }}
            />
          </span>
        ))}
      </>
    );
  }
  const named = linked.map(({ entity }) => ({ id: entity.id, label: entity.label }));
  return (
    <>
      {linked.map(({ entity, mention, source, score: sure, alternatives }) => (
        <span
          key={entity.id}
          className="chip"
          title={`“${mention}” was linked by ${SOURCES[source]}, ${score(sure)}`}
        >
          <span className="elide">{entity.label}</span>
          {source !== "exact" && source !== "given" && <span className="muted">&nbsp;{score(sure)}</span>}
          {alternatives.length > 0 && (
            <MenuTrigger>
              <Tip text="Mean another one">
                <AriaButton aria-label={`Others that “${mention}” might mean`}>
                  <Icon name="down" />
                </AriaButton>
              </Tip>
              <Popover className="popover">
                <ActList
                  label={`Others that “${mention}” might mean`}
                  acts={alternatives.map((other) => ({
                    id: String(other.id),
                    label: other.label,
                    onAction: () => {
                      onChange(
                        named.map((n) => (n.id === entity.id ? { id: other.id, label: other.label } : n)),
                      );
                    },
                  }))}
                />
              </Popover>
            </MenuTrigger>
          )}
          <Remove
            label={entity.label}
            onRemove={() => {
              onChange(named.filter((other) => other.id !== entity.id));
            }}
          />
        </span>
      ))}
      {unmatched.map((phrase) => (
        <span
          key={phrase}
          className="chip missed"
          title="This looks like a name, and the graph has no such entity"
        >
          not found: {phrase}
        </span>
      ))}
    </>
  );
}
