// The next version of a graph: facts added or taken out by file, or new content.
import { useState } from "react";
import { changeGraph, type Mode } from "@/api/datasets";
import { keys } from "@/api/queries";
import type { Graph, Reading } from "@/api/types";
import { OneOf } from "@/components/kit/Choices";
import { Modal, type DialogProps } from "@/components/kit/controls";
import { DataModelForm, useDataModel } from "@/components/uploads/DataModel";
import { Files, useFiles } from "@/components/uploads/Files";
import { Sources } from "@/components/uploads/Sources";
import { Preview } from "@/components/uploads/Preview";
import { useIsRefused } from "@/components/uploads/useIsRefused";
import { TextField } from "@/components/kit/TextField";
import { useAct } from "@/components/kit/useAct";
import { Form } from "@/components/kit/Form";
import { toast } from "@/store/toasts";
import { useUploads } from "@/store/uploads";

const MODES: readonly { id: Mode; label: string; detail: string }[] = [
  { id: "append", label: "Add", detail: "What the files hold is added to the version in use" },
  { id: "replace", label: "Replace", detail: "The files become the whole graph" },
  { id: "remove", label: "Take out", detail: "The facts in the files are removed from the version in use" },
];

function ChangeForm({ graph, onClose }: { graph: Graph; onClose: () => void }) {
  const purpose = `version of ${graph.id}`;
  const { files, ids } = useFiles(purpose);
  const [sources, setSources] = useState<readonly string[]>([]);
  const from = { uploads: ids ?? [], sources };
  const ready = (files.length === 0 || ids !== null) && (ids?.length ?? 0) + sources.length > 0;
  const [mode, setMode] = useState<Mode>("append");
  const [note, setNote] = useState("");
  const [reapplies, setReapplies] = useState(true);
  const [reading, setReading] = useState<Reading>({});
  const refused = useIsRefused("graph", from, reading, ready);
  const edited = useDataModel(from, reading, graph.id, ready);
  const body = {
    mode,
    ...from,
    note: note.trim(),
    ...reading,
    model: edited.sent,
    reapplies_edits: reapplies,
  };
  const send = useAct(() => changeGraph(graph.id, body), {
    changes: [keys.graphs],
    done: () => {
      useUploads.getState().forget(purpose);
      toast("The next version is being created. Questions go to the current one until it is ready.");
      onClose();
    },
  });
  return (
    <Form of={send} act="Create the next version" isDisabled={!ready || refused} onClose={onClose}>
      <OneOf label="What to do with the files" options={MODES} value={mode} onChange={setMode} />
      {mode === "replace" && (
        <label className="row">
          <input
            type="checkbox"
            checked={reapplies}
            onChange={(event) => setReapplies(event.target.checked)}
          />
          Apply the edits by hand to the new content again
        </label>
      )}
      <Files purpose={purpose} />
      <Sources sources={sources} onChange={setSources} />
      {ready && <Preview kind="graph" from={from} reading={reading} onChange={setReading} />}
      {ready && <DataModelForm {...edited} />}
      <TextField
        label="Note (what and why, for the list of versions)"
        id="version-note"
        maxLength={2000}
        value={note}
        onChange={setNote}
      />
      <p className="small muted">
        Checkpoints, runs, labels and reports keep the version that they used. You can go back at any time.
      </p>
    </Form>
  );
}

export function ChangeGraph({ graph, isOpen, onClose }: DialogProps & { graph: Graph }) {
  return (
    <Modal wide title={`Change ${graph.name}`} isOpen={isOpen} onClose={onClose}>
      <ChangeForm graph={graph} onClose={onClose} />
    </Modal>
  );
}
