// The events of one run, in order and without gaps, into the run store.
import { readEvent } from "@/api/readEvent";
import { useRunStore, type Link } from "@/store/runStore";
import { isOver } from "@/store/runView";
import { readAhead } from "./readAhead";
import { ReconnectingSocket, socketUrl, type SocketOptions, type SocketState } from "./socket";

export const SIGNED_OUT = 4401;
export const NO_SUCH_RUN = 4404;
const BAD_AFTER = 4400;
const ENDED = 1000;

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

interface Following extends Partial<SocketOptions> {
  base?: string;
  /** The run has ended as far as is known here, and was taken up since. */
  revived?: boolean;
  /** It was not asked just now: what there is of its log is read by a request, and a run that has ended needs no socket. */
  ahead?: boolean;
}

/** Follow `run` until the server says that it has ended. Returns what stops following. */
export function followRun(
  run: string,
  { base = socketUrl(""), revived = false, ahead = false, ...options }: Following = {},
): () => void {
  const store = useRunStore.getState();
  store.open(run);
  const log = () => useRunStore.getState().logs[run];
  const last = () => log()?.applied.length ?? 0;
  const over = () => isOver(log()?.view.phase ?? "queued");
  let socket: ReconnectingSocket | undefined;
  let left = false;
  const connect = () => {
    if (left) return;
    if (over() && !revived) {
      store.link(run, "closed");
      return;
    }
    let troubled = false;
    socket = new ReconnectingSocket({
      ...options,
      url: () => `${base}/ws/runs/${encodeURIComponent(run)}?after=${last()}&together=1`,
      // A proxy may close calmly too: the run has ended only when its last event says so.
      isFinal: (code) => [SIGNED_OUT, NO_SUCH_RUN, BAD_AFTER].includes(code) || (code === ENDED && over()),
      onState: (state) => {
        troubled = state.kind === "waiting" || (troubled && state.kind === "connecting");
        store.link(run, linkOf(state, troubled));
      },
      onFrame: (frame) => {
        const events: unknown[] = Array.isArray(frame) ? frame : [frame];
        const early = events.some((event) => store.event(readEvent(event)) === "early");
        return early ? "again" : "ok";
      },
    });
  };
  if (ahead && last() === 0) void readAhead(run).then(connect);
  else connect();
  return () => {
    left = true;
    socket?.close();
  };
}
