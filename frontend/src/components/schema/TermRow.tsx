// A relation or a kind of a graph: what it is, what it is also called, and where it is used.
import { useState } from "react";
import { Link } from "react-router";
import { resetTerm, saveTerm, vocabularyKey, type NewTerm, type Term } from "@/api/vocabulary";
import type { Graph } from "@/api/types";
import { Form } from "@/components/kit/Form";
import { Button } from "@/components/kit/controls";
import { Ago, ErrorNotice, Notice } from "@/components/kit/feedback";
import { TextArea, TextField } from "@/components/kit/TextField";
import { useAct } from "@/components/kit/useAct";
import { changeTerm, placeLines, usageText } from "@/view/vocabulary";
import { SynonymList } from "./SynonymList";

interface Props {
  graph: Graph;
  term: Term;
  mayChange: boolean;
}

function EditTerm({ graph, term, onClose }: Omit<Props, "mayChange"> & { onClose: () => void }) {
  const [description, setDescription] = useState(term.description);
  const [unit, setUnit] = useState(term.unit);
  const save = useAct(
    () => saveTerm(graph.id, changeTerm(term, { description: description.trim(), unit: unit.trim() })),
    { changes: [vocabularyKey(graph.id)], done: onClose },
  );
  return (
    <Form of={save} act="Save" onClose={onClose}>
      <TextArea
        label="Description"
        rows={2}
        maxLength={2000}
        autoFocus
        value={description}
        onChange={setDescription}
      />
      {term.category === "relation" && (
        <TextField label="Unit of its values" maxLength={40} value={unit} onChange={setUnit} />
      )}
    </Form>
  );
}

function Examples({ term }: { term: Term }) {
  if (!term.examples.length) return null;
  const between = term.category === "relation" ? ` — ${term.label} → ` : "";
  return (
    <ul className="small muted">
      {term.examples.map((example) => (
        <li key={example.join("\n")}>
          <bdi>{example.join(between)}</bdi>
        </li>
      ))}
    </ul>
  );
}

export function TermRow({ graph, term, mayChange }: Props) {
  const [editing, setEditing] = useState(false);
  const save = useAct((changed: NewTerm) => saveTerm(graph.id, changed), {
    changes: [vocabularyKey(graph.id)],
  });
  const reset = useAct(() => resetTerm(graph.id, term), { changes: [vocabularyKey(graph.id)], failed: true });
  return (
    <article className="term" aria-label={`${term.category} ${term.label}`}>
      <header className="row wrap">
        <h3>
          <bdi>{term.label}</bdi>
        </h3>
        <span className="muted small">
          {term.category}, {usageText(term)}
          {term.unit && `, in ${term.unit}`}
        </span>
        <span className="grow" />
        {mayChange && term.updated_at !== null && (
          <Button size="small" look="plain" isDisabled={reset.isPending} onPress={() => reset.mutate()}>
            Reset
          </Button>
        )}
        {mayChange && !editing && (
          <Button
            size="small"
            look="plain"
            aria-label={`Edit ${term.label}`}
            onPress={() => setEditing(true)}
          >
            Edit
          </Button>
        )}
      </header>
      {term.label !== term.name && <p className="small muted mono break">{term.name}</p>}
      {editing ? (
        <EditTerm graph={graph} term={term} onClose={() => setEditing(false)} />
      ) : (
        term.description && <p>{term.description}</p>
      )}
      {placeLines(term).map(([name, values]) => (
        <p key={name} className="small muted">
          {name}: <bdi>{values}</bdi>
        </p>
      ))}
      <SynonymList
        of={term.label}
        synonyms={term.synonyms}
        mayChange={mayChange}
        isDisabled={save.isPending}
        onChange={(synonyms) => save.mutate(changeTerm(term, { synonyms }))}
      />
      {save.error && <ErrorNotice error={save.error} />}
      {term.warnings.map((warning) => (
        <p key={warning} className="small warn">
          {warning}
        </p>
      ))}
      {save.isSuccess && (
        <Notice tone="info" title="Saved: questions use it now">
          {term.question && (
            <>
              Ask, for example:{" "}
              <Link to={`/?graph=${graph.id}&q=${encodeURIComponent(term.question)}`}>{term.question}</Link>
            </>
          )}
        </Notice>
      )}
      <Examples term={term} />
      {term.updated_at !== null && (
        <p className="small muted">
          {term.updated_by ? `Described by ${term.updated_by}` : "Described"} <Ago iso={term.updated_at} />
        </p>
      )}
    </article>
  );
}
