// Stopping a run: from the press on, until it has ended or could not be stopped.
import { useState } from "react";
import { stopRun } from "@/api/queries";
import { troubleOf } from "@/components/kit/feedback";
import { toast } from "@/store/toasts";

/** Whether the run is being stopped, and how that is done. */
export function useStopping(run: string | undefined, over: boolean): [stopping: boolean, stop: () => void] {
  const [stopping, setStopping] = useState<string | null>(null);
  if (stopping && over) setStopping(null);
  const stop = () => {
    if (!run) return;
    setStopping(run);
    void stopRun(run).catch((error: unknown) => {
      setStopping(null);
      toast(`The run could not be stopped. ${troubleOf(error).message}`);
    });
  };
  return [stopping !== null && stopping === run, stop];
}
