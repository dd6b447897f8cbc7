import { expect, it } from "vitest";
import type { Checkpoint, CheckpointGain } from "@/api/types";
import { concernOf, detailOf, figuresOf, intervalOf, verdictOf } from "./checkpointGain";

const gain: CheckpointGain = {
  ...{ state: "done", before: 5, after: 6, question_set_name: "Paths", split: "test", n: 200 },
  ...{ method: "rel-rag-path", checkpoint: null, score_before: 0.739, score_after: 0.509 },
  ...{ low: -0.29, high: -0.17, p: 0.0005, gained: 5, lost: 51 },
};
const checkpoint = { id: 3, fingerprint: "0123456789ab", comparison: gain } as Checkpoint;

it("says whether a checkpoint is better or worse by the interval of the difference", () => {
  expect(verdictOf(gain)).toBe("worse");
  expect(verdictOf({ ...gain, low: 0.01, high: 0.2 })).toBe("better");
  expect(verdictOf({ ...gain, low: -0.01, high: 0.2 })).toBe("no clear difference");
});

it("says the figures on the same questions and what answered before", () => {
  expect(figuresOf(gain)).toBe("73.9% → 50.9%");
  expect(intervalOf(gain)).toBe("−29.0 to −17.0 points, n = 200");
  expect(detailOf(gain, [])).toBe(
    "−23.0 points exactly right (95%: −29.0 to −17.0, p < 0.001) against untrained answering, " +
      "on the same 200 test questions of Paths: 5 gained, 51 lost.",
  );
  expect(detailOf({ ...gain, checkpoint: 3, p: 0.04 }, [checkpoint])).toContain(
    "p = 0.040) against rel-rag-path 01234567,",
  );
});

it("says what is to be considered before a promotion, and nothing of what is clearly better", () => {
  expect(concernOf({ ...checkpoint, comparison: null }, [])).toBe(
    "It has not been compared with what answers now.",
  );
  expect(concernOf({ ...checkpoint, comparison: { ...gain, state: "running" } }, [])).toContain(
    "still being",
  );
  expect(concernOf({ ...checkpoint, comparison: { ...gain, state: "failed" } }, [])).toBe(
    "Its comparison failed.",
  );
  expect(concernOf(checkpoint, [])).toMatch(/^It is worse than what answered before: 73\.9% → 50\.9%\./);
  expect(concernOf({ ...checkpoint, comparison: { ...gain, low: 0.1, high: 0.2 } }, [])).toBeNull();
});
