// The socket client against a real WebSocket server that misbehaves in the ways networks do.
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { WebSocket as NodeSocket, WebSocketServer, type WebSocket as ServerSocket } from "ws";
import { useRunStore } from "@/store/runStore";
import { EVENTS, RUN } from "@/test/switzerland";
import { readAhead } from "./readAhead";
import { followRun, followRuns } from "./runSocket";

let server: WebSocketServer;
let base: string;
let stop: (() => void) | undefined;
/** The ?after= of every connection, in order. */
let afters: string[];
let scripts: ((socket: ServerSocket, after: number, url: string) => void)[];

const send = (socket: ServerSocket, from: number, to: number) => {
  for (const event of EVENTS.slice(from, to)) socket.send(JSON.stringify(event));
  if (to === EVENTS.length) socket.close(1000);
};
const log = () => useRunStore.getState().logs[RUN];
const seqs = () => log()?.applied.map((event) => event.seq) ?? [];
const all = EVENTS.map((event) => event.seq);

beforeEach(async () => {
  // jsdom's own WebSocket dispatches Node's events into jsdom's targets and throws; this one is as real.
  vi.stubGlobal("WebSocket", NodeSocket);
  useRunStore.setState({ logs: {}, links: {} });
  afters = [];
  scripts = [];
  server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  await new Promise((done) => server.once("listening", done));
  base = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
  server.on("connection", (socket, request) => {
    const after = new URL(request.url ?? "", base).searchParams.get("after") ?? "";
    afters.push(after);
    scripts.shift()?.(socket, Number(after), request.url ?? "");
  });
});

afterEach(() => {
  stop?.();
  for (const client of server.clients) client.terminate();
  server.close();
  vi.unstubAllGlobals();
});

const follow = (how: { ahead?: boolean } = {}) => {
  stop = followRun(RUN, { base, backoff: { first: 10, longest: 40 }, ...how });
};

/** The log as a request gets it: its first `to` events; null is a server that does not answer. */
const kept = (to: number | null) => {
  const asked: string[] = [];
  vi.stubGlobal("fetch", (url: string) => {
    asked.push(url);
    if (to === null) return Promise.reject(new TypeError("Failed to fetch"));
    return Promise.resolve(new Response(JSON.stringify(EVENTS.slice(0, to))));
  });
  return asked;
};

it("takes the whole stream and closes after the terminal event", async () => {
  scripts = [(socket) => send(socket, 0, EVENTS.length)];
  follow();
  await vi.waitFor(() => expect(useRunStore.getState().links[RUN]).toBe("closed"));
  expect(seqs()).toEqual(all);
  expect(afters).toEqual(["0"]);
});

it("goes on where it was when the connection drops in mid-run", async () => {
  const links: (string | undefined)[] = [];
  const unwatch = useRunStore.subscribe((state) => links.push(state.links[RUN]));
  scripts = [
    (socket) => {
      send(socket, 0, 4);
      setTimeout(() => socket.terminate(), 20);
    },
    (socket, after) => send(socket, after, EVENTS.length),
  ];
  follow();
  await vi.waitFor(() => expect(seqs()).toEqual(all));
  unwatch();
  expect(afters).toEqual(["0", "4"]);
  expect(links).toContain("reconnecting");
});

it("says at once that the network is gone, and goes on where it was", async () => {
  const links: (string | undefined)[] = [];
  const unwatch = useRunStore.subscribe((state) => links.push(state.links[RUN]));
  scripts = [(socket) => send(socket, 0, 3), (socket, after) => send(socket, after, EVENTS.length)];
  follow();
  await vi.waitFor(() => expect(seqs()).toHaveLength(3));
  window.dispatchEvent(new Event("offline"));
  expect(links.at(-1)).toBe("reconnecting");
  await vi.waitFor(() => expect(useRunStore.getState().links[RUN]).toBe("closed"));
  unwatch();
  expect(seqs()).toEqual(all);
  expect(afters).toEqual(["0", "3"]);
});

