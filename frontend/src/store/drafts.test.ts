import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { DraftContent } from "@/api/review";
import { candidateOf, itemOf } from "@/test/review";
import { Drafts } from "./drafts";
import type { Opinion } from "@/view/review";

const item = itemOf(5, { candidates: [candidateOf(11)] });
const KEY = "clew-draft:ann:judgement:5";
const content = (comment: string): DraftContent => ({ verdicts: [], broken: false, reasons: [], comment });
const opinion = (comment: string): Opinion => ({ words: new Map(), broken: false, reasons: [], comment });
const server = (comment: string, revision = "r1", saved_at = "2026-01-01T00:00:00Z") =>
  itemOf(5, { draft: { revision, saved_at, content: content(comment) } });

let sent: { revision: string; base: string | null; content: DraftContent }[];
let answers: (Response | null)[];
let clashes: string[];
let others: (string | null)[];
const stops: (() => void)[] = [];

function open(): Drafts {
  const drafts = new Drafts("ann", "judgement", {
    onOther: (_, other) => others.push(other?.comment ?? null),
    onClash: (_, other) => clashes.push(other.comment),
  });
  stops.push(drafts.start());
  return drafts;
}

beforeEach(() => {
  vi.useFakeTimers();
  localStorage.clear();
  [sent, answers, clashes, others] = [[], [], [], []];
  vi.stubGlobal("fetch", (_: string, { body }: { body: string }) => {
    sent.push(JSON.parse(body) as never);
    const answer = answers.shift();
    return answer === null
      ? Promise.reject(new TypeError("away"))
      : Promise.resolve(answer ?? new Response(null, { status: 204 }));
  });
});

afterEach(() => {
  for (const stop of stops.splice(0)) stop();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it("keeps what is typed in this browser at once, and with the account once it stands still", async () => {
  const drafts = open();
  expect(drafts.open(item)).toBeNull();
  drafts.write(5, opinion("h"));
  drafts.write(5, opinion("half"));
  expect(open().open(item)?.comment).toBe("half");
  await vi.advanceTimersByTimeAsync(700);
  expect(sent.map((one) => [one.base, one.content.comment])).toEqual([[null, "half"]]);
  drafts.write(5, opinion("more"));
  await vi.advanceTimersByTimeAsync(700);
  expect(sent).toHaveLength(2);
  expect(sent[1]?.base).toEqual(expect.any(String));
});

it("sends what is not saved when the page is left", () => {
  const drafts = open();
  drafts.write(5, opinion("half"));
  window.dispatchEvent(new Event("pagehide"));
  expect(sent).toHaveLength(1);
});

it("keeps it while the server is away, or says that the graph is gone, and sends it again", async () => {
  answers = [null, new Response("{}", { status: 404 })];
  open().write(5, opinion("half"));
  await vi.advanceTimersByTimeAsync(700);
  expect(open().open(item)?.comment).toBe("half");
  await vi.advanceTimersByTimeAsync(11_000);
  expect(sent.length).toBeGreaterThan(2);
  expect(JSON.parse(localStorage.getItem(KEY) ?? "")).toMatchObject({ saved: true });
});

it("takes the newer of the account's draft and this browser's, and offers the other", () => {
  const kept = { content: content("here"), base: "r0", saved: false };
  localStorage.setItem(KEY, JSON.stringify({ ...kept, at: Date.parse("2026-01-02") }));
  expect(open().open(server("there"))?.comment).toBe("here");
  localStorage.setItem(KEY, JSON.stringify({ ...kept, at: Date.parse("2025-12-31") }));
  expect(open().open(server("there"))?.comment).toBe("there");
  expect(clashes).toEqual(["there", "here"]);
});

it("keeps what was saved while an item was on its way without it", async () => {
  open().write(5, opinion("newer"));
  await vi.advanceTimersByTimeAsync(700);
  for (const readBefore of [item, server("older")]) expect(open().open(readBefore)?.comment).toBe("newer");
  await vi.advanceTimersByTimeAsync(31_000);
  expect(open().open(server("from another device", "r2"))?.comment).toBe("from another device");
  expect(open().open(item)).toBeNull();
});

it("does not overwrite what another device saved without saying so", async () => {
  const drafts = open();
  drafts.open(server("there", "r1"));
  const draft = { revision: "r2", saved_at: "2026-01-01T00:00:00Z", content: content("elsewhere") };
  const error = { code: "draft_changed", message: "It was changed.", hint: "" };
  answers = [new Response(JSON.stringify({ error, draft }), { status: 409 })];
  drafts.write(5, opinion("here"));
  await vi.advanceTimersByTimeAsync(1500);
  expect(clashes).toEqual(["elsewhere"]);
  expect(sent.map((one) => one.base)).toEqual(["r1", "r2"]);
});

it("knows its own older version where the answer was lost, however late the server took it", async () => {
  const drafts = open();
  answers = [null];
  drafts.write(5, opinion("older"));
  await vi.advanceTimersByTimeAsync(700);
  drafts.write(5, opinion("newer"));
  const draft = {
    revision: sent[0]?.revision ?? "",
    saved_at: "2099-01-01T00:00:00Z",
    content: content("older"),
  };
  expect(open().open(itemOf(5, { draft }))?.comment).toBe("newer");
  const error = { code: "draft_changed", message: "It was changed.", hint: "" };
  answers = [new Response(JSON.stringify({ error, draft }), { status: 409 })];
  await vi.advanceTimersByTimeAsync(1500);
  expect([sent.at(-1)?.content.comment, clashes]).toEqual(["newer", []]);
});

it("shows what another tab typed, and forgets it when that tab submits", () => {
  const drafts = open();
  drafts.write(5, opinion("here"));
  const heard = (newValue: string | null) =>
    window.dispatchEvent(new StorageEvent("storage", { key: KEY, newValue }));
  heard(JSON.stringify({ content: content("there"), at: Date.now(), base: null, saved: false }));
  heard(null);
  expect(others).toEqual(["there", null]);
});

it("does not give up what was typed here for what another tab stored before it knew of it", async () => {
  const drafts = open();
  drafts.write(5, opinion("he"));
  const newValue = localStorage.getItem(KEY);
  await vi.advanceTimersByTimeAsync(10);
  drafts.write(5, opinion("here"));
  localStorage.setItem(KEY, newValue ?? "");
  window.dispatchEvent(new StorageEvent("storage", { key: KEY, newValue }));
  expect([others, open().open(item)?.comment]).toEqual([[], "here"]);
  await vi.advanceTimersByTimeAsync(700);
  expect(sent.map((one) => one.content.comment)).toEqual(["here"]);
});

it("drops what was submitted on another device since", () => {
  localStorage.setItem(KEY, JSON.stringify({ content: content("old"), at: 0, base: "r1", saved: false }));
  const mine = { analyst: "ann", at: "2026-01-01T00:00:00Z", comment: "", verdicts: [] };
  expect(open().open(itemOf(5, { mine }))).toBeNull();
  expect(localStorage.getItem(KEY)).toBeNull();
});
