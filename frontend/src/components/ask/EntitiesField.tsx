// Several entities of a graph, each found by typing a part of its name and taken off again.
import { useId, useState, type ReactNode } from "react";
import { Icon } from "@/components/kit/Icon";
import { troubleOf } from "@/components/kit/feedback";
import { pressedKey } from "@/view/keys";
import { EntitySuggest, optionId } from "./EntitySuggest";
import { useMatches, type EntitySearch } from "./useSuggestions";

interface Props {
  label: string;
  hint?: ReactNode;
  search: (text: string) => EntitySearch;
  /** Their names. */
  value: readonly string[];
  onChange: (names: readonly string[]) => void;
  autoFocus?: boolean;
  /** A key that was for nothing here. */
  onKey?: (key: string) => void;
}

export function EntitiesField({ label, hint, search, value, onChange, autoFocus = false, onKey }: Props) {
  const id = useId();
  const [text, setText] = useState("");
  const found = useMatches(text, search);
  const matches = found.matches.filter((match) => !value.includes(match.label));
  const active = Math.min(found.active, Math.max(0, matches.length - 1));
  const none = text.trim() !== "" && !found.loading && found.matches.length === 0;
  const add = (name: string) => {
    onChange([...value, name]);
    setText("");
  };
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {value.length > 0 && (
        <ul className="chips" aria-label={label}>
          {value.map((name) => (
            <li key={name} className="chip given">
              <span className="elide">
                <bdi>{name}</bdi>
              </span>
              <button
                type="button"
                aria-label={`Remove ${name}`}
                onClick={() => onChange(value.filter((other) => other !== name))}
              >
                <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
      )}
      <input
        id={id}
        className="input"
        role="combobox"
        aria-expanded={matches.length > 0}
        aria-controls={`${id}-list`}
        aria-activedescendant={matches.length ? optionId(`${id}-list`, active) : undefined}
        aria-describedby={hint ? `${id}-hint` : undefined}
        autoComplete="off"
        autoFocus={autoFocus}
        placeholder={value.length ? "Another one" : "Type a part of its name"}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onBlur={() => {
          // A name that was typed whole is meant.
          const typed = text.trim().toLowerCase();
          const meant = matches.find((match) => match.label.toLowerCase() === typed);
          if (meant) add(meant.label);
        }}
        onKeyDown={(event) => {
          const key = pressedKey(event);
          const chosen = matches[active];
          if (key === "Backspace" && text === "" && value.length > 0) onChange(value.slice(0, -1));
          else if (key === "ArrowDown" && matches.length) found.setActive((active + 1) % matches.length);
          else if (key === "ArrowUp" && matches.length) {
            found.setActive((active - 1 + matches.length) % matches.length);
          } else if (key === "Enter" && text.trim() !== "") {
            if (chosen) add(chosen.label);
          } else {
            onKey?.(key);
            return;
          }
          event.preventDefault();
        }}
      />
      {found.error ? (
        <p className="small warn-text">{troubleOf(found.error).message}</p>
      ) : none ? (
        <p className="small muted" role="status">
          No entity of this graph is called “{text.trim()}”. Try fewer letters.
        </p>
      ) : matches.length > 0 ? (
        <div className="entity-list">
          <EntitySuggest
            id={`${id}-list`}
            matches={matches}
            active={active}
            onPick={(match) => add(match.label)}
            onHover={found.setActive}
          />
        </div>
      ) : (
        hint && (
          <p id={`${id}-hint`} className="small muted">
            {hint}
          </p>
        )
      )}
    </div>
  );
}
