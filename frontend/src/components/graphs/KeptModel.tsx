// The data model of the version in use: shown, and changed without an upload, which makes the next version.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ApiError } from "@/api/client";
import { changeModel, keptModelQuery, type DataModel } from "@/api/dataModel";
import { downloadShapes } from "@/api/datasets";
import { keys } from "@/api/queries";
import type { From, Graph } from "@/api/types";
import { Button, Modal } from "@/components/kit/controls";
import { ErrorNotice, Loading } from "@/components/kit/feedback";
import { fileName, saveFile } from "@/components/kit/files";
import { Form } from "@/components/kit/Form";
import { TextField } from "@/components/kit/TextField";
import { useAct } from "@/components/kit/useAct";
import { DataModelForm, ModelView, useDataModel } from "@/components/uploads/DataModel";
import { DownloadModel } from "@/components/uploads/ModelFiles";
import { toast } from "@/store/toasts";
import { countChanges } from "@/view/dataModel";

/** Of the graph itself: of the files that are kept. */
const KEPT: From = { uploads: [], sources: [] };

function ChangeForm({ graph, onClose }: { graph: Graph; onClose: () => void }) {
  const edited = useDataModel(KEPT, {}, graph.id, true);
  const [note, setNote] = useState("");
  const send = useAct(() => changeModel(graph.id, edited.changes, note.trim()), {
    changes: [keys.graphs],
    job: (job) => job,
    done: () => {
      toast("The next version is being created. Questions go to the current one until it is ready.");
      onClose();
    },
  });
  const isUnready = countChanges(edited.changes) === 0 || edited.error !== null || edited.isFetching;
  return (
    <Form of={send} act="Create the next version" isDisabled={isUnready} onClose={onClose}>
      <DataModelForm {...edited} />
      <TextField
        label="Note (what and why, for the list of versions)"
        id="model-note"
        maxLength={2000}
        value={note}
        onChange={setNote}
      />
    </Form>
  );
}

function Kept({ graph, model, admin }: { graph: Graph; model: DataModel; admin: boolean }) {
  const [isChanging, setChanging] = useState(false);
  return (
    <div className="stack data-model">
      <ModelView model={model} />
      <div className="row wrap">
        {admin && graph.state === "ready" && (
          <Button size="small" onPress={() => setChanging(true)}>
            Change the data model
          </Button>
        )}
        <DownloadModel model={model} name={`${graph.name} model`} />
      </div>
      <Modal
        wide
        title={`Data model of ${graph.name}`}
        isOpen={isChanging}
        onClose={() => setChanging(false)}
      >
        <ChangeForm graph={graph} onClose={() => setChanging(false)} />
      </Modal>
    </div>
  );
}

/** Asked for when it is opened: a graph of facts alone has none. */
export function KeptModel({ graph, admin }: { graph: Graph; admin: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const version = graph.snapshot ? `${graph.snapshot.version} ${graph.snapshot.hash}` : "";
  const kept = keptModelQuery(graph.id, version);
  const { data, error } = useQuery({ ...kept, enabled: isOpen });
  const isNone = error instanceof ApiError && error.code === "no_model";
  return (
    <details className="more" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Data model</summary>
      {data && <Kept graph={graph} model={data} admin={admin} />}
      {!data && !error && isOpen && <Loading what="the data model" />}
      {isNone && (
        <>
          <p className="muted">
            This version was made of facts or texts, and has no data model. If it is RDF, SHACL shapes can be
            proposed from it: add them to the next upload, and its data is checked by them.
          </p>
          <Button
            size="small"
            onPress={() =>
              void saveFile(fileName(`${graph.name} shapes`, "ttl"), downloadShapes(graph.id), "The shapes")
            }
          >
            Propose shapes
          </Button>
        </>
      )}
      {error && !isNone && <ErrorNotice error={error} />}
    </details>
  );
}
