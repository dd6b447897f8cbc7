// Topic entities: those the person pinned, or those Clew found. Both can be taken off and exchanged.
import { MenuTrigger, Popover, Button as AriaButton } from "react-aria-components";
import type { LinkedEntity } from "@/api/events";
import { Icon } from "@/components/kit/Icon";
import { ActList, Tip } from "@/components/kit/controls";
import { score } from "@/view/format";
import { linkedIn, names, pinOf, type Pin } from "@/view/pins";
import { nameOf } from "@/view/entityNames";

const SOURCES: Record<LinkedEntity["source"], string> = {
  exact: "the same name",
  alias: "another name of it",
  fuzzy: "a similar spelling",
  vector: "a similar meaning",
  given: "named by you",
};

interface Props {
  /** As it is written now: what it no longer names is no topic of it. */
  question: string;
  pins: readonly Pin[];
  /** What was asked last, and what Clew found for that. */
  asked: string | undefined;
  linked: readonly LinkedEntity[];
  unmatched: readonly string[];
  onChange: (pins: readonly Pin[]) => void;
}

function Remove({ label, onRemove }: { label: string; onRemove: () => void }) {
  return (
    <button type="button" aria-label={`Remove ${label}`} onClick={onRemove}>
      <Icon name="close" />
    </button>
  );
}

function Pinned({ pin, onRemove }: { pin: Pin; onRemove: () => void }) {
  const until = pin.text
    ? `until “${pin.text}” goes from the question`
    : "until you take it off or write another question";
  return (
    <span className="chip given" title={`Pinned by you, ${until}. Only pinned topics are asked about.`}>
      <Icon name="pin" />
      <span className="sr-only">pinned: </span>
      <span className="elide">
        <bdi>{pin.label}</bdi>
      </span>
      <Remove label={pin.label} onRemove={onRemove} />
    </span>
  );
}

export function LinkedChips({ question, pins, asked, linked, unmatched, onChange }: Props) {
  if (pins.length) {
    return (
      <>
        <span className="muted small">pinned</span>
        {pins.map((pin) => (
          <Pinned key={pin.id} pin={pin} onRemove={() => onChange(pins.filter((other) => other !== pin))} />
        ))}
      </>
    );
  }
  const found = linkedIn(linked, question, asked);
  const named = found.map(({ entity, mention }) => pinOf(entity, question, mention));
  return (
    <>
      <span className="muted small">{found.length ? "linked" : "topic"}</span>
      {found.map(({ entity, mention, source, score: sure, alternatives }, at) => (
        <span
          key={entity.id}
          className="chip"
          title={`Found by Clew: “${mention}” was linked by ${SOURCES[source]}, ${score(sure)}`}
        >
          <span className="sr-only">found by Clew: </span>
          <span className="elide">
            <bdi>{nameOf(entity)}</bdi>
          </span>
          {source !== "exact" && <span className="muted">&nbsp;{score(sure)}</span>}
          {alternatives.length > 0 && (
            <MenuTrigger>
              <Tip text="Choose another">
                <AriaButton aria-label={`Others that “${mention}” might mean`}>
                  <Icon name="down" />
                </AriaButton>
              </Tip>
              <Popover className="popover">
                <ActList
                  label={`Others that “${mention}” might mean`}
                  acts={alternatives.map((other) => ({
                    id: String(other.id),
                    label: nameOf(other),
                    onAction: () => onChange(named.with(at, pinOf(other, question, mention))),
                  }))}
                />
              </Popover>
            </MenuTrigger>
          )}
          {/* Without any, Clew would find the same one again. */}
          {found.length > 1 && (
            <Remove label={nameOf(entity)} onRemove={() => onChange(named.toSpliced(at, 1))} />
          )}
        </span>
      ))}
      {unmatched
        .filter((phrase) => names(question, phrase))
        .map((phrase) => (
          <span
            key={phrase}
            className="chip missed"
            title="This looks like a name, and the graph has no such entity"
          >
            not found: <bdi>{phrase}</bdi>
          </span>
        ))}
    </>
  );
}
