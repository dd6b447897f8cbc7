// One question over several graphs: what each says, their answers put together, and the evidence of each graph.
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { Link, useParams } from "react-router";
import { acrossQuery, type Across, type AcrossAnswer, type AskedGraph } from "@/api/across";
import { ApiError } from "@/api/client";
import { stopRun } from "@/api/queries";
import { RunMark } from "@/components/compare/RunMark";
import { PlainCanvas } from "@/components/graph/PlainCanvas";
import { Card } from "@/components/kit/Card";
import { Button } from "@/components/kit/controls";
import { EmptyState, Notice, QueryState, Spinner } from "@/components/kit/feedback";
import { useTitle } from "@/components/kit/hooks";
import { Icon } from "@/components/kit/Icon";
import { Page } from "@/components/kit/Page";
import { useUrlNumber } from "@/components/kit/url";
import { acrossGraph, agreement, graphName } from "@/view/across";
import { confidence, count, elide, score, valueText } from "@/view/format";
import { factOfHop } from "@/view/runEntities";
import { toast } from "@/store/toasts";

/** Answers that are listed and drawn at first. */
const LISTED = 50;
const DRAWN = 12;
const ACTIVE = ["queued", "running"];

const STATES: Record<AskedGraph["state"], string> = {
  queued: "waiting",
  running: "being asked",
  paused: "waits for you",
  done: "answered",
  failed: "failed",
  cancelled: "stopped",
  refused: "could not be asked",
  deleted: "deleted",
  hidden: "not visible to you",
};

function GraphRow({ graph, place }: { graph: AskedGraph; place: number }) {
  const trouble = graph.error ?? graph.run?.error ?? graph.run?.no_answer ?? null;
  const gone = graph.state === "deleted" || graph.state === "hidden";
  return (
    <li className="across-graph">
      <RunMark place={place} />
      <div className="grow">
        <p>
          <strong>
            <bdi>{graphName(graph)}</bdi>
          </strong>{" "}
          <span className={`badge ${graph.state === "failed" || graph.state === "refused" ? "bad" : ""}`}>
            {ACTIVE.includes(graph.state) && <Spinner />} {STATES[graph.state]}
          </span>
        </p>
        {graph.text && <p>{elide(graph.text, 300)}</p>}
        {trouble && (
          <p className="muted">
            {trouble.message} {trouble.hint}
          </p>
        )}
        {gone && (
          <p className="muted">
            {graph.state === "deleted"
              ? "The graph or its run was deleted, so its answers are not here. Those of the other graphs are complete."
              : "Its answers are shown to those who may see the graph."}
          </p>
        )}
      </div>
      {graph.run && (
        <Link className="btn small" to={`/runs/${graph.run.id}`}>
          Open
        </Link>
      )}
    </li>
  );
}

function AnswerRow({
  answer,
  rank,
  graphs,
  open,
  onToggle,
}: {
  answer: AcrossAnswer;
  rank: number;
  graphs: Across["graphs"];
  open: boolean;
  onToggle: () => void;
}) {
  const places = answer.members.map((member) => member.place);
  return (
    <li className="across-answer">
      <button type="button" className="across-line" aria-expanded={open} onClick={onToggle}>
        <span className="muted tabular">{rank}</span>
        <span className="grow">
          <bdi>{valueText(answer.label)}</bdi>
        </span>
        <span className="across-marks">
          {places.map((place) => (
            <span key={place} className="badge">
              <RunMark place={place} />
              <span>{elide(graphName(graphs[place] ?? { name: "", state: "hidden" }), 24)}</span>
            </span>
          ))}
        </span>
        <span className="muted small nowrap">
          {answer.guess ? "guess" : confidence(answer.score)}{" "}
          <span className="tabular">{score(answer.score)}</span>
        </span>
      </button>
      {open && (
        <div className="across-evidence">
          {answer.members.map((member) => {
            const graph = graphs[member.place];
            return (
              <section key={member.place} aria-label={`Evidence of ${graph ? graphName(graph) : "a graph"}`}>
                <h3>
                  <RunMark place={member.place} /> <bdi>{graph ? graphName(graph) : ""}</bdi>
                </h3>
                {member.by && (
                  <p className="small muted">
                    {member.by === "iri" ? (
                      <>
                        Matched by its IRI: <span className="mono">{member.iri}</span>
                      </>
                    ) : (
                      <>
                        Matched by its name: “<bdi>{elide(member.label, 80)}</bdi>”
                      </>
                    )}
                  </p>
                )}
                {member.facts.length ? (
                  <ul className="hops">
                    {member.facts.map((hop) => {
                      const fact = factOfHop(hop);
                      return (
                        <li key={fact.key}>
                          <span className="grow">
                            <bdi>{fact.head.label}</bdi> <span className="rel">→ {fact.label}</span>{" "}
                            <bdi>{valueText(fact.tail.label)}</bdi>
                          </span>
                          {fact.verified ? (
                            <span className="badge">
                              <Icon name="check" /> in graph
                            </span>
                          ) : (
                            <span className="badge bad dotted">not in graph</span>
                          )}
                        </li>
                      );
                    })}
                  </ul>
                ) : (
                  <p className="small muted">
                    It was computed, or read from a text: open the run of this graph to see how.
                  </p>
                )}
                {member.facts_total > member.facts.length && (
                  <p className="small muted">
                    and {count(member.facts_total - member.facts.length, "more fact")}
                  </p>
                )}
              </section>
            );
          })}
        </div>
      )}
    </li>
  );
}

