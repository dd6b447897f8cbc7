// What the server does for a person: what it changes, the job it starts, what comes next, and what is said of a failure.
import { useMutation, useQueryClient, type QueryKey } from "@tanstack/react-query";
import { refresh } from "@/api/cache";
import type { Job } from "@/api/types";
import { useJobStore } from "@/store/jobStore";
import { toast } from "@/store/toasts";
import { troubleOf } from "./feedback";

interface Options<Said, Sent> {
  /** Keys of what it changes: that is asked for again. */
  changes?: readonly QueryKey[];
  /** The job it starts, for the tray. */
  job?: (said: Said) => Job;
  /** What comes when that is fresh. */
  done?: (said: Said, sent: Sent) => unknown;
  /** Said with the server's reason when it fails: what failed, or nothing more. Else the error is for the form to show. */
  failed?: string | true;
}

/** A mutation. */
export function useAct<Said, Sent = void>(
  act: (sent: Sent) => Promise<Said>,
  { changes = [], job, done, failed }: Options<Said, Sent> = {},
) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: act,
    onSuccess: async (said, sent) => {
      if (job) useJobStore.getState().put([job(said)]);
      await refresh(client, ...changes);
      await done?.(said, sent);
    },
    onError: (error) => {
      const { message, hint } = troubleOf(error);
      if (failed === true) toast(`${message} ${hint}`);
      else if (failed) toast(`${failed} ${message}`);
    },
  });
}
