// Where analysts disagree: what each says of each path side by side, and the verdict that decides.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { Link } from "react-router";
import { itemKey, loadItem, reviewKeys, type Item, type Queue } from "@/api/review";
import {
  SPLITS,
  adjudicate,
  disagreementsQuery,
  takeDecisionBack,
  type Disagreement,
} from "@/api/reviewDeciding";
import { AcceptUnanimous } from "@/components/review/AcceptUnanimous";
import { KeyButton } from "@/components/review/KeyButton";
import { QueueFrame, type Frame } from "@/components/review/QueueFrame";
import { Workbench } from "@/components/review/Workbench";
import { Pages } from "@/components/kit/Pages";
import { Button } from "@/components/kit/controls";
import { EmptyState, ErrorNotice, Loading, troubleOf } from "@/components/kit/feedback";
import { useUrlNumber } from "@/components/kit/url";
import { DecisionSession } from "@/store/decisionSession";
import { elide, integer } from "@/view/format";
import { judgementOf, missing, setBroken, stepBack, stepOn, type Annotation } from "@/view/review";
import { saidOf } from "@/view/reviewSides";
import { toast } from "@/store/toasts";

export function DisagreementsPage() {
  return (
    <QueueFrame part="disagreements">
      {(frame) => <Deciding key={String(frame.queue.id)} {...frame} />}
    </QueueFrame>
  );
}

interface ListProps {
  rows: readonly Disagreement[];
  current: number | undefined;
  all: boolean;
  onAll: (all: boolean) => void;
  onOpen: (item: number) => void;
}

function SplitList({ rows, current, all, onAll, onOpen }: ListProps) {
  return (
    <>
      <div className="review-filters">
        <label className="check small">
          <input type="checkbox" checked={all} onChange={(event) => onAll(event.target.checked)} />
          Include those that are decided
        </label>
      </div>
      <ol>
        {rows.map(({ item, candidates, broken }) => {
          const open = candidates.filter(({ said }) => new Set(said.map((one) => one.kind)).size > 1).length;
          return (
            <li key={item.id} className={item.id === current ? "on" : ""}>
              <button
                type="button"
                aria-current={item.id === current}
                title={item.question}
                onClick={() => onOpen(item.id)}
              >
                <span className="row">
                  <span className="muted tabular">{integer(item.position + 1)}</span>
                  <span className="grow elide">{item.question}</span>
                </span>
                <span className="small muted">
                  {broken.length > 0
                    ? `called broken by ${broken.map((one) => one.analyst).join(", ")}`
                    : `${integer(open)} of ${integer(candidates.length)} candidates differ`}
                </span>
              </button>
            </li>
          );
        })}
      </ol>
    </>
  );
}

function Deciding({ queue, user, paused }: Frame) {
  const [all, setAll] = useState(false);
  const [page, setPage] = useState(1);
  const [asked, ask] = useUrlNumber("item");
  const found = useQuery(disagreementsQuery(queue.id, all, page));
  const rows = found.data?.results ?? [];
  const at = Math.max(
    0,
    rows.findIndex(({ item }) => item.id === asked),
  );
  const sides = rows[at];
  const item = useQuery({
    queryKey: [...itemKey(sides?.item.id ?? 0), sides?.item.version],
    queryFn: () => loadItem(sides?.item.id ?? 0),
    enabled: sides !== undefined,
  });
  const list = (
    <nav className="review-list" aria-label="Questions that analysts disagree on">
      <SplitList
        rows={rows}
        current={sides?.item.id}
        all={all}
        onAll={(next) => {
          setAll(next);
          setPage(1);
        }}
        onOpen={ask}
      />
      <Pages what="disagreements" page={page} size={SPLITS} data={found.data} onPage={setPage} />
      <AcceptUnanimous queue={queue} />
    </nav>
  );
  if (found.error) {
    return (
      <ErrorNotice
        error={found.error}
        acts={<Button onPress={() => void found.refetch()}>Try again</Button>}
      />
    );
  }
  if (found.isPending) return <Loading what="the disagreements" />;
  if (!sides) {
    return (
      <EmptyState
        title="Nothing to decide"
        act={
          <div className="row">
            <AcceptUnanimous queue={queue} />
            <Button onPress={() => setAll(!all)}>{all ? "Only what is open" : "Show what is decided"}</Button>
          </div>
        }
      >
        {queue.overlap > 1
          ? "A question on which the analysts who judged it disagree stands here, to be decided by somebody who did not judge it."
          : "Each question of this queue is judged by one analyst, so there is nobody to disagree. Make a queue with two or more analysts per question to see where people differ."}{" "}
        <Link to={`/review/${queue.id}`}>Continue judging</Link>
      </EmptyState>
    );
  }
  if (item.error) return <ErrorNotice error={item.error} />;
  if (item.data?.id !== sides.item.id) return <Loading what="the question" />;
  const following = rows[at + 1] ?? rows[at - 1];
  return (
    <Decide
      key={`${item.data.id} ${item.data.version}`}
      queue={queue}
      item={item.data}
      sides={sides}
      paused={paused}
      user={user}
      list={list}
      onDone={() => ask(following?.item.id ?? null)}
    />
  );
}

