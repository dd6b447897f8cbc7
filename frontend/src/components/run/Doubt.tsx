// "This answer is wrong", "this path is not the reason": what people doubt of a run goes to the analysts, with its paths.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useNavigate } from "react-router";
import type { Answer } from "@/api/events";
import { entitiesQuery, keys } from "@/api/queries";
import { reviewKeys } from "@/api/review";
import { flagRun } from "@/api/reviewDeciding";
import type { Flag, FlagKind, Run } from "@/api/types";
import { OneOf } from "@/components/kit/Choices";
import { EntitiesField } from "@/components/ask/EntitiesField";
import { Button, Modal } from "@/components/kit/controls";
import { Ago, Notice } from "@/components/kit/feedback";
import { TextArea } from "@/components/kit/TextField";
import { useAct } from "@/components/kit/useAct";
import { Form } from "@/components/kit/Form";
import { count } from "@/view/format";
import type { RunView } from "@/view/runView";
import { toast } from "@/store/toasts";
import { chainText } from "./ChainsPanel";

/** What is doubted; neither an answer nor a chain: the whole run. */
export interface Doubt {
  kind: FlagKind;
  answer?: Answer;
  chain?: number;
  /** Names that are called right, or missing, to begin with. */
  right?: readonly string[];
}

const WHOLE: { kind: FlagKind; label: string; about: string }[] = [
  { kind: "answer-wrong", label: "The answer is wrong", about: "These are not what the question asks for" },
  { kind: "path-wrong", label: "The paths are not the reason", about: "Right answers, for another reason" },
  { kind: "answer-missing", label: "An answer is missing", about: "There are more answers than these" },
];

/** So many other answers are called right by one press. */
const KEEPABLE = 50;

function titleOf({ kind, answer, chain }: Doubt): string {
  if (answer) return `${answer.label} is wrong`;
  if (chain !== undefined) return "This path is not the reason";
  return kind === "answer-missing" ? "An answer is missing" : "Something is wrong here";
}

interface FormProps {
  run: Run;
  view: RunView;
  doubt: Doubt;
  onClose: () => void;
}

function DoubtForm({ run, view, doubt, onClose }: FormProps) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [kind, setKind] = useState(doubt.kind);
  const [comment, setComment] = useState("");
  const [right, setRight] = useState<readonly string[]>(doubt.right ?? []);
  /** Of this doubt: sent again, it is the same one. */
  const [id] = useState(() => crypto.randomUUID());
  const whole = !doubt.answer && doubt.chain === undefined;
  const chain = doubt.chain === undefined ? undefined : view.chains[doubt.chain];
  const missing = kind === "answer-missing";
  const asksRight = kind !== "path-wrong";
  const others = view.answers.map((one) => one.label).filter((one) => one !== doubt.answer?.label);
  const send = useAct(
    () =>
      flagRun(run.id, {
        id,
        kind,
        comment: comment.trim(),
        ...(asksRight && right.length > 0 && { right_answers: right }),
        ...(doubt.answer?.entity && { answer: doubt.answer.entity.id }),
        ...(doubt.chain !== undefined && { chain: doubt.chain }),
      }),
    {
      done: ({ queue, item }) => {
        toast("Thank you. Analysts will judge it, in the queue “Flagged answers”.", {
          ms: 12_000,
          act: { label: "Open it", run: () => void navigate(`/review/${queue}?item=${item}`) },
        });
        for (const queryKey of [keys.runs, reviewKeys.queues]) void client.invalidateQueries({ queryKey });
        onClose();
      },
    },
  );
  return (
    <Form of={send} act="Send to the analysts" onClose={onClose}>
      <p className="muted">
        The question goes to the analysts of this graph with the paths that were shown. What they decide can
        train the next checkpoint.
      </p>
      {chain && <p className="small">{chainText(chain)}</p>}
      {whole && doubt.kind !== "answer-missing" && (
        <OneOf
          label="What is wrong"
          options={WHOLE.map((one) => ({ id: one.kind, label: one.label, detail: one.about }))}
          value={kind}
          onChange={setKind}
        />
      )}
      {asksRight && (
        <EntitiesField
          label={missing ? "What is missing, optional" : "All right answers, optional"}
          hint={
            missing
              ? "The answers listed here count as right as well."
              : "Leave it empty if you do not know. The paths that lead to them are found."
          }
          search={(text) => entitiesQuery(run.graph, text)}
          value={right}
          onChange={setRight}
          autoFocus
        />
      )}
      {asksRight && !missing && others.length > 0 && others.length <= KEEPABLE && right.length === 0 && (
        <p className="small">
          <Button look="link" className="small" onPress={() => setRight(others)}>
            {doubt.answer
              ? others.length === 1
                ? "The other answer is right"
                : `The other ${others.length} answers are right`
              : "Start from the answers listed here"}
          </Button>
        </p>
      )}
      <TextArea
        label="Comment, optional"
        id="doubt-comment"
        rows={3}
        maxLength={2000}
        autoFocus={!asksRight}
        placeholder={asksRight ? "Why, or what the graph lacks" : "Why this is not the reason"}
        value={comment}
        onChange={setComment}
      />
    </Form>
  );
}

