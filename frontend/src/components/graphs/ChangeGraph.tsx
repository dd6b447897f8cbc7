// The next version of a graph: facts added or taken out by file, or new content.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { changeGraph, type Mode } from "@/api/datasets";
import { keys } from "@/api/queries";
import type { Graph, Reading } from "@/api/types";
import { OneOf } from "@/components/kit/Choices";
import { Button, Modal } from "@/components/kit/controls";
import { ErrorNotice } from "@/components/kit/feedback";
import { Files, useFiles } from "@/components/uploads/Files";
import { Sources } from "@/components/uploads/Sources";
import { Preview } from "@/components/uploads/Preview";
import { TextField } from "@/components/kit/TextField";
import { toast } from "@/store/toasts";
import { useUploads } from "@/store/uploads";

const MODES: readonly { id: Mode; label: string; detail: string }[] = [
  { id: "append", label: "Add", detail: "What the files hold is added to the version in use" },
  { id: "replace", label: "Replace", detail: "The files are the whole graph from now on" },
  { id: "remove", label: "Take out", detail: "The facts in the files are taken out of the version in use" },
];

function ChangeForm({ graph, onClose }: { graph: Graph; onClose: () => void }) {
  const client = useQueryClient();
  const purpose = `version of ${graph.id}`;
  const { files, ids } = useFiles(purpose);
  const [sources, setSources] = useState<readonly string[]>([]);
  const from = { uploads: ids ?? [], sources };
  const ready = (files.length === 0 || ids !== null) && (ids?.length ?? 0) + sources.length > 0;
  const [mode, setMode] = useState<Mode>("append");
  const [note, setNote] = useState("");
  const [reading, setReading] = useState<Reading>({});
  const send = useMutation({
    mutationFn: () => changeGraph(graph.id, { mode, ...from, note: note.trim(), ...reading }),
    onSuccess: async () => {
      useUploads.getState().forget(purpose);
      toast("The next version is being made. The one in use is asked until it stands.");
      await client.invalidateQueries({ queryKey: keys.graphs });
      onClose();
    },
  });
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        send.mutate();
      }}
    >
      <OneOf label="What to do with the files" options={MODES} value={mode} onChange={setMode} />
      <Files purpose={purpose} />
      <Sources sources={sources} onChange={setSources} />
      {ready && <Preview kind="graph" from={from} reading={reading} onChange={setReading} />}
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
      {send.error && <ErrorNotice error={send.error} />}
      <div className="foot">
        <Button onPress={onClose}>Cancel</Button>
        <Button type="submit" look="primary" isDisabled={!ready || send.isPending}>
          Make the next version
        </Button>
      </div>
    </form>
  );
}

export function ChangeGraph({
  graph,
  isOpen,
  onClose,
}: {
  graph: Graph;
  isOpen: boolean;
  onClose: () => void;
}) {
  return (
    <Modal wide title={`Change ${graph.name}`} isOpen={isOpen} onClose={onClose}>
      <ChangeForm graph={graph} onClose={onClose} />
    </Modal>
  );
}
