// One review queue: the questions, the one before the analyst with its paths, and the path in focus in the graph.
import { useQuery } from "@tanstack/react-query";
import { Suspense, lazy, useMemo } from "react";
import { Link, useParams } from "react-router";
import { sessionQuery } from "@/api/queries";
import { drawingQuery, queueItemsQuery, queueQuery, queueStatisticsQuery } from "@/api/review";
import { CandidateRow } from "@/components/review/CandidateRow";
import { useDesk, type DeskState } from "@/components/review/useDesk";
import { Button } from "@/components/kit/controls";
import { useMedia, usePageKeys, useTitle } from "@/components/kit/hooks";
import { EmptyState, ErrorNotice, Loading, Notice } from "@/components/kit/says";
import type { GraphEvents } from "@/graph/handle";
import { count, integer, percent } from "@/store/format";
import { actOf, judge, missing, moveFocus, type Desk } from "@/store/review";
import { reviewGraph } from "@/store/reviewGraph";
import { useSettings } from "@/store/settings";

const GraphCanvas = lazy(() => import("@/graph/GraphCanvas"));
const NOTHING: GraphEvents = {
  onHover: () => undefined,
  onSelect: () => undefined,
  onMenu: () => undefined,
  onExpand: () => undefined,
};

function Drawing({ desk }: { desk: Desk }) {
  const { theme } = useSettings();
  const dark = useMedia("(prefers-color-scheme: dark)");
  const { item, focus } = desk;
  const drawing = useQuery(drawingQuery(item.id));
  const model = useMemo(
    () => reviewGraph(drawing.data ?? [], item, item.candidates[focus]?.id ?? null),
    [drawing.data, item, focus],
  );
  return (
    <section className="graph" aria-label="Graph of the path in focus">
      <div className="graph-body">
        <div className="graph-focus">
          <Suspense fallback={<Loading what="the graph view" />}>
            <GraphCanvas
              key={item.id}
              model={model}
              events={NOTHING}
              theme={`${theme}${String(dark)}`}
              onReady={() => undefined}
            />
          </Suspense>
        </div>
        {drawing.error && <ErrorNotice error={drawing.error} />}
        {drawing.data && model.edges.length === 0 && (
          <p className="graph-empty muted">No path of this question reaches anything in the graph.</p>
        )}
      </div>
      <p className="graph-note small muted">
        hit: an answer that the path reaches · extra: no answer, and reached · missed: an answer, not reached
      </p>
    </section>
  );
}

function ItemCard({ state, desk }: { state: DeskState; desk: Desk }) {
  const { setDesk, submit, undo, busy } = state;
  const { item, focus, verdicts, broken } = desk;
  const left = missing(desk);
  return (
    <section className="review-item" aria-label="Question">
      <p className="small muted">
        {integer(item.position + 1)} · {item.reason}
      </p>
      <h2>{item.question}</h2>
      <p>
        <span className="label">Answers</span> {item.answers.join(", ") || "none known"}
      </p>
      {item.candidates.length === 0 && (
        <p className="muted">No path is known. Submit it as it is, or call the question broken.</p>
      )}
      <ol className="candidates">
        {item.candidates.map((candidate, place) => (
          <CandidateRow
            key={candidate.id}
            candidate={candidate}
            place={place}
            focused={place === focus}
            verdict={broken ? undefined : verdicts.get(candidate.id)}
            onFocus={() => {
              setDesk((now) => ({ ...now, focus: place }));
            }}
            onJudge={(kind) => {
              setDesk((now) => judge(now, kind, place));
            }}
          />
        ))}
      </ol>
      <label className="field">
        <span className="label">Comment</span>
        <textarea
          className="input"
          rows={2}
          maxLength={2000}
          value={desk.comment}
          onChange={(event) => {
            const comment = event.target.value;
            setDesk((now) => ({ ...now, comment }));
          }}
        />
      </label>
      <div className="row wrap">
        <Button look="primary" isDisabled={left > 0 || busy} onPress={submit}>
          Submit and next <kbd>Enter</kbd>
        </Button>
        <Button
          look={broken ? "danger" : undefined}
          aria-pressed={broken}
          onPress={() => {
            setDesk((now) => ({ ...now, broken: !now.broken }));
          }}
        >
          Question is broken <kbd>b</kbd>
        </Button>
        <Button isDisabled={busy} onPress={undo}>
          Take the last back <kbd>Ctrl Z</kbd>
        </Button>
        <span className="small muted" role="status">
          {left > 0 ? `${count(left, "path")} to judge` : "Ready to submit"} · <kbd>J</kbd> <kbd>K</kbd>{" "}
          between paths
        </span>
      </div>
    </section>
  );
}

