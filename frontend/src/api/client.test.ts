import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ApiError, apiUrl, request, setCsrf } from "./client";

let server: Server;
let seen: { method: string; url: string; token: string }[];
let answers: { status: number; body: string }[];
const realFetch = globalThis.fetch;

beforeEach(async () => {
  seen = [];
  answers = [];
  server = createServer((req, res) => {
    seen.push({
      method: req.method ?? "",
      url: req.url ?? "",
      token: String(req.headers["x-csrftoken"] ?? ""),
    });
    const answer = answers.shift() ?? { status: 200, body: "{}" };
    res.writeHead(answer.status).end(answer.body);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  // The client uses paths; only the host is added here, the requests are real.
  vi.stubGlobal("fetch", (path: string, init: RequestInit) =>
    realFetch(`http://127.0.0.1:${port}${path}`, init),
  );
});

afterEach(() => {
  vi.unstubAllGlobals();
  server.close();
});

it("leaves empty parameters out of the address", () => {
  expect(apiUrl("runs", { q: "", page: 2, graph: undefined })).toBe("/api/v1/runs?page=2");
});

it("carries code, message and hint of the server's error", async () => {
  answers = [
    { status: 404, body: '{"error":{"code":"no_graph","message":"No such graph.","hint":"Pick one."}}' },
  ];
  const error = await request("GET", "graphs/9").catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({
    status: 404,
    code: "no_graph",
    message: "No such graph.",
    hint: "Pick one.",
  });
});

it("says something useful when the body is not JSON", async () => {
  answers = [{ status: 502, body: "<html>Bad gateway</html>" }];
  await expect(request("GET", "graphs")).rejects.toMatchObject({
    code: "http_502",
    message: "The server could not finish this request.",
  });
});

it("fetches a new CSRF token once and repeats the call", async () => {
  setCsrf("old");
  answers = [
    { status: 403, body: '{"error":{"code":"csrf_failed","message":"CSRF"}}' },
    { status: 200, body: '{"user":null,"csrf":"new"}' },
    { status: 201, body: '{"id":1}' },
  ];
  expect(await request("POST", "runs", { body: { question: "q" } })).toEqual({ id: 1 });
  expect(seen.map((call) => [call.method, call.url, call.token])).toEqual([
    ["POST", "/api/v1/runs", "old"],
    ["GET", "/api/v1/session", ""],
    ["POST", "/api/v1/runs", "new"],
  ]);
});

it("calls a dead server offline", async () => {
  await new Promise((done) => server.close(done));
  await expect(request("GET", "graphs")).rejects.toMatchObject({ status: 0, code: "offline" });
});
