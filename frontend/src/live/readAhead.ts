// The log of a run as it is by now, by one request that the server had the browser send before the scripts came.
import { get } from "@/api/calls";
import { useRunStore } from "@/store/runStore";

const reading = new Map<string, Promise<void>>();

async function read(run: string): Promise<void> {
  const { event } = useRunStore.getState();
  try {
    for (const one of await get("runs/{id}/events", { id: run })) event(one);
  } catch {
    // What is wrong the socket says, which is tried next.
  }
}

/** Takes it into the store; asked again while it is on its way, it is not sent again. */
export function readAhead(run: string): Promise<void> {
  const now = reading.get(run) ?? read(run).finally(() => reading.delete(run));
  reading.set(run, now);
  return now;
}
