import { QueryObserver } from "@tanstack/react-query";
import { expect, test } from "vitest";
import { makeCache, refresh } from "./cache";

test("news that comes while something is first asked for is not lost", async () => {
  const cache = makeCache();
  const answers: ((state: string) => void)[] = [];
  const asked = new QueryObserver(cache, {
    queryKey: ["reports", 4],
    queryFn: () => new Promise<string>((resolve) => answers.push(resolve)),
  });
  const stop = asked.subscribe(() => undefined);
  const heard = refresh(cache, ["reports"]);
  answers[0]?.("running");
  await expect.poll(() => answers.length).toBe(2);
  answers[1]?.("done");
  await heard;
  expect(asked.getCurrentResult().data).toBe("done");
  stop();
});

test("what is shown already is asked for once", async () => {
  const cache = makeCache();
  let times = 0;
  const asked = new QueryObserver(cache, { queryKey: ["graphs"], queryFn: () => Promise.resolve(++times) });
  const stop = asked.subscribe(() => undefined);
  await expect.poll(() => asked.getCurrentResult().data).toBe(1);
  await refresh(cache, ["graphs"], ["runs"]);
  expect(asked.getCurrentResult().data).toBe(2);
  stop();
});

test("what is on its way while nobody looks is old when it comes", async () => {
  const cache = makeCache();
  const answers: ((state: string) => void)[] = [];
  const options = {
    queryKey: ["graphs", 7],
    queryFn: () => new Promise<string>((resolve) => answers.push(resolve)),
  };
  const ahead = cache.query(options);
  await refresh(cache, ["graphs"]);
  answers[0]?.("importing");
  await ahead;
  const asked = new QueryObserver(cache, options);
  const stop = asked.subscribe(() => undefined);
  await expect.poll(() => answers.length).toBe(2);
  answers[1]?.("failed");
  await expect.poll(() => asked.getCurrentResult().data).toBe("failed");
  stop();
});