it("takes events that come together in one frame, and asks anew where some are missing", async () => {
  const together = (socket: ServerSocket, from: number, to: number) =>
    socket.send(JSON.stringify(EVENTS.slice(from, to)));
  scripts = [
    (socket) => {
      together(socket, 0, 3);
      together(socket, 4, 6);
    },
    (socket, after) => {
      together(socket, after, EVENTS.length);
      socket.close(1000);
    },
  ];
  follow();
  await vi.waitFor(() => expect(useRunStore.getState().links[RUN]).toBe("closed"));
  expect(seqs()).toEqual(all);
  expect(afters).toEqual(["0", "3"]);
});

it("shows each event once when the server repeats some", async () => {
  scripts = [
    (socket) => {
      send(socket, 0, 5);
      send(socket, 2, EVENTS.length);
    },
  ];
  follow();
  await vi.waitFor(() => expect(seqs()).toEqual(all));
  expect(log()?.view.paths).toHaveLength(3);
});

it("asks again from the last applied event when one is missing", async () => {
  scripts = [
    (socket) => {
      send(socket, 0, 3);
      send(socket, 4, 5);
    },
    (socket, after) => send(socket, after, EVENTS.length),
  ];
  follow();
  await vi.waitFor(() => expect(seqs()).toEqual(all));
  expect(afters).toEqual(["0", "3"]);
  expect(log()?.pending.size).toBe(0);
});

it("stays on for a run that is taken up after its end, and follows it again when it learns of that late", async () => {
  const end = EVENTS.at(-1);
  const more = [
    { run: RUN, at: end?.at, type: "agent.rewound", to_step: 0, by: "person" },
    { ...end },
    { run: RUN, at: end?.at, type: "agent.rewound", to_step: 0, by: "person" },
    { ...end },
  ].map((event, index) => ({ ...event, seq: EVENTS.length + 1 + index }));
  const say = (socket: ServerSocket, from: number, to: number) => {
    for (const event of more.slice(from, to)) socket.send(JSON.stringify(event));
    socket.close(1000);
  };
  scripts = [
    (socket) => {
      for (const event of EVENTS) socket.send(JSON.stringify(event));
      say(socket, 0, 2);
    },
    (socket) => say(socket, 2, 4),
  ];
  follow();
  await vi.waitFor(() => expect(useRunStore.getState().links[RUN]).toBe("closed"));
  expect(log()?.view.phase).toBe("done");
  expect(seqs()).toHaveLength(EVENTS.length + 2);
  stop = followRun(RUN, { base, revived: true });
  await vi.waitFor(() => expect(seqs()).toHaveLength(EVENTS.length + 4));
  await vi.waitFor(() => expect(useRunStore.getState().links[RUN]).toBe("closed"));
  expect(afters).toEqual(["0", String(EVENTS.length + 2)]);
});

it("comes back when a proxy closes calmly in mid-run", async () => {
  scripts = [
    (socket) => {
      send(socket, 0, 4);
      socket.close(1000);
    },
    (socket, after) => send(socket, after, EVENTS.length),
  ];
  follow();
  await vi.waitFor(() => expect(seqs()).toEqual(all));
  expect(afters).toEqual(["0", "4"]);
});

it("says when the run does not exist, and does not try again", async () => {
  scripts = [(socket) => socket.close(4404)];
  follow();
  await vi.waitFor(() => expect(useRunStore.getState().links[RUN]).toBe("missing"));
  await new Promise((done) => setTimeout(done, 80));
  expect(afters).toEqual(["0"]);
});

it("keeps trying while the server is away", async () => {
  const drop = (socket: ServerSocket) => socket.terminate();
  scripts = [drop, drop, drop, (socket) => send(socket, 0, EVENTS.length)];
  follow();
  await vi.waitFor(() => expect(seqs()).toEqual(all));
  expect(afters).toEqual(["0", "0", "0", "0"]);
});

it("says that too many sockets are open, and goes on once there is room", async () => {
  const links: string[] = [];
  const unsubscribe = useRunStore.subscribe((state) => {
    const link = state.links[RUN];
    if (link) links.push(link);
  });
  const refuse = (socket: ServerSocket) => socket.close(4429);
  scripts = [refuse, refuse, (socket) => send(socket, 0, 3)];
  follow();
  await vi.waitFor(() => expect(seqs()).toHaveLength(3));
  unsubscribe();
  expect(links.filter((link, place) => link !== links[place - 1])).toEqual([
    "connecting",
    "live",
    "crowded",
    "live",
  ]);
});

