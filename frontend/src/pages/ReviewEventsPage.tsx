// Everything that happened in a queue: who said what when, and what they were shown.
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import type { Queue } from "@/api/review";
import { EVENTS, downloadEvents, eventsQuery, type ReviewEvent } from "@/api/reviewDeciding";
import { queueStatisticsQuery } from "@/api/reviewFigures";
import { KindBadge } from "@/components/review/CandidateRow";
import { QueueFrame } from "@/components/review/QueueFrame";
import { Pages, usePage } from "@/components/kit/Pages";
import { ActMenu, Button, Pick } from "@/components/kit/controls";
import { Ago, EmptyState, Fingerprint, QueryState } from "@/components/kit/feedback";
import { useUrl } from "@/components/kit/url";
import { fileName, saveFile } from "@/components/kit/files";
import { count, integer } from "@/view/format";
import { REASONS } from "@/view/review";

const DID: Record<ReviewEvent["kind"], string> = {
  submitted: "judged",
  replaced: "judged anew",
  undone: "took back",
  redone: "did again",
  "added-path": "added a path to",
  adjudicated: "decided",
  undecided: "took the decision back of",
  settled: "accepted as unanimous",
  unsettled: "took the acceptance back of",
  imported: "brought verdicts for",
  answered: "gave the right answers to",
  reopened: "carried over and opened again",
};

const ANYBODY = "anybody";

export function ReviewEventsPage() {
  return <QueueFrame part="what happened">{({ queue }) => <Events queue={queue} />}</QueueFrame>;
}

function Verdicts({ event }: { event: ReviewEvent }) {
  const counts = new Map<ReviewEvent["verdicts"][number]["kind"], number>();
  for (const { kind } of event.verdicts) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const reasons = [...new Set(event.verdicts.flatMap((one) => one.reasons))];
  if (event.withheld) return <span className="small muted">Shown once the question is complete</span>;
  const comments = [event.comment, ...event.verdicts.map((one) => one.comment)].filter(Boolean);
  return (
    <>
      {[...counts].map(([kind, times]) => (
        <span key={kind} className="nowrap">
          <KindBadge kind={kind} />{" "}
          {times > 1 && <span className="small muted tabular">{integer(times)}</span>}{" "}
        </span>
      ))}
      {reasons.length > 0 && (
        <span className="small muted">
          {reasons.map((one) => REASONS.find(({ reason }) => reason === one)?.label ?? one).join(", ")}
        </span>
      )}
      {event.answers && (
        <span className="small">
          <bdi>{event.answers.now.join("; ") || "not known"}</bdi>{" "}
          {event.answers.before.length > 0 && (
            <span className="muted">
              instead of <bdi>{event.answers.before.join("; ")}</bdi>
            </span>
          )}
        </span>
      )}
      {comments.map((one, at) => (
        <q key={at} className="small">
          {one}
        </q>
      ))}
    </>
  );
}

function Events({ queue }: { queue: Queue }) {
  const [params, put] = useUrl();
  const analyst = params.get("analyst") ?? "";
  const item = params.get("item") ?? "";
  const [page, setPage] = usePage();
  const found = useQuery(eventsQuery(queue.id, { item, analyst, page }));
  const { data: figures } = useQuery(queueStatisticsQuery(queue.id));
  const people = [
    ...new Set([...(figures?.people ?? []).map((one) => one.analyst), ...(analyst ? [analyst] : [])]),
  ];
  const rows = found.data?.results ?? [];
  const save = (format: "jsonl" | "csv") =>
    void saveFile(
      fileName(`${queue.name} events`, format),
      downloadEvents(queue.id, format, { item, analyst }),
      "The events",
    );
  return (
    <div className="page wide">
      <div className="row wrap">
        <Pick
          label="Whose"
          className="pick-small"
          options={[{ id: ANYBODY, label: "Everybody" }, ...people.map((id) => ({ id, label: id }))]}
          value={analyst || ANYBODY}
          onChange={(id) => put({ analyst: id === ANYBODY ? null : id, page: null })}
        />
        {item && (
          <Button size="small" icon="close" onPress={() => put({ item: null, page: null })}>
            One question only
          </Button>
        )}
        <span className="small muted">
          {found.data && count(found.data.count, "event")}; none is ever changed
        </span>
        <span className="grow" />
        <ActMenu
          label="Download the events"
          trigger={<Button size="small" icon="download" aria-label="Download the events" />}
          acts={[
            { id: "jsonl", label: "JSONL", icon: "download", onAction: () => save("jsonl") },
            { id: "csv", label: "CSV", icon: "download", onAction: () => save("csv") },
          ]}
        />
      </div>
      <QueryState of={found} what="what happened" retry />
      {found.data && rows.length === 0 && (
        <EmptyState title="Nothing has happened yet" act={<Link to={`/review/${queue.id}`}>Judge</Link>}>
          Every verdict, decision, import and undo stands here, with who, when and what was shown.
        </EmptyState>
      )}
      {rows.length > 0 && (
        <div className="card scroll-x">
          <table className="table dense">
            <thead>
              <tr>
                <th>When</th>
                <th>Who did what</th>
                <th>What was said</th>
                <th className="hide-narrow">Shown</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((event) => (
                <tr key={event.id}>
                  <td className="muted nowrap">
                    <Ago iso={event.at} />
                  </td>
                  <td>
                    <span className="strong">{event.analyst}</span> {DID[event.kind]}{" "}
                    <Link to={`/review/${queue.id}?item=${event.item}`}>{event.question}</Link>{" "}
                    {!item && (
                      <Button
                        look="link"
                        className="small"
                        aria-label={`Only what happened to ${event.question}`}
                        onPress={() => put({ item: String(event.item), page: null })}
                      >
                        only this
                      </Button>
                    )}
                  </td>
                  <td>
                    <Verdicts event={event} />
                  </td>
                  <td className="hide-narrow">
                    <Fingerprint value={event.shown} of="What was shown" />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <Pages what="events" page={page} size={EVENTS} data={found.data} onPage={setPage} />
    </div>
  );
}
