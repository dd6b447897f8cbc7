// One review queue: the questions, the one before the analyst with its paths, and the path in focus in the graph.
import { useQuery } from "@tanstack/react-query";
import { useDeferredValue, useEffect, useEffectEvent, useMemo, useRef, useState } from "react";
import { Link, NavigationType, useLocation, useNavigationType, useParams } from "react-router";
import { sessionQuery } from "@/api/queries";
import { drawingQuery, queueQuery, walkQuery, type Item, type Queue } from "@/api/review";
import type { RowActs } from "@/components/review/CandidateRow";
import { ItemCard } from "@/components/review/ItemCard";
import { KeyButton } from "@/components/review/KeyButton";
import { KeysDialog } from "@/components/review/KeysDialog";
import { MeanwhileDialog } from "@/components/review/Meanwhile";
import { PathEditor } from "@/components/review/PathEditor";
import { QueueList } from "@/components/review/QueueList";
import { ReviewBar } from "@/components/review/ReviewBar";
import { ReviewGraph, type HopActs } from "@/components/review/ReviewGraph";
import { useDesk, type DeskState } from "@/components/review/useDesk";
import { DRAFT, usePathEdit, type PathEdit } from "@/components/review/usePathEdit";
import { Button } from "@/components/kit/controls";
import { usePageKeys, useTitle } from "@/components/kit/hooks";
import { EmptyState, ErrorNotice, Loading, Notice } from "@/components/kit/says";
import { useUrl } from "@/components/kit/url";
import type { GraphHandle } from "@/graph/handle";
import { count } from "@/store/format";
import {
  REASONS,
  aboutWhich,
  judge,
  judgeRest,
  missing,
  moveFocus,
  setBroken,
  setComment,
  toggleReason,
  type Desk,
} from "@/store/review";
import { actOf, useKeymap, type ActName } from "@/store/reviewKeys";
import { placesOf } from "@/store/reviewPath";

/** With more paths than this only the lit one is drawn, and only it is asked for. */
const DRAWN = 60;

export function ReviewQueuePage() {
  const { id = "" } = useParams();
  const queue = useQuery(queueQuery(id));
  const { data: session } = useQuery(sessionQuery);
  useTitle(queue.data?.name ?? "Review");
  if (queue.error && !queue.data) {
    return (
      <div className="page">
        <ErrorNotice
          error={queue.error}
          acts={<Button onPress={() => void queue.refetch()}>Try again</Button>}
        />
        <p>
          <Link to="/review">All queues</Link>
        </p>
      </div>
    );
  }
  if (!queue.data || !session?.user) return <Loading what="the queue" />;
  if (queue.data.state !== "done") {
    return (
      <EmptyState title={queue.data.name} act={<Link to="/review">All queues</Link>}>
        {queue.data.error?.message ??
          `This queue is not ready: ${queue.data.state}. The jobs tray shows its job.`}
      </EmptyState>
    );
  }
  if (session.user.role === "viewer") {
    return (
      <EmptyState title={queue.data.name} act={<Link to="/review">All queues</Link>}>
        Only an analyst or an admin can judge. Ask an admin for the role.
      </EmptyState>
    );
  }
  return <Judging key={id} id={id} queue={queue.data} user={session.user.username} />;
}

/** The drawings of an item: of all its paths, or with very many of the lit one alone. */
function useDrawings(item: Item, lit: number | null) {
  const many = item.candidates.length > DRAWN;
  const all = useQuery({ ...drawingQuery(item.id), enabled: !many });
  const candidate = item.candidates.find((one) => one.id === lit);
  const one = useQuery({
    ...walkQuery(item.id, candidate?.topic ?? "", candidate?.path ?? []),
    enabled: many && candidate !== undefined,
  });
  const single = useMemo(
    () => (many && one.data && lit !== null ? [{ candidate: lit, ...one.data }] : undefined),
    [many, one.data, lit],
  );
  const found = many ? one : all;
  return { drawings: many ? single : all.data, pending: found.isPending, error: found.error };
}

interface ViewProps {
  desk: Desk;
  hover: number | null;
  edit: PathEdit;
  onReady: (handle: GraphHandle | null) => void;
}

