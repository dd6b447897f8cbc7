// The news of jobs against a real WebSocket server: what comes late, and what nobody said while the socket was down.
import { QueryClientProvider, useQuery } from "@tanstack/react-query";
import { render } from "@testing-library/react";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { WebSocket as NodeSocket, WebSocketServer, type WebSocket as ServerSocket } from "ws";
import { makeCache } from "@/api/cache";
import { keys } from "@/api/queries";
import type { Job } from "@/api/types";
import { useJobStore } from "@/store/jobStore";
import { useJobNews } from "./hooks";

const job = { id: 1, title: "Import Lakes", graph: 2, created_at: "2026-01-05T12:00:00Z" };
const at = (state: Job["state"], revision: number) => ({ ...job, state, revision }) as Job;

let server: WebSocketServer;
let sockets: ServerSocket[];
/** Answers to the requests for jobs, each given when the test wants it. */
let lists: ((jobs: readonly Job[]) => void)[];
let graphs: number;

const tell = (news: Job) => sockets.at(-1)?.send(JSON.stringify({ type: "job", job: news }));
const known = () => useJobStore.getState().jobs.map((one) => one.state);

function Page() {
  useJobNews(true);
  useQuery({ queryKey: keys.graphs, queryFn: () => ++graphs });
  return null;
}

beforeEach(async () => {
  useJobStore.setState({ jobs: [] });
  sockets = [];
  lists = [];
  graphs = 0;
  server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  await new Promise((done) => server.once("listening", done));
  server.on("connection", (socket) => sockets.push(socket));
  const { port } = server.address() as AddressInfo;
  // jsdom's own WebSocket dispatches Node's events into jsdom's targets and throws; this one is as real.
  vi.stubGlobal(
    "WebSocket",
    class extends NodeSocket {
      constructor() {
        super(`ws://127.0.0.1:${port}`);
      }
    },
  );
  vi.stubGlobal("fetch", () => {
    return new Promise((resolve) =>
      lists.push((jobs) => {
        resolve(
          new Response(JSON.stringify({ count: jobs.length, next: null, previous: null, results: jobs })),
        );
      }),
    );
  });
  render(
    <QueryClientProvider client={makeCache()}>
      <Page />
    </QueryClientProvider>,
  );
  await vi.waitFor(() => expect(lists).toHaveLength(1));
});

afterEach(() => {
  for (const client of server.clients) client.terminate();
  server.close();
  vi.unstubAllGlobals();
});

it("keeps what the socket said when the list that was asked for before comes after it", async () => {
  tell(at("failed", 3));
  await vi.waitFor(() => expect(known()).toEqual(["failed"]));
  lists[0]?.([at("running", 2)]);
  tell(at("queued", 0)); // and what another process announces late
  tell({ ...at("done", 4), id: 9 });
  await vi.waitFor(() => expect(known()).toHaveLength(2));
  expect(known()).toEqual(["failed", "done"]);
});

it("asks again for what jobs change when it comes back", async () => {
  await vi.waitFor(() => expect(graphs).toBe(1));
  lists[0]?.([at("running", 2)]);
  await vi.waitFor(() => expect(known()).toEqual(["running"]));
  expect(graphs).toBe(1);
  sockets[0]?.terminate();
  await vi.waitFor(() => expect(lists).toHaveLength(2), 3000);
  await vi.waitFor(() => expect(graphs).toBe(2));
  lists[1]?.([at("failed", 3)]);
  await vi.waitFor(() => expect(known()).toEqual(["failed"]));
});
