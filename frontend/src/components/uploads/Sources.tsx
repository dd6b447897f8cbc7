// Files that are taken from where the server finds them: paths and addresses that its operator allows.
import { useState } from "react";
import { Button } from "@/components/kit/controls";
import { pressedKey } from "@/view/keys";

interface SourcesProps {
  sources: readonly string[];
  onChange: (sources: readonly string[]) => void;
}

export function Sources({ sources, onChange }: SourcesProps) {
  const [text, setText] = useState("");
  const add = () => {
    const one = text.trim();
    if (one && !sources.includes(one)) onChange([...sources, one]);
    setText("");
  };
  return (
    <details className="more" open={sources.length > 0}>
      <summary>From a path on the server, or an address</summary>
      <div className="row">
        <input
          className="input grow"
          aria-label="Path or address"
          placeholder="/data/facts.tsv.gz or https://…"
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (pressedKey(event) !== "Enter") return;
            event.preventDefault();
            add();
          }}
        />
        <Button isDisabled={!text.trim()} onPress={add}>
          Add
        </Button>
      </div>
      <p className="small muted">
        Only folders and hosts that the operator allows (CLEW_IMPORT_PATHS, CLEW_IMPORT_HOSTS).
      </p>
      <ul className="files">
        {sources.map((one) => (
          <li key={one} className="row">
            <span className="grow elide mono" title={one}>
              {one}
            </span>
            <Button
              look="plain"
              size="small"
              icon="close"
              label={`Remove ${one}`}
              onPress={() => onChange(sources.filter((other) => other !== one))}
            />
          </li>
        ))}
      </ul>
    </details>
  );
}
