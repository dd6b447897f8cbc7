// A limit on wrong answers that was calibrated.
import type { ErrorLimit, Guarantee } from "@/api/errorLimit";

export const FIVE: Guarantee = {
  ...{ at_most_wrong: 5, threshold: 0.8, questions: 1000, reviewed: 200, tested: 500 },
  ...{ answered: 310, wrong: 4, needed: 45, too_few: false },
};

export const LIMIT: ErrorLimit = {
  ...{ at_most_wrong: 5, certainty: 0.9, method: "reg-path", fingerprint: null, job: null },
  ...{ calibrated_at: "2026-01-01T00:00:00Z", guarantee: FIVE, offered: [FIVE] },
};