it("does not connect for a run that is already known to be over", () => {
  for (const event of EVENTS) useRunStore.getState().event(event);
  follow();
  expect(useRunStore.getState().links[RUN]).toBe("closed");
  expect(afters).toEqual([]);
});

it("reads the log of a run that has ended by one request, and opens no socket", async () => {
  const asked = kept(EVENTS.length);
  void readAhead(RUN);
  follow({ ahead: true });
  await vi.waitFor(() => expect(useRunStore.getState().links[RUN]).toBe("closed"));
  expect(seqs()).toEqual(all);
  expect(asked).toEqual([`/api/v1/runs/${RUN}/events`]);
  expect(afters).toEqual([]);
});

it("goes on by the socket where the log that was read stops", async () => {
  kept(4);
  scripts = [(socket, after) => send(socket, after, EVENTS.length)];
  follow({ ahead: true });
  await vi.waitFor(() => expect(useRunStore.getState().links[RUN]).toBe("closed"));
  expect(seqs()).toEqual(all);
  expect(afters).toEqual(["4"]);
});

it("follows by the socket from the start when the log cannot be read", async () => {
  kept(null);
  scripts = [(socket, after) => send(socket, after, EVENTS.length)];
  follow({ ahead: true });
  await vi.waitFor(() => expect(useRunStore.getState().links[RUN]).toBe("closed"));
  expect(afters).toEqual(["0"]);
});

it("does not connect for somebody who left while the log was read", async () => {
  kept(4);
  follow({ ahead: true });
  stop?.();
  await new Promise((done) => setTimeout(done, 60));
  expect(afters).toEqual([]);
});

describe("several runs", () => {
  const OTHER = "00000000-0000-0000-0000-0000000000b2";
  const others = EVENTS.map((event) => ({ ...event, run: OTHER }));
  const seqsOf = (run: string) => useRunStore.getState().logs[run]?.applied.map((event) => event.seq);
  const links = () => [RUN, OTHER].map((run) => useRunStore.getState().links[run]);
  const followBoth = () => {
    stop = followRuns([RUN, OTHER], { base, backoff: { first: 10, longest: 40 } });
  };

  it("come over one socket, which goes on where each was", async () => {
    scripts = [
      (socket) => {
        socket.send(JSON.stringify([...EVENTS.slice(0, 3), ...others.slice(0, 2)]));
        socket.send(JSON.stringify(EVENTS.slice(3)));
        setTimeout(() => socket.close(1000), 20);
      },
      (socket) => {
        socket.send(JSON.stringify(others.slice(2)));
        socket.close(1000);
      },
    ];
    followBoth();
    await vi.waitFor(() => expect(links()).toEqual(["closed", "closed"]));
    expect([seqsOf(RUN), seqsOf(OTHER)]).toEqual([all, all]);
    expect(afters).toEqual([`${RUN}:0,${OTHER}:0`, `${RUN}:${EVENTS.length},${OTHER}:2`]);
  });

  it("need a socket of one run alone where the other has ended", async () => {
    for (const event of EVENTS) useRunStore.getState().event(event);
    scripts = [
      (socket) => {
        socket.send(JSON.stringify(others));
        socket.close(1000);
      },
    ];
    followBoth();
    await vi.waitFor(() => expect(links()).toEqual(["closed", "closed"]));
    expect(seqsOf(OTHER)).toEqual(all);
    expect(afters).toEqual(["0"]);
  });

  it("are followed each by its own where one is not there any more", async () => {
    const without = (socket: ServerSocket, _: number, url: string) => {
      const found = url.startsWith(`/ws/runs/${RUN}?`);
      if (found) socket.send(JSON.stringify(EVENTS));
      socket.close(found ? 1000 : 4404);
    };
    scripts = [without, without, without];
    followBoth();
    await vi.waitFor(() => expect(links()).toEqual(["closed", "missing"]));
    expect(seqsOf(RUN)).toEqual(all);
    expect(afters).toEqual([`${RUN}:0,${OTHER}:0`, "0", "0"]);
  });
});
