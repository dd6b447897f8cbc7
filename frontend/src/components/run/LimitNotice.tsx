// Answers under a limit on wrong ones: whether they are sure enough, and why not.
import type { AnswerLimit } from "@/api/events";
import { Notice } from "@/components/kit/feedback";
import { integer, score } from "@/view/format";

export function LimitNotice({ limit }: { limit: AnswerLimit }) {
  const { at_most_wrong, confidence, threshold, questions, withheld } = limit;
  const of = `at most ${at_most_wrong} of 100 wrong`;
  if (!withheld) {
    return (
      <p className="small muted">
        Sure enough for the limit of {of}, calibrated on {integer(questions)} questions.
      </p>
    );
  }
  return (
    <Notice tone="warn" title="Not sure enough for your limit">
      {questions === 0
        ? `What answered was not calibrated for the limit of ${of}, so no answer counts as sure enough.`
        : threshold === null
          ? `No confidence is known to keep the limit of ${of}.`
          : `The limit is ${of}, which takes a confidence of ${score(threshold)}; this has ${score(confidence)}.`}{" "}
      The best guess is below.
    </Notice>
  );
}
