// The events of one run, in order and without gaps, into the run store.
import type { RunEvent } from "@/api/events";
import { useRunStore, type Link } from "@/store/runStore";
import { isOver } from "@/view/runView";
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
      return state.crowded ? "crowded" : "reconnecting";
    case "connecting":
      return wasLive ? "reconnecting" : "connecting";
    case "closed":
      if (state.code === SIGNED_OUT) return "signed-out";
      return state.code === NO_SUCH_RUN || state.code === BAD_AFTER ? "missing" : "closed";
  }
}

interface Following extends Partial<SocketOptions> {
  base?: string;
}

interface FollowingOne extends Following {
  /** The run has ended as far as is known here, and was taken up since. */
  revived?: boolean;
  /** It was not asked just now: what there is of its log is read by a request, and a run that has ended needs no socket. */
  ahead?: boolean;
}

const last = (run: string) => useRunStore.getState().logs[run]?.applied.length ?? 0;
const over = (run: string) => isOver(useRunStore.getState().logs[run]?.view.phase ?? "queued");

/** A socket whose frames go into the store, and whose state is that of the link of each of `runs`. */
function connect(
  runs: readonly string[],
  url: () => string,
  { base = socketUrl(""), onState, ...options }: Following,
): ReconnectingSocket {
  const store = useRunStore.getState();
  let troubled = false;
  let crowded = false;
  return new ReconnectingSocket({
    ...options,
    url: () => `${base}/ws/runs${url()}&together=1`,
    // A proxy may close calmly too: a run has ended only when its last event says so.
    isFinal: (code) =>
      [SIGNED_OUT, NO_SUCH_RUN, BAD_AFTER].includes(code) || (code === ENDED && runs.every(over)),
    onState: (state) => {
      troubled = state.kind === "waiting" || (troubled && state.kind === "connecting");
      if (state.kind === "waiting") crowded = state.crowded;
      // A socket that is refused is accepted first, so that only its first frame says that there is room again.
      const kept = crowded && (state.kind === "connecting" || state.kind === "live");
      for (const run of runs) store.link(run, kept ? "crowded" : linkOf(state, troubled));
      onState?.(state);
    },
    onFrame: (frame) => {
      if (crowded) for (const run of runs) store.link(run, "live");
      crowded = false;
      const events = (Array.isArray(frame) ? frame : [frame]) as RunEvent[];
      const early = events.some((event) => store.event(event) === "early");
      return early ? "again" : "ok";
    },
  });
}

/** Follow `run` until the server says that it has ended. Returns what stops following. */
export function followRun(
  run: string,
  { revived = false, ahead = false, ...options }: FollowingOne = {},
): () => void {
  const store = useRunStore.getState();
  store.open(run);
  let socket: ReconnectingSocket | undefined;
  let left = false;
  const begin = () => {
    if (left) return;
    if (over(run) && !revived) store.link(run, "closed");
    else socket = connect([run], () => `/${encodeURIComponent(run)}?after=${last(run)}`, options);
  };
  if (ahead && last(run) === 0) void readAhead(run).then(begin);
  else begin();
  return () => {
    left = true;
    socket?.close();
  };
}

/** Follow several runs over one socket until all have ended. Returns what stops following. */
export function followRuns(runs: readonly string[], options: Following = {}): () => void {
  const store = useRunStore.getState();
  for (const run of runs) {
    store.open(run);
    if (over(run)) store.link(run, "closed");
  }
  const going = runs.filter((run) => !over(run));
  if (going.length < 2) return going[0] ? followRun(going[0], options) : () => undefined;
  let alone: (() => void)[] = [];
  const socket = connect(
    going,
    () => `?after=${going.map((run) => `${encodeURIComponent(run)}:${last(run)}`).join(",")}`,
    {
      ...options,
      onState: (state) => {
        // One that was deleted must not hide the others.
        if (state.kind === "closed" && state.code === NO_SUCH_RUN)
          alone = going.map((run) => followRun(run, options));
      },
    },
  );
  return () => {
    socket.close();
    for (const stop of alone) stop();
  };
}
