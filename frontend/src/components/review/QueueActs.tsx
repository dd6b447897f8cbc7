// What can be done with a queue as a whole: bring verdicts in, take its labels out.
import { useState } from "react";
import { downloadDataset } from "@/api/datasets";
import { downloadQueue, type Queue, type QueueFormat } from "@/api/review";
import { ActMenu, Button } from "@/components/kit/controls";
import { troubleOf } from "@/components/kit/feedback";
import { download, fileName, saveFile } from "@/components/kit/files";
import { toast } from "@/store/toasts";
import { ImportVerdicts } from "./ImportVerdicts";

export async function saveQueue(queue: Queue, format: QueueFormat): Promise<void> {
  const name =
    format === "questions" ? fileName(`${queue.name} questions`, "jsonl") : fileName(queue.name, format);
  try {
    download(name, await downloadQueue(queue.id, format));
  } catch (error) {
    const { message, hint } = troubleOf(error);
    toast(`${message} ${hint}`);
  }
}

export function QueueActs({ queue }: { queue: Queue }) {
  const [importing, setImporting] = useState(false);
  return (
    <>
      <ActMenu
        label="This queue"
        trigger={<Button look="plain" size="small" icon="more" aria-label="Import and export" />}
        acts={[
          {
            id: "import",
            label: "Import verdicts…",
            icon: "upload",
            onAction: () => setImporting(true),
          },
          {
            id: "jsonl",
            label: "Labels (JSONL)",
            icon: "download",
            onAction: () => void saveQueue(queue, "jsonl"),
          },
          {
            id: "csv",
            label: "Every verdict (CSV)",
            icon: "download",
            onAction: () => void saveQueue(queue, "csv"),
          },
          {
            id: "questions",
            label: "Questions with their answers (JSONL)",
            icon: "download",
            onAction: () => void saveQueue(queue, "questions"),
          },
          {
            id: "dataset",
            label: "Dataset (Hugging Face, Croissant)",
            icon: "download",
            onAction: () =>
              void saveFile(
                fileName(queue.name, "zip"),
                downloadDataset("review/queues", queue.id),
                "The dataset",
              ),
          },
        ]}
      />
      <ImportVerdicts queue={queue} isOpen={importing} onClose={() => setImporting(false)} />
    </>
  );
}
