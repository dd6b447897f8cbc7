// A question that somebody shared: its answer, the evidence and the drawing of that, all of it to be looked at only.
import { useMemo, useState } from "react";
import type { Citation } from "@/api/events";
import type { SharedTurn } from "@/api/shared";
import { PlainCanvas } from "@/components/graph/PlainCanvas";
import { Notice } from "@/components/kit/feedback";
import { AnswersPanel } from "@/components/run/AnswersPanel";
import { ChainsPanel } from "@/components/run/ChainsPanel";
import { PassagesPanel } from "@/components/run/PassagesPanel";
import { nothingExplored } from "@/view/explore";
import { count } from "@/view/format";
import { NODE_LIMIT, buildGraph } from "@/view/graphModel";
import { viewAt } from "@/view/runView";

const EVERY_RELATION: ReadonlySet<string> = new Set();

interface Props {
  turn: SharedTurn;
  /** It is the only one, so that it is the page's title. */
  alone: boolean;
}

export function SharedAnswer({ turn, alone }: Props) {
  const view = useMemo(() => viewAt(turn.events[0]?.run ?? "", turn.events, Infinity), [turn]);
  const [chain, setChain] = useState<number | null>(null);
  const [cite, setCite] = useState<Citation | null>(null);
  const model = useMemo(() => {
    const only = "evidence" as const;
    return buildGraph(view, nothingExplored, { chain, limit: NODE_LIMIT, only, relations: EVERY_RELATION });
  }, [view, chain]);
  const Title = alone ? "h1" : "h2";
  const { noAnswer, rewritten, warnings } = view;
  return (
    <article className="shared-answer">
      <Title className="shared-question" dir="auto">
        {turn.question}
      </Title>
      {rewritten && (
        <p className="read-as small">
          <span className="muted">Read as:</span> <bdi>{rewritten.shown}</bdi>
        </p>
      )}
      <div className="shared-parts">
        <div className="shared-side">
          {noAnswer && (
            <Notice tone="info" title="No answer was found">
              {noAnswer.message}
            </Notice>
          )}
          {warnings.map((warning) => (
            <Notice key={warning} tone="warn" title={warning} />
          ))}
          <AnswersPanel
            view={view}
            chain={chain}
            onChain={setChain}
            onFind={(_, of) => setChain(of ?? null)}
            onCite={(citation) => setCite({ ...citation })}
            isTrained={false}
            isShared
          />
          <PassagesPanel view={view} cite={cite} isShared />
          <ChainsPanel graph={null} view={view} chain={chain} onChain={setChain} isShared />
        </div>
        {model.edges.length > 0 && (
          <PlainCanvas
            model={model}
            label={`Drawing of the evidence: ${count(model.nodes.length, "entity", "entities")}. The list of evidence has the same facts.`}
          />
        )}
      </div>
    </article>
  );
}
