// A path changed hop by hop: what could stand at each place, with what the path would reach, as one types.
import { useEffect, useRef, useState, type KeyboardEvent } from "react";
import type { Item, Walk } from "@/api/review";
import { ErrorNotice, Notice, Spinner } from "@/components/kit/feedback";
import { integer, percent } from "@/view/format";
import { isAnswerKnown } from "@/view/review";
import { TOPIC, cutAt, selectHop, type PathDraft } from "@/view/reviewPath";
import { pressedKey } from "@/view/keys";
import { useChoices, type Choice } from "./pathChoices";
import { Reached } from "./Reached";

function Crumbs({
  item,
  draft,
  walk,
  onDraft,
}: {
  item: Item;
  draft: PathDraft;
  walk: Walk | undefined;
  onDraft: (draft: PathDraft) => void;
}) {
  const labels = new Map(walk?.steps.map((step) => [step.relation, step.label]));
  const known = new Map(item.candidates.flatMap((one) => one.steps.map((step) => [step.name, step.label])));
  const crumb = (at: number, text: string, about: string) => (
    <button
      key={at}
      type="button"
      className={`crumb ${draft.at === at ? "on" : ""}`}
      aria-current={draft.at === at}
      aria-label={about}
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => onDraft(selectHop(draft, at))}
    >
      {text}
    </button>
  );
  return (
    <p className="crumbs" role="group" aria-label="The path">
      {crumb(TOPIC, draft.topic || "where it starts", `Starts at ${draft.topic || "nothing yet"}`)}
      {draft.path.map(([name, inverse], at) =>
        crumb(
          at,
          `${inverse ? "←" : "→"} ${labels.get(name) ?? known.get(name) ?? name}`,
          `Hop ${at + 1}: ${labels.get(name) ?? name}${inverse ? ", backward" : ""}`,
        ),
      )}
      {draft.topic && crumb(draft.path.length, "+ hop", "One more hop")}
    </p>
  );
}

function Preview({ item, walk, pending }: { item: Item; walk: Walk | undefined; pending: boolean }) {
  if (!walk) return pending ? <p className="small muted">Looking…</p> : null;
  const same = item.candidates.findIndex((one) => one.id === walk.same_as);
  return (
    <div role="status" className="preview">
      {walk.error && (
        <Notice tone="warn" title={walk.error.message}>
          {walk.error.hint}
        </Notice>
      )}
      <p className="small">
        {pending && <Spinner />} reaches <b className="tabular">{integer(walk.reached)}</b>,{" "}
        <b className="tabular">{integer(walk.hits)}</b> of them right · precision{" "}
        <b className="tabular">{percent(walk.precision)}</b> · recall{" "}
        <b className="tabular">{percent(walk.recall)}</b>
      </p>
      <p className="small muted">
        {walk.steps.map((step, at) => (
          <span key={at} title={step.sample.map((node) => node.label).join("; ")}>
            {at > 0 && " → "}
            {integer(step.reached)} after {step.label}
          </span>
        ))}
      </p>
      <Reached known={isAnswerKnown(item)} drawing={walk} candidate={walk} />
      {same >= 0 && <p className="small warn-text">This is path {same + 1} already.</p>}
    </div>
  );
}

interface Props {
  item: Item;
  draft: PathDraft;
  walk: Walk | undefined;
  pending: boolean;
  error: unknown;
  saving: boolean;
  onDraft: (draft: PathDraft) => void;
  onSave: () => void;
  onClose: () => void;
}

