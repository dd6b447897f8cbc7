// The synonyms of a term as chips: added by typing, several by commas, and taken off one by one.
import { useId, useState } from "react";
import { Icon } from "@/components/kit/Icon";
import { addSynonyms } from "@/view/vocabulary";

interface Props {
  /** The label of the term. */
  of: string;
  synonyms: readonly string[];
  mayChange: boolean;
  isDisabled: boolean;
  onChange: (synonyms: string[]) => void;
}

export function SynonymList({ of, synonyms, mayChange, isDisabled, onChange }: Props) {
  const id = useId();
  const [text, setText] = useState("");
  const add = () => {
    const next = addSynonyms(synonyms, text);
    setText("");
    if (next.length > synonyms.length) onChange(next);
  };
  if (!synonyms.length && !mayChange) return null;
  return (
    <div className="synonyms">
      {synonyms.length > 0 && (
        <ul className="chips" aria-label={`Synonyms of ${of}`}>
          {synonyms.map((synonym) => (
            <li key={synonym} className="chip given">
              <span className="elide">
                <bdi>{synonym}</bdi>
              </span>
              {mayChange && (
                <button
                  type="button"
                  aria-label={`Remove ${synonym}`}
                  disabled={isDisabled}
                  onClick={() => onChange(synonyms.filter((other) => other !== synonym))}
                >
                  <Icon name="close" />
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      {mayChange && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            add();
          }}
        >
          <label htmlFor={id} className="sr-only">
            Add a synonym of {of}
          </label>
          <input
            id={id}
            className="input"
            autoComplete="off"
            maxLength={1000}
            placeholder="Add a synonym"
            disabled={isDisabled}
            value={text}
            onChange={(event) => setText(event.target.value)}
            onBlur={add}
          />
        </form>
      )}
    </div>
  );
}
