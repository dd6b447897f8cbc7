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
        ? `This method has not been calibrated for the limit of ${of}, so every answer is a best guess.`
        : threshold === null
          ? `No confidence threshold is known to keep the limit of ${of}.`
          : `The limit of ${of} requires a confidence of ${score(threshold)}; this answer has ${score(confidence)}.`}{" "}
      The best guess is below.
    </Notice>
  );
}
