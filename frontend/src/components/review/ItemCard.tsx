// The question before the analyst: what it asks, its answers, its paths as rows, and what is said of it all.
import { useEffect, useRef, useState, type ReactNode } from "react";
import type { Drawing, Said } from "@/api/review";
import { Button } from "@/components/kit/controls";
import { count, integer } from "@/view/format";
import { isAnswerKnown, missing, setComment, toggleReason, type Annotation } from "@/view/review";
import { pressedKey } from "@/view/keys";
import { CandidateRow, type Other, type RowActs } from "./CandidateRow";
import { KeyButton } from "./KeyButton";
import { Names } from "./Names";
import { Reasons } from "./Reasons";
import { RightAnswers, type RightAnswersForm } from "./RightAnswers";

/** So many paths stand on the page at once; the others are a press away, and come by themselves with the focus. */
const ON_PAGE = 40;

interface Props {
  annotation: Annotation;
  drawings: readonly Drawing[] | undefined;
  acts: RowActs;
  /** The candidate whose reasons are open, or the question's. */
  telling: number | "question" | null;
  /** What others said, where it is shown. */
  others?: readonly Said[];
  change: (change: (annotation: Annotation) => Annotation) => void;
  onTell: (what: "question" | null) => void;
  onAdd: (() => void) | null;
  tells: RightAnswersForm;
  editor: ReactNode;
  footer: ReactNode;
}

/** What each analyst said of one candidate. */
function othersOn(others: readonly Said[] | undefined, candidate: number): Other[] | undefined {
  return others?.flatMap(({ analyst, verdicts }) =>
    verdicts
      .filter((one) => one.candidate === candidate || one.candidate === null)
      .map(({ kind, reasons, comment }) => ({ analyst, kind, reasons, comment })),
  );
}

function Candidates({
  annotation,
  drawings,
  acts,
  telling,
  others,
}: Pick<Props, "annotation" | "drawings" | "acts" | "telling" | "others">) {
  const { item, focus, opinion } = annotation;
  const [more, setMore] = useState(ON_PAGE);
  const end = Math.min(item.candidates.length, Math.max(more, focus + 5));
  // A window of rows: with thousands of paths those far before the focus make room.
  const from = Math.max(0, Math.min(end - 2 * ON_PAGE, focus - ON_PAGE));
  return (
    <>
      {from > 0 && (
        <p className="small muted">
          {count(from, "candidate")} above; the key of the candidate before leads there
        </p>
      )}
      <ol className="candidates" start={from + 1}>
        {item.candidates.slice(from, end).map((candidate, index) => {
          const place = from + index;
          const edited = item.candidates.findIndex((one) => one.id === candidate.edited_from);
          return (
            <CandidateRow
              key={candidate.id}
              candidate={candidate}
              place={place}
              focused={place === focus}
              word={opinion.broken ? undefined : opinion.words.get(candidate.id)}
              drawing={place === focus ? drawings?.find((one) => one.candidate === candidate.id) : undefined}
              known={isAnswerKnown(item)}
              telling={telling === candidate.id}
              edited={edited < 0 ? null : edited}
              others={othersOn(others, candidate.id)}
              acts={acts}
            />
          );
        })}
      </ol>
      {end < item.candidates.length && (
        <Button look="plain" size="small" onPress={() => setMore(end + ON_PAGE)}>
          Show more of {integer(item.candidates.length)}
        </Button>
      )}
    </>
  );
}

export function ItemCard(props: Props) {
  const { annotation, drawings, acts, telling, others, change, onTell, onAdd, tells, editor, footer } = props;
  const { item, opinion } = annotation;
  const left = missing(annotation);
  const what = item.kind === "programs" ? "program" : "path";
  const top = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    // All the way up: each question is read from its beginning, below what the page says of it.
    top.current?.scrollIntoView({ block: "end" });
  }, [item.id]);
  return (
    <section className="review-item" aria-label="Question">
      <div className="review-scroll">
        <p className="small muted" ref={top}>
          {integer(item.position + 1)} · {item.reason}
        </p>
        <h2 className="review-question">{item.question}</h2>
        <RightAnswers item={item} tells={tells} />
        <Names label="Topics" names={item.topics} none="none given" />
        {item.candidates.length === 0 && (
          <p className="muted">
            No {what} is known. Add one, submit it as it is, or call the question broken.
          </p>
        )}
        {editor}
        <Candidates
          key={item.id}
          annotation={annotation}
          drawings={drawings}
          acts={acts}
          telling={telling === "question" ? null : telling}
          {...(others && { others })}
        />
        {onAdd && (
          <div className="row">
            <KeyButton act="add" small onPress={onAdd}>
              Add a missing {what}
            </KeyButton>
          </div>
        )}
        {opinion.broken && (
          <Reasons
            about="the broken question"
            chosen={opinion.reasons}
            comment={null}
            open={telling === "question"}
            near
            onOpen={(open) => onTell(open ? "question" : null)}
            onReason={(reason) => change((now) => toggleReason(now, reason, null))}
            onComment={() => undefined}
          />
        )}
        <label className="field">
          <span className="label">Comment on the question</span>
          <textarea
            className="input question-comment"
            rows={2}
            maxLength={2000}
            value={opinion.comment}
            onChange={(event) => {
              const comment = event.target.value;
              change((now) => setComment(now, comment, null));
            }}
            onKeyDown={(event) => {
              if (pressedKey(event) === "Escape") event.currentTarget.blur();
            }}
          />
        </label>
      </div>
      <footer className="review-foot">
        {footer}
        <span className="small muted" role="status">
          {opinion.broken
            ? `Broken: no ${what} is judged`
            : left > 0
              ? `${count(left, what)} to judge`
              : "Ready to submit"}
        </span>
      </footer>
    </section>
  );
}
