// The question, with the entities of the graph offered while their names are typed.
import { useId, useImperativeHandle, useRef, useState, type Ref } from "react";
import type { EntityMatch } from "@/api/types";
import { complete, fragmentAt, offered } from "@/view/suggest";
import { pressedKey } from "@/view/keys";
import { EntitySuggest, optionId } from "./EntitySuggest";
import { useSuggestions } from "./useSuggestions";
import { nameOf } from "@/view/entityNames";

interface Props {
  graph: string | null;
  /** The graph lives in an endpoint: whole names are looked up there. */
  remote?: boolean;
  value: string;
  max: number | undefined;
  onChange: (text: string) => void;
  /** An entity was taken, which the question now names. */
  onPick: (match: EntityMatch, question: string) => void;
  onSubmit: () => void;
  ref?: Ref<{ focus: () => void }>;
}

export function QuestionBox({ graph, remote = false, value, max, onChange, onPick, onSubmit, ref }: Props) {
  const list = useId();
  const input = useRef<HTMLInputElement>(null);
  const [caret, setCaret] = useState(0);
  const [open, setOpen] = useState(false);
  const fragment = open ? fragmentAt(value, caret) : null;
  const suggestions = useSuggestions(graph, fragment?.query ?? "", remote, (found) =>
    offered(fragment, found),
  );
  const { matches, active } = suggestions;
  const shown = open && fragment !== null && matches.length > 0;

  useImperativeHandle(ref, () => ({
    focus: () => {
      input.current?.focus();
      input.current?.select();
    },
  }));

  const pick = (match: EntityMatch) => {
    if (!fragment) return;
    const next = complete(value, fragment, nameOf(match));
    setOpen(false);
    onPick(match, next.text);
    requestAnimationFrame(() => input.current?.setSelectionRange(next.caret, next.caret));
  };

  return (
    <div className="question">
      <input
        ref={input}
        className="question-input"
        role="combobox"
        aria-label="Question"
        aria-expanded={shown}
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={shown ? optionId(list, active) : undefined}
        autoComplete="off"
        spellCheck={false}
        dir="auto"
        enterKeyHint="go"
        maxLength={max ? max + 200 : undefined}
        placeholder={
          remote
            ? "Ask about the graph. Spell names as they are in the endpoint"
            : "Ask about the graph. Type a name, or @ and any part of one, to pick an entity"
        }
        value={value}
        onChange={(event) => {
          onChange(event.target.value);
          setCaret(event.target.selectionStart ?? event.target.value.length);
          setOpen(true);
        }}
        onSelect={(event) => setCaret(event.currentTarget.selectionStart ?? 0)}
        onBlur={() => setOpen(false)}
        onKeyDown={(event) => {
          // The first match is never taken by Enter unless it was moved to or asked for with @.
          const asked = value[fragment?.start ?? 0] === "@" || active > 0 || pressedKey(event) !== "Enter";
          if (shown && asked && suggestions.onKey(pressedKey(event), pick)) event.preventDefault();
          else if (pressedKey(event) === "Escape") {
            if (shown) setOpen(false);
            else event.currentTarget.blur();
          } else if (pressedKey(event) === "Enter") {
            event.preventDefault();
            setOpen(false);
            // A keyboard on the screen would hide what comes.
            if (matchMedia("(pointer: coarse)").matches) input.current?.blur();
            onSubmit();
          }
        }}
      />
      {shown && (
        <div className="popover suggest">
          <EntitySuggest
            id={list}
            matches={matches}
            active={active}
            onPick={pick}
            onHover={suggestions.setActive}
          />
          <p className="suggest-foot">
            <kbd>↑</kbd> <kbd>↓</kbd> choose · <kbd>Tab</kbd> take · <kbd>Esc</kbd> close
          </p>
        </div>
      )}
    </div>
  );
}
