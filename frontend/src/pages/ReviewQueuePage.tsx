// Judging the questions of a queue, one after the other.
import { useEffect, useEffectEvent, useMemo, useRef } from "react";
import { Link, NavigationType, useLocation, useNavigationType } from "react-router";
import { KeyButton } from "@/components/review/KeyButton";
import { ConflictDialog } from "@/components/review/ConflictDialog";
import { QueueFrame, type Frame } from "@/components/review/QueueFrame";
import { QueueList } from "@/components/review/QueueList";
import { Workbench } from "@/components/review/Workbench";
import { useAnnotationSession } from "@/components/review/useAnnotationSession";
import { Button } from "@/components/kit/controls";
import { usePageKeys } from "@/components/kit/hooks";
import { EmptyState, ErrorNotice, Loading, Notice } from "@/components/kit/feedback";
import { useUrlNumber } from "@/components/kit/url";
import { ApiError } from "@/api/client";
import { count } from "@/view/format";
import type { AnnotationSession } from "@/store/annotationSession";
import type { SessionState } from "@/store/annotationState";
import { missing, setBroken, type Annotation } from "@/view/review";
import { actOf, useKeymap } from "@/store/reviewKeys";

export function ReviewQueuePage() {
  return <QueueFrame part="">{(frame) => <Judging key={String(frame.queue.id)} {...frame} />}</QueueFrame>;
}

interface FootProps {
  session: AnnotationSession;
  state: SessionState;
  annotation: Annotation;
}

function Foot({ session, state, annotation }: FootProps) {
  const { change, submit, undo, redo } = session;
  const { busy, canRedo } = state;
  const { broken } = annotation.opinion;
  return (
    <>
      <KeyButton act="submit" look="primary" disabled={missing(annotation) > 0} onPress={submit}>
        Submit and next
      </KeyButton>
      <KeyButton
        act="broken"
        look={broken ? "danger" : undefined}
        pressed={broken}
        onPress={() => change((now) => setBroken(now, !now.opinion.broken))}
      >
        Broken question
      </KeyButton>
      <KeyButton act="undo" look="plain" disabled={busy} onPress={undo}>
        Undo
      </KeyButton>
      {canRedo && (
        <KeyButton act="redo" look="plain" disabled={busy} onPress={redo}>
          Redo
        </KeyButton>
      )}
    </>
  );
}

interface UnsentProps extends Pick<SessionState, "unsent" | "unsentBecause"> {
  onSend: () => void;
  onDiscard: () => void;
}

function Unsent({ unsent, unsentBecause, onSend, onDiscard }: UnsentProps) {
  if (!unsent.length) return null;
  const gone = unsentBecause instanceof ApiError && [403, 404].includes(unsentBecause.status);
  return (
    <Notice
      tone="bad"
      urgent
      title={`${count(unsent.length, "judgement")} could not be sent.`}
      acts={
        <>
          {gone && <Button onPress={onDiscard}>Discard</Button>}
          <Button onPress={onSend}>Send again</Button>
        </>
      }
    >
      {gone
        ? "This queue or its graph was deleted, or you may no longer judge it. Your judgements are kept in this browser and sent when that changes."
        : "The server does not answer. Your judgements are kept in this browser and sent in their order when it does; you can go on judging."}
    </Notice>
  );
}

/** The address follows the item, and the item an address that was clicked or gone back to. */
function useAddress(
  item: number | undefined,
  open: (item: number) => void,
  [asked, ask]: ReturnType<typeof useUrlNumber>,
): void {
  useEffect(() => {
    if (item !== undefined) ask(item);
  }, [item, ask]);
  const { key } = useLocation();
  const how = useNavigationType();
  const follow = useEffectEvent(() => {
    if (how !== NavigationType.Replace && asked !== null && item !== undefined) open(asked);
  });
  useEffect(() => {
    follow();
  }, [key]);
}

function Judging({ queue, user, paused }: Frame) {
  const id = String(queue.id);
  const address = useUrlNumber("item");
  const [session, state] = useAnnotationSession(id, user.username, address[0]);
  const { current: annotation, empty, error, unsent, unsentBecause } = state;
  const keymap = useKeymap();
  const search = useRef<HTMLInputElement>(null);
  useAddress(annotation?.item.id, session.open, address);
  usePageKeys((event) => {
    // With a question before one, its keys are the workbench's.
    if (annotation || paused || actOf(event, keymap) !== "undo") return;
    event.preventDefault();
    session.undo();
  });
  const waiting = useMemo(() => new Set(unsent.map((one) => one.item)), [unsent]);
  return (
    <>
      <Unsent
        unsent={unsent}
        unsentBecause={unsentBecause}
        onSend={session.sendAgain}
        onDiscard={session.discardUnsent}
      />
      {error && <ErrorNotice error={error} acts={<Button onPress={session.begin}>Try again</Button>} />}
      <p className="sr-only" role="status" aria-live="polite">
        {annotation && `Question ${annotation.item.position + 1}: ${annotation.item.question}`}
      </p>
      {!annotation && empty && (
        <EmptyState
          title="Nothing is left for you here"
          act={
            <div className="row">
              <KeyButton act="undo" onPress={session.undo}>
                Undo my last
              </KeyButton>
              <Button onPress={session.begin}>Check again</Button>
            </div>
          }
        >
          Every question is judged, or is with somebody else. What they leave comes back after 15 minutes.{" "}
          <Link to={`/review/${id}/disagreements`}>Decide where analysts disagree</Link>, or go to{" "}
          <Link to="/review">all queues</Link>.
        </EmptyState>
      )}
      {!annotation && !empty && !error && <Loading what="the next question" />}
      {annotation && (
        <Workbench
          queue={queue}
          annotation={annotation}
          change={session.change}
          search={search}
          paused={paused || state.contested.length > 0}
          acts={session}
          footer={<Foot session={session} state={state} annotation={annotation} />}
          list={
            <QueueList
              queue={id}
              current={annotation.item.id}
              waiting={waiting}
              search={search}
              onOpen={session.open}
            />
          }
        />
      )}
      <ConflictDialog contested={state.contested[0]} user={user.username} onSettle={session.settle} />
    </>
  );
}
