// The events of one run, in order and without gaps, into the run store.
import { readEvent } from "@/api/readEvent";
import { useRunStore, type Link } from "@/store/runStore";
import { isOver } from "@/store/runView";
import { ReconnectingSocket, socketUrl, type SocketOptions, type SocketState } from "./socket";

export const SIGNED_OUT = 4401;
export const NO_SUCH_RUN = 4404;
const BAD_AFTER = 4400;

function linkOf(state: SocketState, wasLive: boolean): Link {
  switch (state.kind) {
    case "live":
      return "live";
    case "waiting":
      return "reconnecting";
    case "connecting":
      return wasLive ? "reconnecting" : "connecting";
    case "closed":
      if (state.code === SIGNED_OUT) return "signed-out";
      return state.code === NO_SUCH_RUN || state.code === BAD_AFTER ? "missing" : "closed";
  }
}

/** Follow `run` until its terminal event. Returns what stops following. */
export function followRun(
  run: string,
  { base = socketUrl(""), ...options }: Partial<SocketOptions> & { base?: string } = {},
): () => void {
  const store = useRunStore.getState();
  store.open(run);
  const log = () => useRunStore.getState().logs[run];
  const last = () => log()?.applied.length ?? 0;
  if (isOver(log()?.view.phase ?? "queued")) {
    store.link(run, "closed");
    return () => undefined;
  }
  let troubled = false;
  const socket = new ReconnectingSocket({
    ...options,
    url: () => `${base}/ws/runs/${encodeURIComponent(run)}?after=${last()}`,
    final: [SIGNED_OUT, NO_SUCH_RUN, BAD_AFTER],
    onState: (state) => {
      troubled = state.kind === "waiting" || (troubled && state.kind === "connecting");
      store.link(run, linkOf(state, troubled));
    },
    onFrame: (frame) => {
      const taken = store.event(readEvent(frame));
      if (taken === "early") return "again";
      return isOver(log()?.view.phase ?? "queued") ? "done" : "ok";
    },
  });
  return () => {
    socket.close();
  };
}