export function PathEditor(props: Props) {
  const { item, draft, walk, pending, error, saving, onDraft, onSave, onClose } = props;
  const [text, setText] = useState("");
  const [active, setActive] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const { choices, rest, ...found } = useChoices(item, draft, text);
  const at = Math.min(active, choices.length - 1);
  const same = walk?.same_as != null;
  const ready = draft.path.length > 0 && walk?.valid === true && !pending && !saving;
  useEffect(() => {
    field.current?.focus();
    box.current?.scrollIntoView({ block: "nearest" });
  }, [draft.at]);
  const go = (next: PathDraft) => {
    setText("");
    setActive(0);
    onDraft(next);
  };
  const onKey = (event: KeyboardEvent) => {
    const { ctrlKey, metaKey } = event;
    const key = pressedKey(event);
    const chosen = choices[at];
    if (key === "Enter" && (ctrlKey || metaKey)) {
      if (ready) onSave();
    } else if (key === "Enter") {
      if (chosen) go(chosen.take(draft));
    } else if (key === "ArrowDown") setActive((at + 1) % Math.max(1, choices.length));
    else if (key === "ArrowUp") setActive((at - 1 + choices.length) % Math.max(1, choices.length));
    else if (text === "" && key === "ArrowLeft") go(selectHop(draft, draft.at - 1));
    else if (text === "" && key === "ArrowRight") go(selectHop(draft, draft.at + 1));
    else if (text === "" && (key === "Backspace" || key === "Delete")) {
      go(cutAt(draft, draft.at < draft.path.length ? draft.at : draft.path.length - 1));
    } else if (key === "Escape") onClose();
    else return;
    event.preventDefault();
  };
  const place =
    draft.at === TOPIC
      ? "Where it starts"
      : draft.at < draft.path.length
        ? `Instead of hop ${draft.at + 1}`
        : "The next hop";
  return (
    <div
      ref={box}
      className="editor card"
      role="group"
      aria-label={draft.from === null ? "A missing path" : "Edit a path"}
    >
      <header>
        <h3 className="grow">{draft.from === null ? "Add a missing path" : "Change this path"}</h3>
        <span className="small muted hide-narrow">
          <kbd>←</kbd> <kbd>→</kbd> hops · <kbd>↑</kbd> <kbd>↓</kbd> <kbd>Enter</kbd> choose ·{" "}
          <kbd>Backspace</kbd> cuts
        </span>
      </header>
      <div className="body stack">
        <Crumbs item={item} draft={draft} walk={walk} onDraft={go} />
        <label className="field">
          <span className="label">{place}</span>
          <input
            ref={field}
            className="input"
            role="combobox"
            aria-expanded="true"
            aria-controls="path-choices"
            aria-activedescendant={choices[at] ? `path-choice-${at}` : undefined}
            autoComplete="off"
            placeholder={draft.at === TOPIC ? "Type an entity’s name" : "Type to narrow the relations"}
            value={text}
            onChange={(event) => {
              setText(event.target.value);
              setActive(0);
            }}
            onKeyDown={onKey}
          />
        </label>
        {found.error ? <ErrorNotice error={found.error} /> : null}
        <ul id="path-choices" role="listbox" aria-label={place} className="listbox choices-list">
          {choices.map((one, index) => (
            <ChoiceRow
              key={one.id}
              id={`path-choice-${index}`}
              choice={one}
              active={index === at}
              onPick={() => go(one.take(draft))}
            />
          ))}
        </ul>
        {choices.length === 0 && !found.pending && (
          <p className="small muted">
            {rest === null
              ? "There are too many facts here to list what follows. Shorten the path, or start elsewhere."
              : draft.at === TOPIC
                ? "Type a name to find an entity."
                : "Nothing follows from here."}
          </p>
        )}
        {rest !== null && rest > 0 && (
          <p className="small muted">
            the best {integer(choices.length)}, and {integer(rest)} more relations
          </p>
        )}
        {error ? <ErrorNotice error={error} /> : null}
        {draft.path.length > 0 && <Preview item={item} walk={walk} pending={pending} />}
        <div className="row wrap">
          <button type="button" className="btn primary" disabled={!ready} onClick={onSave}>
            {same ? "Go to that path" : "Add as a path"} <kbd aria-hidden="true">Ctrl Enter</kbd>
          </button>
          <button type="button" className="btn" onClick={onClose}>
            Leave it <kbd aria-hidden="true">Esc</kbd>
          </button>
          {draft.from !== null && (
            <span className="small muted">The original path stays, to be judged as it is.</span>
          )}
        </div>
      </div>
    </div>
  );
}

function ChoiceRow({
  id,
  choice,
  active,
  onPick,
}: {
  id: string;
  choice: Choice;
  active: boolean;
  onPick: () => void;
}) {
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (active) row.current?.scrollIntoView({ block: "nearest" });
  }, [active]);
  return (
    // eslint-disable-next-line jsx-a11y-x/click-events-have-key-events -- the field has the keys of its list
    <li
      ref={row}
      id={id}
      role="option"
      aria-selected={active}
      className={`item ${active ? "active" : ""}`}
      title={choice.title}
      onMouseDown={(event) => event.preventDefault()}
      onClick={onPick}
    >
      <span className="muted" aria-hidden="true">
        {choice.arrow}
      </span>
      <span className="elide">
        <bdi>{choice.label}</bdi>
      </span>
      <span className="end tabular" title="reached · precision · recall">
        {choice.figures}
      </span>
    </li>
  );
}
