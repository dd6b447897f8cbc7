// A field that finds an entity of a graph by its name.
import { useQuery } from "@tanstack/react-query";
import { useId, useState, type RefObject } from "react";
import { entitiesQuery } from "@/api/queries";
import type { Graph } from "@/api/types";
import { EntitySuggest, optionId } from "@/components/ask/EntitySuggest";
import { useSettled } from "@/components/kit/hooks";
import { ErrorNotice } from "@/components/kit/feedback";

interface Props {
  graph: Graph;
  onPick: (id: number) => void;
  field?: RefObject<HTMLInputElement | null>;
}

export function Find({ graph, onPick, field }: Props) {
  const [text, setText] = useState("");
  const [active, setActive] = useState(0);
  const list = useId();
  const q = useSettled(text.trim(), graph.endpoint ? 500 : 120);
  const { data, error } = useQuery(entitiesQuery(graph.id, q));
  const open = text.trim() !== "" && (data?.length ?? 0) > 0;
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
        onChange={(event) => {
          setText(event.target.value);
          setActive(0);
        }}
        onKeyDown={(event) => {
          const last = (data?.length ?? 1) - 1;
          if (event.key === "ArrowDown") setActive(Math.min(last, active + 1));
          else if (event.key === "ArrowUp") setActive(Math.max(0, active - 1));
          else if (event.key === "Escape") setText("");
          else if (event.key === "Enter" && data?.[active]) pick(data[active].id);
          else return;
          event.preventDefault();
        }}
      />
      {open && data && (
        <div className="popover suggest">
          <EntitySuggest
            id={list}
            matches={data}
            active={active}
            onHover={setActive}
            onPick={(match) => pick(match.id)}
          />
        </div>
      )}
      {text.trim() !== "" && q === text.trim() && data?.length === 0 && (
        <p className="small muted">
          No entity is called “{q}”{graph.endpoint && ", spelt like that"}.
        </p>
      )}
      {error && <ErrorNotice error={error} />}
    </div>
  );
}
