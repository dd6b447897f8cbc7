// "+ entity": name a topic entity by searching the graph.
import { useId, useState } from "react";
import { Dialog, DialogTrigger, Popover } from "react-aria-components";
import type { EntityMatch } from "@/api/types";
import { Button } from "@/components/kit/controls";
import { troubleOf } from "@/components/kit/feedback";
import { pressedKey } from "@/view/keys";
import { EntitySuggest, optionId } from "./EntitySuggest";
import { useSuggestions } from "./useSuggestions";

interface Props {
  graph: string | null;
  /** The graph lives in an endpoint: whole names are looked up there. */
  remote?: boolean;
  onPick: (match: EntityMatch) => void;
  /** A name that the graph may lack can be given too. */
  onName?: (name: string) => void;
  /** On the button, where it does not add a topic, and what the dialog is called then. */
  button?: string;
  label?: string;
}

function PickerBody({ graph, remote, onPick, onName }: Omit<Props, "button" | "label">) {
  const list = useId();
  const [query, setQuery] = useState("");
  const suggestions = useSuggestions(graph, query, remote);
  const { matches, active } = suggestions;
  const none = query.trim() !== "" && !suggestions.loading && matches.length === 0;
  return (
    <div className="picker">
      <input
        className="input"
        role="combobox"
        aria-label="Search entities"
        aria-expanded={matches.length > 0}
        aria-controls={list}
        aria-activedescendant={matches.length ? optionId(list, active) : undefined}
        autoComplete="off"
        // The popover was opened to type here.
        autoFocus
        placeholder={remote ? "The whole name, or an IRI" : "Search entities by name or alias"}
        value={query}
        onChange={(event) => setQuery(event.target.value)}
        onKeyDown={(event) => {
          if (suggestions.onKey(pressedKey(event), onPick)) event.preventDefault();
        }}
      />
      {suggestions.error ? (
        <p className="picker-note">{troubleOf(suggestions.error).message}</p>
      ) : none ? (
        <p className="picker-note">
          No entity of this graph is called “{query.trim()}”.{" "}
          {remote ? "Type the whole name as it is spelt there." : "Try fewer letters."}
          {onName && (
            <Button size="small" onPress={() => onName(query.trim())}>
              Ask about it anyway
            </Button>
          )}
        </p>
      ) : (
        <EntitySuggest
          id={list}
          matches={matches}
          active={active}
          onPick={onPick}
          onHover={suggestions.setActive}
        />
      )}
    </div>
  );
}

export function EntityPicker({ graph, remote = false, onPick, onName, button, label }: Props) {
  const [open, setOpen] = useState(false);
  return (
    <DialogTrigger isOpen={open} onOpenChange={setOpen}>
      {button ? (
        <Button size="small" isDisabled={graph === null} {...(label && { "aria-label": label })}>
          {button}
        </Button>
      ) : (
        <Button look="plain" size="small" icon="plus" isDisabled={graph === null}>
          entity
        </Button>
      )}
      <Popover className="popover" placement="bottom start">
        <Dialog aria-label={label ?? "Add a topic entity"}>
          <PickerBody
            graph={graph}
            remote={remote}
            onPick={(match) => {
              setOpen(false);
              onPick(match);
            }}
            {...(onName && {
              onName: (name: string) => {
                setOpen(false);
                onName(name);
              },
            })}
          />
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}
