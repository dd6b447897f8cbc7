// A checkpoint that was trained elsewhere, brought as a file.
import { useState } from "react";
import { FileTrigger } from "react-aria-components";
import { keys, uploadCheckpoint } from "@/api/queries";
import type { Graph } from "@/api/types";
import { Form } from "@/components/kit/Form";
import { Button, Modal } from "@/components/kit/controls";
import { useAct } from "@/components/kit/useAct";
import { bytes } from "@/store/format";
import { toast } from "@/store/toasts";

interface Props {
  graph: Graph;
  isOpen: boolean;
  onClose: () => void;
}

function UploadForm({ graph, onClose }: Pick<Props, "graph" | "onClose">) {
  const [file, setFile] = useState<File | null>(null);
  const send = useAct((chosen: File) => uploadCheckpoint(graph.id, chosen), {
    changes: [keys.checkpoints, keys.graphs],
    done: ({ method, fingerprint, in_use }) => {
      const now = in_use ? "It answers from now on." : "Promote it to have it answer.";
      toast(`${method} ${fingerprint.slice(0, 10)} is kept. ${now}`);
      onClose();
    },
  });
  return (
    <Form
      of={send}
      act={send.isPending ? "Checking…" : "Upload"}
      isDisabled={!file}
      onClose={onClose}
      onSend={() => {
        if (file) send.mutate(file);
      }}
    >
      <p className="muted">
        A file that <em>Download</em> makes of a checkpoint: its settings, and its weights as safetensors,
        which hold numbers and nothing that could run. It must be of the text encoder that this server runs;
        one that was trained on another graph answers when it is promoted.
      </p>
      <div className="row">
        <FileTrigger acceptedFileTypes={[".zip"]} onSelect={(files) => setFile(files?.[0] ?? null)}>
          <Button icon="upload">Choose a file</Button>
        </FileTrigger>
        <span className="small muted elide">
          {file ? `${file.name}, ${bytes(file.size)}` : "No file chosen yet"}
        </span>
      </div>
    </Form>
  );
}

export function UploadCheckpoint({ graph, isOpen, onClose }: Props) {
  return (
    <Modal title="Upload a checkpoint" isOpen={isOpen} onClose={onClose}>
      <UploadForm graph={graph} onClose={onClose} />
    </Modal>
  );
}