async function stopAll(graphs: readonly AskedGraph[]): Promise<void> {
  const going = graphs.flatMap(({ run }) => (run && ACTIVE.includes(run.state) ? [run.id] : []));
  const stopped = await Promise.allSettled(going.map((id) => stopRun(id)));
  const failed = stopped.filter((one) => one.status === "rejected").length;
  if (failed) toast(`${failed} of ${going.length} graphs could not be stopped. Try again.`);
}

function Answers({ across }: { across: Across }) {
  const [opened, setOpened] = useUrlNumber("answer");
  const [all, setAll] = useState(false);
  const { answers, graphs, going } = across;
  const chosen = opened === null ? undefined : answers[opened - 1];
  const model = useMemo(() => acrossGraph(chosen ? [chosen] : answers.slice(0, DRAWN)), [chosen, answers]);
  const said = agreement(across);
  return (
    <>
      <p className="across-said" role="status" aria-live="polite">
        {said}
        {going && " More may come: not every graph has answered yet."}
      </p>
      {answers.length > 0 && (
        <div className="across-panels">
          <Card title="Answers" count={answers.length}>
            <ul className="body across-answers">
              {answers.slice(0, all ? undefined : LISTED).map((answer, at) => (
                <AnswerRow
                  key={answer.members.map(({ place, label }) => `${place} ${label}`).join("|")}
                  answer={answer}
                  rank={at + 1}
                  graphs={graphs}
                  open={opened === at + 1}
                  onToggle={() => setOpened(opened === at + 1 ? null : at + 1)}
                />
              ))}
            </ul>
            {answers.length > LISTED && !all && (
              <p className="body">
                <Button size="small" onPress={() => setAll(true)}>
                  Show all {answers.length}
                </Button>
              </p>
            )}
          </Card>
          {model.nodes.length > 0 && (
            <Card title={chosen ? `Evidence of ${elide(chosen.label, 40)}` : "Evidence"}>
              <div className="across-drawing">
                <PlainCanvas
                  model={model}
                  label={`The evidence: ${count(model.nodes.length, "entity", "entities")}; a line for each graph`}
                />
              </div>
              {!chosen && answers.length > DRAWN && (
                <p className="body small muted">
                  Of the first {DRAWN} answers. Open an answer to see its own.
                </p>
              )}
            </Card>
          )}
        </div>
      )}
    </>
  );
}

export function AcrossPage() {
  const { id = "" } = useParams();
  const across = useQuery(acrossQuery(id));
  const { data, error } = across;
  useTitle(data ? elide(data.question, 60) : "Several graphs");
  if (error instanceof ApiError && error.status === 404) {
    return (
      <EmptyState
        title="This question does not exist"
        act={
          <Link className="btn primary" to="/">
            Ask a question
          </Link>
        }
      >
        It may have been deleted, or you may not see any of its graphs.
      </EmptyState>
    );
  }
  if (!data) {
    return (
      <Page title="Several graphs">
        <QueryState of={across} what="the answers" retry />
      </Page>
    );
  }
  const [first, ...others] = data.graphs.flatMap(({ graph }) => (graph === null ? [] : [graph]));
  const waits = data.graphs.some(({ run }) => run?.warning);
  return (
    <Page
      title={elide(data.question, 60)}
      heading={data.question}
      wide
      acts={
        <>
          {data.going && (
            <Button
              look="danger"
              icon="stop"
              onPress={() => void stopAll(data.graphs).then(() => across.refetch())}
            >
              Stop
            </Button>
          )}
          {first !== undefined && (
            <Link
              className="btn"
              to={`/?graph=${first}${others.length ? `&also=${others.join(".")}` : ""}&q=${encodeURIComponent(data.question)}`}
            >
              Change the question
            </Link>
          )}
        </>
      }
    >
      {error && <QueryState of={across} what="the answers" retry />}
      {waits && (
        <Notice tone="warn" title="No worker is running, so this question waits.">
          It begins by itself as soon as a worker is started.
        </Notice>
      )}
      <Card title="Graphs" count={data.graphs.length}>
        <ul className="body across-graphs">
          {data.graphs.map((graph, place) => (
            <GraphRow key={`${place} ${graph.graph ?? ""}`} graph={graph} place={place} />
          ))}
        </ul>
      </Card>
      <Answers across={data} />
    </Page>
  );
}