function DeskGraph({ desk, hover, edit, onReady }: ViewProps) {
  // The question is read first; its drawing may come a moment later.
  const shown = useDeferredValue(desk);
  const { item, focus } = shown;
  const lit = edit.drawing ? DRAFT : (hover ?? item.candidates[focus]?.id ?? null);
  const { drawings, pending, error } = useDrawings(item, lit);
  const drawn = useMemo(
    () => (edit.drawing ? [...(drawings ?? []), edit.drawing] : (drawings ?? [])),
    [drawings, edit.drawing],
  );
  const candidate = item.candidates.find((one) => one.id === lit);
  const { draft, drawing } = edit;
  const hopActs = (): HopActs | null => {
    if (draft && drawing) {
      return {
        places: placesOf(drawing.hops, draft.topic, draft.path),
        onChange: edit.select,
        onExtend: (level) => edit.onDraft({ ...draft, path: draft.path.slice(0, level), at: level }),
        onCut: (step) => edit.onDraft({ ...draft, path: draft.path.slice(0, step), at: step }),
      };
    }
    const found = drawings?.find((one) => one.candidate === candidate?.id);
    if (!candidate || !found) return null;
    return {
      places: placesOf(found.hops, candidate.topic, candidate.path),
      onChange: (step) => edit.edit(candidate, step),
      onExtend: (level) => edit.extend(candidate, level),
      onCut: (step) => edit.cut(candidate, step),
    };
  };
  return (
    <ReviewGraph
      item={item}
      drawings={drawn}
      lit={lit}
      shown={draft ? "lit" : "all"}
      pending={pending}
      error={error}
      hops={hopActs()}
      onReady={onReady}
    />
  );
}

