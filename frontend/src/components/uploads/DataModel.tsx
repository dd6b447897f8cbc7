// The data model of an import: what the files hold, to be corrected before, and as it was kept with a version.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { dataModelQuery, type DataModel as Model, type ModelChanges } from "@/api/dataModel";
import type { From, Id, Reading } from "@/api/types";
import { Button } from "@/components/kit/controls";
import { ErrorNotice, Loading } from "@/components/kit/feedback";
import { Find } from "@/components/kit/TextField";
import { NO_CHANGES, changeReference, countChanges, findKinds, takeNeighbourhood } from "@/view/dataModel";
import { languageText } from "@/view/entityNames";
import { count, integer } from "@/view/format";
import { pressedKey } from "@/view/keys";
import { NO_HISTORY, listEdits, record, redo, undo, type ModelHistory } from "@/view/modelHistory";
import { Edges } from "./Edges";
import { ModelDiagram } from "./ModelDiagram";
import { DownloadModel, ModelFile } from "./ModelFiles";
import { ModelKind } from "./ModelKind";
import { References } from "./References";

/** Of more kinds than these only those that are found are drawn. */
const DRAWN = 30;
/** More kinds than these are looked for by name. */
const SEARCHED = 8;
/** Kinds that are listed at first. */
const LISTED = 50;
/** Of as few kinds all is shown at once. */
const OPEN = 3;
const UNDO_KEYS: Readonly<Record<string, (history: ModelHistory) => ModelHistory>> = {
  z: undo,
  Z: redo,
  y: redo,
};

interface Kept {
  model: Model;
  /** Of which files, read how. */
  of: string;
}

/** The model of files as a person corrects it. `sent` is what an import sends: corrections are never lost on the way. */
export function useDataModel(from: From, reading: Reading, graph: Id | null, ready: boolean) {
  const [history, setHistory] = useState(NO_HISTORY);
  const changes = history.now;
  const [kept, setKept] = useState<Kept | null>(null);
  const corrections = countChanges(changes) > 0 ? changes : null;
  const options = dataModelQuery(from, reading, corrections, graph);
  const { data, error, isFetching } = useQuery(ready ? options : { ...options, enabled: false });
  const of = JSON.stringify([from, reading]);
  if (data && data !== kept?.model) setKept({ model: data, of });
  // What a refused correction was made of stays, to be corrected otherwise; the model of other files does not.
  const shown = data ?? (kept && (isFetching || kept.of === of) ? kept.model : null);
  return {
    model: ready && shown && shown.kinds.length > 0 ? shown : null,
    sent: data && data.kinds.length > 0 ? data : corrections && { ...corrections },
    error: ready ? error : null,
    isFetching,
    changes,
    setChanges: (next: ModelChanges) => setHistory((before) => record(before, next)),
    history,
    setHistory,
  };
}

type Edited = ReturnType<typeof useDataModel>;

