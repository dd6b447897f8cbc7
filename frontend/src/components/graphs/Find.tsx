// A field that finds an entity of a graph by its name.
import { useId, useState, type RefObject } from "react";
import type { Graph } from "@/api/types";
import { EntitySuggest, optionId } from "@/components/ask/EntitySuggest";
import { useSuggestions } from "@/components/ask/useSuggestions";
import { ErrorNotice } from "@/components/kit/feedback";
import { pressedKey } from "@/view/keys";

interface Props {
  graph: Graph;
  onPick: (id: number) => void;
  field?: RefObject<HTMLInputElement | null>;
}

export function Find({ graph, onPick, field }: Props) {
  const [text, setText] = useState("");
  const list = useId();
  const found = useSuggestions(String(graph.id), text, graph.endpoint !== null);
  const { matches, active } = found;
  const open = matches.length > 0;
  const pick = (id: number) => {
    setText("");
    onPick(id);
  };
  return (
    <div className="finder">
      <input
        ref={field}
        className="input find"
        type="search"
        role="combobox"
        aria-label="Find an entity"
        aria-expanded={open}
        aria-controls={list}
        aria-activedescendant={open ? optionId(list, active) : undefined}
        placeholder={graph.endpoint ? "The whole name, or an IRI" : "Find an entity"}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (pressedKey(event) === "Escape") setText("");
          else if (pressedKey(event) === "Tab" || !found.onKey(pressedKey(event), (match) => pick(match.id)))
            return;
          event.preventDefault();
        }}
      />
      {open && (
        <div className="popover suggest">
          <EntitySuggest
            id={list}
            matches={matches}
            active={active}
            onHover={found.setActive}
            onPick={(match) => pick(match.id)}
          />
        </div>
      )}
      {text.trim() !== "" && !found.loading && !found.error && !open && (
        <p className="small muted">
          No entity is called “{text.trim()}”{graph.endpoint && ", spelt like that"}.
        </p>
      )}
      {found.error !== null && <ErrorNotice error={found.error} />}
    </div>
  );
}