function QueueList({ queue, current }: { queue: string; current: number | undefined }) {
  const items = useQuery(queueItemsQuery(queue, "", "", 1));
  return (
    <nav className="review-list" aria-label="Questions of this queue">
      <ol>
        {(items.data?.results ?? []).map((row) => (
          <li key={row.id} className={row.id === current ? "on" : ""} aria-current={row.id === current}>
            <span className="grow" title={row.reason}>
              {row.question}
            </span>
            {row.state !== "open" && <span className="badge">{row.state}</span>}
          </li>
        ))}
      </ol>
      {items.data && items.data.count > items.data.results.length && (
        <p className="small muted">
          the first {items.data.results.length} of {integer(items.data.count)}
        </p>
      )}
    </nav>
  );
}

export function ReviewQueuePage() {
  const { id = "" } = useParams();
  const queue = useQuery(queueQuery(id));
  const { data: session } = useQuery(sessionQuery);
  useTitle(queue.data?.name ?? "Review");
  if (queue.error) return <ErrorNotice error={queue.error} />;
  if (!queue.data || !session) return <Loading what="the queue" />;
  if (queue.data.state !== "done") {
    return (
      <EmptyState title={queue.data.name} act={<Link to="/review">All queues</Link>}>
        {queue.data.error?.message ??
          `This queue is not ready: ${queue.data.state}. The jobs tray shows its job.`}
      </EmptyState>
    );
  }
  if (session.user?.role === "viewer") {
    return (
      <EmptyState title={queue.data.name} act={<Link to="/review">All queues</Link>}>
        Only an analyst or an admin can judge. Ask an admin for the role.
      </EmptyState>
    );
  }
  return <Judging id={id} key={id} />;
}

function Judging({ id }: { id: string }) {
  const { data: queue } = useQuery(queueQuery(id));
  const { data: figures } = useQuery(queueStatisticsQuery(id));
  const state = useDesk(id);
  const { desk, setDesk } = state;
  usePageKeys((event) => {
    const act = actOf(event);
    if (!act) return;
    // A focused button keeps its Enter.
    if (act.type === "submit" && (event.target as HTMLElement).closest("button, a")) return;
    event.preventDefault();
    if (act.type === "judge") setDesk((now) => judge(now, act.kind));
    if (act.type === "move") setDesk((now) => moveFocus(now, act.by));
    if (act.type === "broken") setDesk((now) => ({ ...now, broken: !now.broken }));
    if (act.type === "submit") state.submit();
    if (act.type === "undo") state.undo();
  });
  const agreed = figures?.agreement.percent ?? null;
  return (
    <div className="review">
      <div className="review-bar">
        <Link to="/review">Review</Link> <strong>{queue?.name}</strong>
        <span className="grow" />
        {queue && (
          <span className="small muted tabular">
            {integer(queue.items - queue.progress.open)} of {integer(queue.items)} judged
          </span>
        )}
        {agreed !== null && <span className="small muted tabular">agreement {percent(agreed)}</span>}
      </div>
      {queue && !queue.current && (
        <Notice tone="warn" title={`This queue is about version ${queue.version} of the graph.`}>
          The graph has a newer one. Verdicts are kept; labels of relations that are gone are left out of
          training.
        </Notice>
      )}
      {state.error && (
        <ErrorNotice error={state.error} acts={<Button onPress={state.begin}>Try again</Button>} />
      )}
      {state.finished && (
        <EmptyState
          title="Nothing is left for you here"
          act={<Button onPress={state.undo}>Take my last back</Button>}
        >
          Every question is judged, or is with somebody else. <Link to="/review">All queues</Link>
        </EmptyState>
      )}
      {!desk && !state.finished && !state.error && <Loading what="the next question" />}
      {desk && (
        <div className="review-body">
          <QueueList queue={id} current={desk.item.id} />
          <ItemCard state={state} desk={desk} />
          <Drawing desk={desk} />
        </div>
      )}
    </div>
  );
}
