// What stands beside the drawing of a run: how it goes, its answers, and what they rest on.
import { useState } from "react";
import type { ProgramReading } from "@/api/events";
import type { Graph, Run, Status } from "@/api/types";
import { Button } from "@/components/kit/controls";
import { Notice } from "@/components/kit/feedback";
import { ProgramPanel } from "@/components/program/ProgramPanel";
import { useMethodName } from "@/components/kit/useMethodName";
import { useUrl } from "@/components/kit/url";
import { citationOf, citationText } from "@/view/citations";
import type { Link } from "@/store/runStore";
import { isOver, type RunView } from "@/view/runView";
import { AnswersPanel } from "./AnswersPanel";
import { ChainsPanel } from "./ChainsPanel";
import { DoubtDialog, Doubts, type Doubt } from "./Doubt";
import { useKeep } from "@/components/tests/useKeep";
import { useRight } from "./useRight";
import { NoAnswerCard } from "./NoAnswerCard";
import { PassagesPanel } from "./PassagesPanel";
import { RunNotices } from "./RunNotices";
import { SteerPanel } from "./SteerPanel";
import { Thread } from "./Thread";
import { WhyNot } from "./WhyNot";
import { doing } from "./runWords";
import type { Steering } from "./useSteering";
import { nameOf } from "@/view/entityNames";

interface Props {
  run: Run | undefined;
  /** The run as it is now, and as it was at the step on show. */
  live: RunView;
  shown: RunView;
  link: Link;
  graph: Graph | undefined;
  status: Status | undefined;
  chain: number | null;
  isTrained: boolean;
  steering: Steering | null;
  onStop: () => void;
  onChain: (chain: number | null) => void;
  onEnd: () => void;
  /** Look at an entity, and at the chain that leads to it. */
  onFind: (entity: number, chain?: number) => void;
  onAgain: () => void;
  /** Ask again with a name of the graph in place of the one that it lacks. */
  onMeant: (name: string) => void;
  /** Ask a question that the graph is known to answer. */
  onExample: (question: string) => void;
  /** The step of the program that is looked at. */
  part: number | null;
  onPart: (part: number | null) => void;
  /** Ask again with another program, which corrects this run's. */
  onProgram: (program: ProgramReading["program"]) => void;
  /** Ask again with so many facts. */
  onBudget: (budget: number) => void;
  /** Ask again about this entity. */
  onPin: (entity: { id: number; label: string }) => void;
  /** Ask again with more facts; undefined when there is no more. */
  onRaiseBudget: (() => void) | undefined;
}

export function RunSide(props: Props) {
  const { run, live, shown, link, graph, status, chain, isTrained, steering, onChain, onAgain } = props;
  const methodName = useMethodName();
  const [address, putUrl] = useUrl();
  const [cite, setCite] = useState(() => citationOf(address.get("cite")));
  const [doubt, setDoubt] = useState<Doubt | null>(null);
  const right = useRight(run);
  const keep = useKeep(run);
  // Of a run that has ended, as it ended.
  const ended = run !== undefined && isOver(live.phase) && shown.seq === live.seq;
  // Analysts judge paths on a version of the graph, and one in an endpoint has none.
  const mayDoubt = ended && !live.started?.endpoint;
  const going = live.phase === "running" && link !== "missing";
  const steer = steering && (live.agent.length > 0 || steering.phase !== "over") && (
    <SteerPanel view={live} steering={steering} onStop={props.onStop} />
  );
  return (
    <>
      {run && <Thread run={run} />}
      <div className="side-notes">
        {shown.seq < live.seq && (
          <Notice
            tone="info"
            title={`The run as of step ${shown.steps.length} of ${live.steps.length}`}
            acts={
              <Button size="small" onPress={props.onEnd}>
                Show the end
              </Button>
            }
          />
        )}
        {shown.rewritten && (
          <p className="read-as small">
            <span className="muted">Read as:</span> <bdi>{shown.rewritten.shown}</bdi>
          </p>
        )}
        <RunNotices view={live} link={link} run={run} graph={graph} status={status} onAgain={onAgain} />
        {shown.noAnswer && (
          <NoAnswerCard
            noAnswer={shown.noAnswer}
            question={shown.started?.question}
            byProgram={shown.program !== null}
            onAgain={onAgain}
            onMeant={props.onMeant}
            onRaiseBudget={props.onRaiseBudget}
            topics={shown.linked.map((one) => ({ id: one.entity.id, label: nameOf(one.entity) }))}
            onFind={props.onFind}
            examples={graph?.examples ?? []}
            onExample={props.onExample}
          />
        )}
        {shown.noAnswer && mayDoubt && (
          <p>
            <Button size="small" icon="flag" onPress={() => setDoubt({ kind: "answer-missing" })}>
              An answer is missing
            </Button>
          </p>
        )}
        {run && <Doubts flags={run.flags ?? []} />}
      </div>
      {going && shown.phase === "running" && !shown.answers.length && !shown.text && (
        <p className="waiting" role="status">
          <span className="spin" aria-hidden="true" /> {doing(shown)}…
        </p>
      )}
      {steering?.phase !== "over" && steer}
      <AnswersPanel
        view={shown}
        chain={chain}
        onChain={onChain}
        onFind={props.onFind}
        onCite={(citation) => {
          // A new object each time, so that the same sentence is shown again.
          setCite({ ...citation });
          putUrl({ cite: citationText(citation) });
        }}
        isTrained={isTrained}
        methodName={methodName}
        {...(ended && keep && { onKeep: keep })}
        {...(mayDoubt && {
          ...(!right.isPending && { onRight: () => right.mutate() }),
          onDoubt: (answer) => {
            setDoubt({ kind: "answer-wrong", ...(answer && { answer }) });
          },
        })}
      />
      {run && mayDoubt && live.phase === "done" && (
        <WhyNot
          run={run}
          onProgram={props.onProgram}
          onBudget={props.onBudget}
          onPin={props.onPin}
          onMissing={(name) => setDoubt({ kind: "answer-missing", right: [name] })}
        />
      )}
      {shown.program && (
        <ProgramPanel
          key={`${live.run} ${shown.program.read.text}`}
          program={shown.program}
          question={shown.started?.question ?? ""}
          corrects={run?.corrects ?? null}
          graph={graph}
          chosen={props.part}
          onChoose={props.onPart}
          onFind={props.onFind}
          onRun={ended ? props.onProgram : undefined}
        />
      )}
      <PassagesPanel key={`${live.run} passages`} view={shown} cite={cite} />
      <ChainsPanel
        graph={graph?.id ?? null}
        view={shown}
        chain={chain}
        onChain={onChain}
        {...(mayDoubt && {
          onDoubt: (index) => setDoubt({ kind: "path-wrong", chain: index }),
        })}
      />
      {run && <DoubtDialog run={run} view={live} doubt={doubt} onClose={() => setDoubt(null)} />}
      {steering?.phase === "over" && steer}
    </>
  );
}
