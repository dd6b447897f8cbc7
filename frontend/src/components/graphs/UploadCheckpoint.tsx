// A checkpoint that was trained elsewhere, brought as a file.
import { useEffect, useRef, useState } from "react";
import { FileTrigger } from "react-aria-components";
import { useQueryClient } from "@tanstack/react-query";
import { refresh } from "@/api/cache";
import { keys, uploadCheckpoint } from "@/api/queries";
import type { Graph, Id, Job } from "@/api/types";
import { JobRow } from "@/components/shell/JobsTray";
import { Form } from "@/components/kit/Form";
import { Button, Modal } from "@/components/kit/controls";
import { Progress } from "@/components/kit/feedback";
import { useAct } from "@/components/kit/useAct";
import { bytes } from "@/view/format";
import { useJobStore } from "@/store/jobStore";
import { toast } from "@/store/toasts";

interface Props {
  graph: Graph;
  isOpen: boolean;
  onClose: () => void;
}

interface Taken {
  method: string;
  fingerprint: string;
  in_use: boolean;
}

/** The job that looks through the file: its progress and errors; it goes on when the dialog is closed. */
function UploadedFile({ job, onClose }: { job: Job; onClose: () => void }) {
  const client = useQueryClient();
  useEffect(() => {
    if (job.state !== "done") return;
    const { method, fingerprint, in_use } = job.result as Taken;
    const now = in_use ? "It answers from now on." : "Promote it to have it answer.";
    toast(`${method} ${fingerprint.slice(0, 10)} is kept. ${now}`);
    void refresh(client, keys.checkpoints, keys.graphs);
    onClose();
  }, [client, job, onClose]);
  return (
    <div className="stack">
      <ul>
        <JobRow job={job} workers={undefined} />
      </ul>
      <div className="foot">
        <Button onPress={onClose}>Close</Button>
      </div>
    </div>
  );
}

function UploadForm({ graph, onClose }: Pick<Props, "graph" | "onClose">) {
  const [file, setFile] = useState<File | null>(null);
  const [share, setShare] = useState(0);
  const [started, setStarted] = useState<Id | null>(null);
  const sending = useRef<AbortController | null>(null);
  const send = useAct(
    (chosen: File) => {
      sending.current = new AbortController();
      return uploadCheckpoint(graph.id, chosen, setShare, sending.current.signal);
    },
    { job: (job) => job, done: (job) => setStarted(job.id) },
  );
  const job = useJobStore(({ jobs }) => jobs.find(({ id }) => id === started));
  useEffect(() => () => sending.current?.abort(), []);
  if (job) return <UploadedFile job={job} onClose={onClose} />;
  return (
    <Form
      of={send}
      act={send.isPending ? "Sending…" : "Upload"}
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
      {send.isPending && <Progress label="Sending the file" share={share} />}
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