function Warnings({ model }: { model: Model }) {
  if (model.warnings.length === 0) return null;
  return (
    <div className="notice warn">
      <div className="grow stack tight">
        <strong>{count(model.warnings.length, "thing")} to look at</strong>
        <ul className="notes small">
          {model.warnings.map((warning, place) => (
            <li key={place}>
              {warning.message}
              {warning.rows.length > 0 && (
                <details>
                  <summary>Show them</summary>
                  <pre className="raw">
                    {warning.rows.map((row) => `${row.line}: ${row.text}`).join("\n")}
                  </pre>
                </details>
              )}
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}

interface ViewProps {
  model: Model;
  changes?: ModelChanges;
  onChange?: ((changes: ModelChanges) => void) | undefined;
}

export function ModelView({ model, changes = NO_CHANGES, onChange }: ViewProps) {
  const [words, setWords] = useState("");
  const [all, setAll] = useState(false);
  const kinds = findKinds(model.kinds, words);
  const isLarge = model.kinds.length > DRAWN;
  const shown = isLarge && words.trim() ? takeNeighbourhood(model, kinds) : model;
  const listed = all ? kinds : kinds.slice(0, LISTED);
  return (
    <>
      {model.languages.length > 0 && (
        <p className="small">
          Names in{" "}
          {model.languages
            .map(({ tag, count: things }) => `${languageText(tag)} (${integer(things)})`)
            .join(", ")}
        </p>
      )}
      <Warnings model={model} />
      {model.kinds.length > SEARCHED && (
        <Find label="Find a kind or a column" value={words} onChange={setWords} />
      )}
      {shown.kinds.length > 1 && shown.kinds.length <= DRAWN && <ModelDiagram model={shown} />}
      {shown.kinds.length > DRAWN && (
        <p className="small muted">
          {count(model.kinds.length, "kind")}. Find some of them, and they are drawn with those that they
          refer to.
        </p>
      )}
      <div>
        {listed.map((kind) => (
          <ModelKind
            key={kind.table}
            {...{ model, kind, changes, onChange: kind.is_fixed ? undefined : onChange }}
            startsOpen={onChange !== undefined && model.kinds.length <= OPEN}
          />
        ))}
        {kinds.length === 0 && <p className="muted">No kind or column is called so.</p>}
        {listed.length < kinds.length && (
          <Button look="link" className="small" onPress={() => setAll(true)}>
            Show all {count(kinds.length, "kind")}
          </Button>
        )}
      </div>
      <Edges model={model} />
      <References
        model={shown}
        onChange={onChange && ((reference) => onChange(changeReference(changes, reference)))}
      />
    </>
  );
}

/** What was corrected, the latest first, each to be taken back. */
function Edits({ model, history, setHistory }: Pick<Edited, "history" | "setHistory"> & { model: Model }) {
  const edits = listEdits(model, history);
  return (
    <div className="stack tight">
      <div className="row wrap">
        <Button size="small" isDisabled={history.past.length === 0} onPress={() => setHistory(undo)}>
          Undo
        </Button>
        <Button size="small" isDisabled={history.future.length === 0} onPress={() => setHistory(redo)}>
          Redo
        </Button>
      </div>
      {edits.length > 0 && (
        <ul className="notes small" aria-label="Corrections">
          {edits.map(({ text, without }) => (
            <li key={text}>
              <bdi>{text}</bdi>{" "}
              <Button
                look="link"
                className="small"
                aria-label={`Undo ${text}`}
                onPress={() => setHistory((before) => record(before, without))}
              >
                undo
              </Button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** The model of files, with all that can be corrected; nothing where they hold facts or documents alone. */
export function DataModelForm(edited: Edited) {
  const { model, error, isFetching, changes, setChanges, history, setHistory } = edited;
  const corrected = countChanges(changes);
  const undoAll = (
    <Button size="small" onPress={() => setChanges(NO_CHANGES)}>
      Back to what was inferred
    </Button>
  );
  if (!model) {
    if (error) return <ErrorNotice error={error} acts={corrected > 0 && undoAll} />;
    return isFetching ? <Loading what="the data model" /> : null;
  }
  return (
    // eslint-disable-next-line jsx-a11y-x/no-noninteractive-element-interactions -- a shortcut of the buttons in it
    <section
      className="stack data-model"
      aria-label="Data model"
      aria-busy={isFetching}
      onKeyDown={(event) => {
        const step = (event.ctrlKey || event.metaKey) && !event.altKey && UNDO_KEYS[pressedKey(event)];
        if (!step || event.isDefaultPrevented()) return;
        event.preventDefault();
        setHistory(event.shiftKey ? redo : step);
      }}
    >
      <h3>
        Data model{" "}
        <span className="muted small" role="status">
          {isFetching ? "Reading…" : corrected > 0 ? count(corrected, "correction") : ""}
        </span>
      </h3>
      <p className="small muted">
        What the files hold, as questions will find it.{" "}
        {model.kinds.some((kind) => !kind.is_fixed) && "Correct what is wrong; the examples change with it."}
        {model.kinds.some((kind) => kind.is_fixed) &&
          " RDF says itself what its kinds and names are: change the file to change them."}
        {model.is_sampled && " Only the beginning of large files was read for this."}
      </p>
      {error && <ErrorNotice error={error} />}
      <ModelView model={model} changes={changes} onChange={setChanges} />
      {history.past.length + history.future.length > 0 && <Edits {...{ model, history, setHistory }} />}
      <div className="row wrap">
        {corrected > 0 && undoAll}
        <DownloadModel model={model} name="data-model" />
        <ModelFile onRead={setChanges} />
      </div>
    </section>
  );
}