function Foot({ state, desk }: { state: DeskState; desk: Desk }) {
  const { change, submit, undo, redo, busy, canRedo } = state;
  const { broken } = desk.opinion;
  return (
    <>
      <KeyButton act="submit" look="primary" disabled={missing(desk) > 0 || busy} onPress={submit}>
        Submit and next
      </KeyButton>
      <KeyButton
        act="broken"
        look={broken ? "danger" : undefined}
        pressed={broken}
        onPress={() => {
          change((now) => setBroken(now, !now.opinion.broken));
        }}
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

function Judging({ id, queue, user }: { id: string; queue: Queue; user: string }) {
  const [params, putUrl] = useUrl();
  const asked = /^\d+$/.exec(params.get("item") ?? "")?.[0];
  const state = useDesk(id, user, asked === undefined ? null : Number(asked));
  const { desk, change, open } = state;
  const edit = usePathEdit(desk, change);
  const keymap = useKeymap();
  const [hover, setHover] = useState<number | null>(null);
  const [tell, setTell] = useState<{ item: number; what: number | "question" } | null>(null);
  const [keys, setKeys] = useState(false);
  const search = useRef<HTMLInputElement>(null);
  const graph = useRef<GraphHandle | null>(null);
  const item = desk?.item.id;
  const telling = tell !== null && tell.item === item ? tell.what : null;
  const setTelling = (what: number | "question" | null) => {
    setTell(what === null || item === undefined ? null : { item, what });
  };

  // The address follows the desk, and the desk an address that was clicked or gone back to.
  useEffect(() => {
    if (item !== undefined) putUrl({ item: String(item) });
  }, [item, putUrl]);
  const { key } = useLocation();
  const how = useNavigationType();
  const follow = useEffectEvent(() => {
    if (how !== NavigationType.Replace && asked !== undefined && item !== undefined) open(Number(asked));
  });
  useEffect(() => {
    follow();
  }, [key]);

  const acts: Record<ActName, () => void> = {
    rational: () => change((now) => judge(now, "rational")),
    "not-rational": () => change((now) => judge(now, "not-rational")),
    unsure: () => change((now) => judge(now, "unsure")),
    next: () => change((now) => moveFocus(now, 1)),
    previous: () => change((now) => moveFocus(now, -1)),
    rest: () => change((now) => judgeRest(now, "not-rational")),
    reasons: () => {
      if (desk) setTelling(telling === null ? why(desk) : null);
    },
    comment: () => {
      if (desk) setTelling(why(desk));
      // After the field is there.
      setTimeout(() => {
        const field = document.querySelector<HTMLElement>(".verdict-comment, .question-comment");
        field?.focus();
      });
    },
    edit: () => {
      const candidate = desk?.item.candidates[desk.focus];
      if (candidate) edit.edit(candidate);
    },
    add: edit.addNew,
    broken: () => change((now) => setBroken(now, !now.opinion.broken)),
    submit: () => {
      setTelling(null);
      state.submit();
    },
    undo: state.undo,
    redo: state.redo,
    filter: () => search.current?.focus(),
    fit: () => graph.current?.fit(),
  };
  usePageKeys((event) => {
    if (keys) return;
    if (telling !== null && !event.ctrlKey && !event.metaKey && !event.altKey) {
      const reason = REASONS[Number(event.key) - 1]?.reason;
      const about = telling === "question" ? null : telling;
      if (reason) change((now) => toggleReason(now, reason, about));
      else if (event.key === "Escape" || event.key === "Enter") setTelling(null);
      if (reason || event.key === "Escape" || event.key === "Enter") {
        event.preventDefault();
        return;
      }
    }
    if (event.key === "Escape" && edit.draft) edit.close();
    const act = actOf(event, keymap);
    if (!act) return;
    // A button that the keyboard went to keeps its Enter.
    if (act === "submit" && event.target instanceof Element && event.target.closest("button, a, summary"))
      return;
    event.preventDefault();
    setHover(null);
    acts[act]();
  });

  const rows: RowActs = {
    onFocus: (place) => change((now) => (now.focus === place ? now : { ...now, focus: place })),
    onHover: setHover,
    onJudge: (kind, place) => change((now) => judge(now, kind, place)),
    onTell: (candidate) => {
      setTell(candidate === null || item === undefined ? null : { item, what: candidate });
    },
    onReason: (reason, candidate) => change((now) => toggleReason(now, reason, candidate)),
    onComment: (comment, candidate) => change((now) => setComment(now, comment, candidate)),
    onEdit: (candidate) => edit.edit(candidate),
  };
  const waiting = useMemo(() => new Set(state.stuck.map((one) => one.item)), [state.stuck]);
  const { data: drawings } = useQuery({
    ...drawingQuery(item ?? 0),
    enabled: desk !== null && desk.item.candidates.length <= DRAWN,
  });
  return (
    <div className="review">
      <ReviewBar queue={queue}>
        <Button
          look="plain"
          size="small"
          icon="gear"
          label="Keys of this page"
          onPress={() => {
            setKeys(true);
          }}
        />
      </ReviewBar>
      {!queue.current && (
        <Notice tone="warn" title={`This queue is about version ${queue.version} of the graph.`}>
          The graph has a newer one. The queue stays on its version: everything here is read from it, and
          verdicts are kept. Labels of relations that are gone are left out of training.
        </Notice>
      )}
      <Stuck state={state} />
      {state.error && (
        <ErrorNotice error={state.error} acts={<Button onPress={state.begin}>Try again</Button>} />
      )}
      <p className="sr-only" role="status" aria-live="polite">
        {desk && `Question ${desk.item.position + 1}: ${desk.item.question}`}
      </p>
      {!desk && state.empty && (
        <EmptyState
          title="Nothing is left for you here"
          act={
            <div className="row">
              <Button onPress={state.undo}>Take my last back</Button>
              <Button onPress={state.begin}>Look again</Button>
            </div>
          }
        >
          Every question is judged, or is with somebody else. What they leave comes back after 15 minutes.{" "}
          <Link to="/review">All queues</Link>
        </EmptyState>
      )}
      {!desk && !state.empty && !state.error && <Loading what="the next question" />}
      {desk && (
        <div className="review-body">
          <QueueList queue={id} current={item} waiting={waiting} search={search} onOpen={open} />
          <ItemCard
            desk={desk}
            drawings={drawings}
            acts={rows}
            telling={telling}
            change={change}
            onTell={setTelling}
            onAdd={edit.addNew}
            editor={
              edit.draft && (
                <PathEditor
                  key={desk.item.id}
                  item={desk.item}
                  draft={edit.draft}
                  walk={edit.walk}
                  pending={edit.pending}
                  error={edit.error}
                  saving={edit.saving}
                  onDraft={edit.onDraft}
                  onSave={edit.save}
                  onClose={edit.close}
                />
              )
            }
            footer={<Foot state={state} desk={desk} />}
          />
          <DeskGraph
            desk={desk}
            hover={hover}
            edit={edit}
            onReady={(handle) => {
              graph.current = handle;
            }}
          />
        </div>
      )}
      <MeanwhileDialog contested={state.contested[0]} user={user} onSettle={state.settle} />
      <KeysDialog
        isOpen={keys}
        onClose={() => {
          setKeys(false);
        }}
      />
    </div>
  );
}

/** What reasons are asked for now. */
function why(desk: Desk): number | "question" | null {
  return desk.opinion.broken ? "question" : aboutWhich(desk);
}
