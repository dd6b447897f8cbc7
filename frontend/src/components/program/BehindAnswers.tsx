// What stands behind answers that a program worked out: the next in a ranking, and the list that was counted.
import { count } from "@/view/format";
import type { RunView } from "@/view/runView";
import { FindButton } from "./FindButton";
import { NodeList } from "./NodeList";
import { listBehind, rankedOf } from "./programWords";
import "./program.css";

interface Props {
  view: RunView;
  onFind: (entity: number) => void;
}

export function BehindAnswers({ view, onFind }: Props) {
  const { runnersUp } = rankedOf(view);
  const behind = listBehind(view);
  return (
    <>
      {runnersUp.length > 0 && (
        <details className="more small behind">
          <summary>{count(runnersUp.length, "runner-up", "runners-up")}</summary>
          <ol className="runners-up" aria-label="Runners-up">
            {runnersUp.map(({ node, display }) => (
              <li key={node.id}>
                <FindButton node={node} onFind={onFind} />
                <span className="tabular">{display}</span>
              </li>
            ))}
          </ol>
        </details>
      )}
      {behind && (
        <details className="more small behind">
          <summary>{behind.title}</summary>
          <NodeList
            label={behind.title}
            nodes={behind.step.nodes}
            total={behind.step.count}
            onFind={onFind}
          />
        </details>
      )}
    </>
  );
}