interface DecideProps {
  queue: Queue;
  item: Item;
  sides: Disagreement;
  paused: boolean;
  user: Frame["user"];
  list: React.ReactNode;
  onDone: () => void;
}

function Decide({ queue, item, sides, paused, user, list, onDone }: DecideProps) {
  const client = useQueryClient();
  const [session] = useState(() => new DecisionSession(user.username, item, sides));
  useEffect(() => session.start(), [session]);
  const annotation = useSyncExternalStore(session.subscribe, session.getAnnotation);
  const id = useRef(crypto.randomUUID());
  const search = useRef<HTMLInputElement>(null);
  const others = saidOf(sides);
  const fresh = () => client.invalidateQueries({ queryKey: [...reviewKeys.queues, String(item.queue)] });
  const tell = async (error: Error) => {
    const { message, hint } = troubleOf(error);
    toast(`${message} ${hint}`);
    await fresh();
  };
  const back = useMutation({
    mutationFn: (version: number) => takeDecisionBack(item.id, crypto.randomUUID(), version),
    onSuccess: async () => {
      toast(`Open again: ${elide(item.question, 60)}`, { ms: 3000 });
      await fresh();
    },
    onError: tell,
  });
  const send = useMutation({
    mutationFn: (now: Annotation) => {
      const decision = judgementOf(now, id.current);
      if (!decision) throw new Error("Decide every candidate first, or call the question broken.");
      return adjudicate(item.id, decision);
    },
    onSuccess: async ({ item: decided }) => {
      session.forget();
      toast(`Decided: ${elide(item.question, 60)}`, {
        ms: 10_000,
        act: {
          label: "Take it back",
          run: () => back.mutate(decided.version),
        },
      });
      onDone();
      await fresh();
    },
    onError: tell,
  });
  const submit = () => {
    if (missing(annotation) === 0 && !send.isPending) send.mutate(annotation);
  };
  const undo = () => {
    session.change((now) => stepBack(now) ?? now);
  };
  const redo = () => {
    session.change((now) => stepOn(now) ?? now);
  };
  return (
    <Workbench
      queue={queue}
      annotation={annotation}
      change={session.change}
      search={search}
      paused={paused}
      others={others}
      acts={{ submit, undo, redo }}
      list={list}
      footer={
        <>
          <KeyButton
            act="submit"
            look="primary"
            disabled={missing(annotation) > 0 || send.isPending}
            onPress={submit}
          >
            {item.adjudicated ? "Decide again" : "Decide"}
          </KeyButton>
          <KeyButton
            act="broken"
            look={annotation.opinion.broken ? "danger" : undefined}
            pressed={annotation.opinion.broken}
            onPress={() => session.change((now) => setBroken(now, !now.opinion.broken))}
          >
            Broken question
          </KeyButton>
          <KeyButton act="undo" look="plain" disabled={annotation.past.length === 0} onPress={undo}>
            Undo
          </KeyButton>
          {item.adjudicated && (
            <>
              {(user.role === "admin" || user.username === item.adjudicated.analyst) && (
                <Button isDisabled={back.isPending} onPress={() => back.mutate(item.version)}>
                  Undo the decision
                </Button>
              )}
              <span className="small">decided by {item.adjudicated.analyst}</span>
            </>
          )}
          {others.some((one) => one.analyst === user.username) && (
            <span className="small warn-text">
              You judged this one: an admin may decide it, or another analyst.
            </span>
          )}
        </>
      }
    />
  );
}
