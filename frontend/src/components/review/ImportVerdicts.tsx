// Verdicts from a file: what went in, what did not and why, and the way back.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { FileTrigger } from "react-aria-components";
import { sessionQuery } from "@/api/queries";
import { reviewKeys, type Queue } from "@/api/review";
import { importVerdicts, undoImport, type Imported } from "@/api/reviewDeciding";
import { Button, Modal, type DialogProps } from "@/components/kit/controls";
import { ErrorNotice, Notice } from "@/components/kit/feedback";
import { TextField } from "@/components/kit/TextField";
import { useAct } from "@/components/kit/useAct";
import { Form } from "@/components/kit/Form";
import { bytes, count, integer } from "@/view/format";

function Result({ queue, found, onClose }: { queue: Queue; found: Imported; onClose: () => void }) {
  const back = useAct(() => undoImport(queue.id, found.undo), { changes: [reviewKeys.queues] });
  return (
    <>
      <Notice
        tone={found.problems_total ? "warn" : "info"}
        title={`${count(found.verdicts, "verdict")} from ${count(found.read, "line")} went in.`}
      >
        {[
          found.added_paths > 0 && `Added ${count(found.added_paths, "path")} that the queue did not have.`,
          found.read === 0 && "The file is empty.",
          found.read > 0 &&
            found.verdicts === 0 &&
            found.problems_total === 0 &&
            "All of it was there already.",
          found.problems_total > 0 && `${count(found.problems_total, "line")} could not be used.`,
        ]
          .filter(Boolean)
          .join(" ")}
      </Notice>
      {found.problems.length > 0 && (
        <div className="scroll-x import-problems">
          <table className="table dense">
            <thead>
              <tr>
                <th className="num">Line</th>
                <th>What is wrong</th>
                <th className="hide-narrow">Text</th>
              </tr>
            </thead>
            <tbody>
              {found.problems.map((one, at) => (
                <tr key={at}>
                  <td className="num">{integer(one.line)}</td>
                  <td>{one.message}</td>
                  <td className="mono small elide hide-narrow" title={one.text}>
                    {one.text}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          {found.problems_total > found.problems.length && (
            <p className="small muted">
              the first {integer(found.problems.length)} of {integer(found.problems_total)}
            </p>
          )}
        </div>
      )}
      {back.data && <p role="status">Taken back: {count(back.data.undone, "question")} as before.</p>}
      {back.error && <ErrorNotice error={back.error} />}
      <div className="foot">
        {found.verdicts > 0 && !back.data && (
          <Button isDisabled={back.isPending} onPress={() => back.mutate()}>
            Take it back
          </Button>
        )}
        <Button look="primary" onPress={onClose}>
          Done
        </Button>
      </div>
    </>
  );
}

function ImportForm({ queue, onClose }: { queue: Queue; onClose: () => void }) {
  const { data: session } = useQuery(sessionQuery);
  const admin = session?.user?.role === "admin";
  const [file, setFile] = useState<File | null>(null);
  const [name, setName] = useState("");
  const send = useAct((chosen: File) => importVerdicts(queue.id, chosen, name.trim()), {
    changes: [reviewKeys.queues],
  });
  if (send.data) return <Result queue={queue} found={send.data} onClose={onClose} />;
  return (
    <Form
      of={send}
      act={send.isPending ? "Reading…" : "Import"}
      isDisabled={!file}
      onClose={onClose}
      onSend={() => {
        if (file) send.mutate(file);
      }}
    >
      <p className="muted">
        A label file (JSONL), or what a queue exported (JSONL or CSV). Verdicts are matched by question, topic
        and path; what cannot be matched is named by line, and the rest goes in.
      </p>
      <div className="row">
        <FileTrigger
          acceptedFileTypes={[".jsonl", ".csv", ".json", ".txt"]}
          onSelect={(files) => setFile(files?.[0] ?? null)}
        >
          <Button icon="upload">Choose a file</Button>
        </FileTrigger>
        <span className="small muted elide">
          {file ? `${file.name}, ${bytes(file.size)}` : "No file chosen yet"}
        </span>
      </div>
      {admin && (
        <TextField
          label="Whose verdicts they are, optional"
          id="import-as"
          autoComplete="off"
          maxLength={150}
          value={name}
          onChange={setName}
          hint="Left empty: the names in the file, else yours."
        />
      )}
    </Form>
  );
}

export function ImportVerdicts({ queue, isOpen, onClose }: DialogProps & { queue: Queue }) {
  return (
    <Modal title={`Import verdicts into ${queue.name}`} wide isOpen={isOpen} onClose={onClose}>
      <ImportForm queue={queue} onClose={onClose} />
    </Modal>
  );
}