interface Props extends Omit<FormProps, "doubt"> {
  doubt: Doubt | null;
}

export function DoubtDialog({ run, view, doubt, onClose }: Props) {
  return (
    <Modal title={doubt ? titleOf(doubt) : ""} isOpen={doubt !== null} onClose={onClose}>
      {doubt && <DoubtForm run={run} view={view} doubt={doubt} onClose={onClose} />}
    </Modal>
  );
}

const SAYS: Record<FlagKind, string> = {
  "answer-wrong": "says that an answer is wrong",
  "path-wrong": "says that a path is not the reason",
  "answer-missing": "says that an answer is missing",
  "answer-right": "says that this is right",
};

function saying({ kind, answer, chain }: Flag): string {
  if (kind === "answer-wrong" && answer) return `says that ${answer} is wrong`;
  if (kind === "path-wrong" && chain !== null) return `says that chain ${chain + 1} is not the reason`;
  return SAYS[kind];
}

/** What analysts decided about a flagged answer. */
function Outcome({ outcome }: { outcome: Flag["outcome"] }) {
  const { state, rational, rejected, answers, judges } = outcome;
  if (state === "open") return <span className="muted">Nobody has judged it yet.</span>;
  if (state === "broken") return <span>{judges.join(" and ")}: the question cannot be judged.</span>;
  const parts = [
    rational > 0 && `${count(rational, "path")} ${rational === 1 ? "is" : "are"} the reason`,
    rejected > 0 && `${count(rejected, "path")} ${rejected === 1 ? "is" : "are"} not`,
  ].filter(Boolean);
  return (
    <span>
      Judged by {judges.join(" and ")}: {parts.join(", ") || "no path was decided"}.
      {answers.length > 0 && (
        <>
          {" "}
          Right {answers.length === 1 ? "answer" : "answers"}: <bdi>{answers.join("; ")}</bdi>.
        </>
      )}
    </span>
  );
}

/** What was doubted before, and where it is judged. */
export function Doubts({ flags }: { flags: readonly Flag[] }) {
  const [first] = flags;
  if (!first) return null;
  return (
    <Notice
      tone={flags.every(({ kind }) => kind === "answer-right") ? "info" : "warn"}
      title={
        first.outcome.state === "open" ? "Analysts will judge this answer" : "Analysts judged this answer"
      }
      acts={
        <Link className="btn small" to={`/review/${first.queue}?item=${first.item}`}>
          Open
        </Link>
      }
    >
      {flags.map((flag, at) => (
        <span key={at} className="doubted">
          {flag.user ?? "Somebody"} {saying(flag)}
          {flag.right_answers.length > 0 && (
            <>
              , and {flag.kind === "answer-missing" ? "names" : "calls right"}{" "}
              <bdi>{flag.right_answers.join("; ")}</bdi>
            </>
          )}
          {flag.comment && `: ${flag.comment}`}{" "}
          <span className="muted small">
            <Ago iso={flag.at} />
          </span>
        </span>
      ))}
      <Outcome outcome={first.outcome} />
    </Notice>
  );
}
