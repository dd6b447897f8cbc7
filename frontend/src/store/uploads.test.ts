// @vitest-environment node
import { beforeEach, expect, test, vi } from "vitest";
import type { UploadListener } from "@/api/uploads";
import { keyOf, rateOf, timeLeft, useUploads, type Sent } from "./uploads";

const calls: { file: File; told: UploadListener; acts: string[] }[] = [];
vi.mock("@/api/uploads", () => ({
  sendFile: (file: File, told: UploadListener) => {
    const acts: string[] = [];
    calls.push({ file, told, acts });
    return {
      pause: () => acts.push("pause"),
      resume: () => acts.push("resume"),
      drop: () => {
        acts.push("drop");
        return Promise.resolve();
      },
    };
  },
}));

const file = (name: string, text = "a\tb\tc\n") => new File([text], name, { lastModified: 5 });
const store = () => useUploads.getState();
const only = (): Sent => {
  const [one, more] = store().files;
  if (!one || more) throw new Error("expected one file");
  return one;
};

beforeEach(() => {
  calls.length = 0;
  useUploads.setState({ files: [] });
});

test("a file is sent once, however often it is chosen, and told when it is there", () => {
  const facts = file("facts.tsv");
  store().add("graph", [facts]);
  store().add("graph", [facts]);
  expect(calls).toHaveLength(1);
  expect(only()).toMatchObject({ name: "facts.tsv", size: 6, sent: 0, state: "sending", id: null });
  calls[0]?.told.progress(4);
  expect(only().sent).toBe(4);
  calls[0]?.told.done("id-1");
  expect(only()).toMatchObject({ state: "done", id: "id-1", sent: 6 });
});

test("paused, gone on with, failed, gone on with again, removed", () => {
  store().add("graph", [file("facts.tsv")]);
  const key = keyOf("graph", file("facts.tsv"));
  store().pause(key);
  expect(only().state).toBe("paused");
  store().resume(key);
  expect(only().state).toBe("sending");
  calls[0]?.told.failed(new Error("no network"));
  expect(only()).toMatchObject({ state: "failed", error: new Error("no network") });
  store().resume(key);
  expect(only()).toMatchObject({ state: "sending", error: null });
  store().remove(key);
  expect(store().files).toEqual([]);
  expect(calls[0]?.acts).toEqual(["pause", "resume", "resume", "drop"]);
});

test("what was made use of is forgotten, what is for something else stays", () => {
  store().add("graph", [file("a.tsv")]);
  store().add("questions of 3", [file("b.jsonl")]);
  store().forget("graph");
  expect(only().name).toBe("b.jsonl");
});

test("the rate is of the present stretch, not of what was there before it", () => {
  const sent = { size: 1000, sent: 400, from: 200, since: 10_000 } as Sent;
  expect(rateOf(sent, 12_000)).toBe(100);
  expect(timeLeft(sent, 12_000)).toBe(6);
  expect(rateOf({ ...sent, from: null }, 12_000)).toBeNull();
  expect(rateOf(sent, 10_100)).toBeNull();
});
