// Judging the questions of a queue, one after the other.
import { useEffect, useEffectEvent, useMemo, useRef } from "react";
import { Link, NavigationType, useLocation, useNavigationType } from "react-router";
import { KeyButton } from "@/components/review/KeyButton";
import { MeanwhileDialog } from "@/components/review/Meanwhile";
import { QueueFrame, type Frame } from "@/components/review/QueueFrame";
import { QueueList } from "@/components/review/QueueList";
import { Workbench } from "@/components/review/Workbench";
import { useDesk, type DeskState } from "@/components/review/useDesk";
import { Button } from "@/components/kit/controls";
import { usePageKeys } from "@/components/kit/hooks";
import { EmptyState, ErrorNotice, Loading, Notice } from "@/components/kit/says";
import { useUrlNumber } from "@/components/kit/url";
import { count } from "@/store/format";
import { missing, setBroken, type Desk } from "@/store/review";
import { actOf, useKeymap } from "@/store/reviewKeys";

export function ReviewQueuePage() {
  return <QueueFrame part="">{(frame) => <Judging key={String(frame.queue.id)} {...frame} />}</QueueFrame>;
}

function Foot({ state, desk }: { state: DeskState; desk: Desk }) {
  const { change, submit, undo, redo, busy, canRedo } = state;
  const { broken } = desk.opinion;
  return (
    <>
      <KeyButton act="submit" look="primary" disabled={missing(desk) > 0} onPress={submit}>
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

function Stuck({ state }: { state: DeskState }) {
  if (!state.stuck.length) return null;
  return (
    <Notice
      tone="bad"
      urgent
      title={`${count(state.stuck.length, "judgement")} could not be sent.`}
      acts={<Button onPress={state.sendAgain}>Send again</Button>}
    >
      The server does not answer. They are kept in this browser and go out in their order when it does;
      judging can go on meanwhile.
    </Notice>
  );
}

/** The address follows the desk, and the desk an address that was clicked or gone back to. */
function useAddress({ desk, open }: DeskState, [asked, ask]: ReturnType<typeof useUrlNumber>): void {
  const item = desk?.item.id;
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
  const state = useDesk(id, user.username, address[0]);
  const { desk, change, empty, error, stuck } = state;
  const keymap = useKeymap();
  const search = useRef<HTMLInputElement>(null);
  useAddress(state, address);
  usePageKeys((event) => {
    // With a question before one, its keys are the workbench's.
    if (desk || paused || actOf(event, keymap) !== "undo") return;
    event.preventDefault();
    state.undo();
  });
  const waiting = useMemo(() => new Set(stuck.map((one) => one.item)), [stuck]);
  return (
    <>
      <Stuck state={state} />
      {error && <ErrorNotice error={error} acts={<Button onPress={state.begin}>Try again</Button>} />}
      <p className="sr-only" role="status" aria-live="polite">
        {desk && `Question ${desk.item.position + 1}: ${desk.item.question}`}
      </p>
      {!desk && empty && (
        <EmptyState
          title="Nothing is left for you here"
          act={
            <div className="row">
              <KeyButton act="undo" onPress={state.undo}>
                Take my last back
              </KeyButton>
              <Button onPress={state.begin}>Look again</Button>
            </div>
          }
        >
          Every question is judged, or is with somebody else. What they leave comes back after 15 minutes.{" "}
          <Link to={`/review/${id}/disagreements`}>Decide where analysts disagree</Link>, or go to{" "}
          <Link to="/review">all queues</Link>.
        </EmptyState>
      )}
      {!desk && !empty && !error && <Loading what="the next question" />}
      {desk && (
        <Workbench
          desk={desk}
          change={change}
          search={search}
          paused={paused || state.contested.length > 0}
          acts={{ submit: state.submit, undo: state.undo, redo: state.redo }}
          footer={<Foot state={state} desk={desk} />}
          list={
            <QueueList
              queue={id}
              current={desk.item.id}
              waiting={waiting}
              search={search}
              onOpen={state.open}
            />
          }
        />
      )}
      <MeanwhileDialog contested={state.contested[0]} user={user.username} onSettle={state.settle} />
    </>
  );
}
