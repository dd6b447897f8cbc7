// What can be done with a queue as a whole: train from it, take its labels out.
import { useState } from "react";
import { downloadQueue, type Queue } from "@/api/review";
import { ActMenu, Button } from "@/components/kit/controls";
import { troubleOf } from "@/components/kit/says";
import { download, fileName } from "@/store/files";
import { toast } from "@/store/toasts";
import { ImportVerdicts } from "./ImportVerdicts";
import { QueueTraining, TrainFromQueue } from "./TrainFromQueue";

export async function saveQueue(queue: Queue, format: "jsonl" | "csv"): Promise<void> {
  try {
    download(fileName(queue.name, format), await downloadQueue(queue.id, format));
  } catch (error) {
    const { message, hint } = troubleOf(error);
    toast(`${message} ${hint}`);
  }
}

export function QueueActs({ queue }: { queue: Queue }) {
  const [open, setOpen] = useState<"train" | "import" | null>(null);
  const close = () => {
    setOpen(null);
  };
  return (
    <>
      <QueueTraining queue={queue} />
      <Button
        size="small"
        onPress={() => {
          setOpen("train");
        }}
      >
        Train from this queue
      </Button>
      <ActMenu
        label="This queue"
        trigger={<Button look="plain" size="small" icon="more" aria-label="Export and more" />}
        acts={[
          {
            id: "import",
            label: "Import verdicts…",
            icon: "upload",
            onAction: () => {
              setOpen("import");
            },
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
        ]}
      />
      <TrainFromQueue queue={queue} isOpen={open === "train"} onClose={close} />
      <ImportVerdicts queue={queue} isOpen={open === "import"} onClose={close} />
    </>
  );
}
