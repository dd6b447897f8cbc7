// The answers, best first, each with its certainty and the chains behind it.
import { useState } from "react";
import { Button as AriaButton } from "react-aria-components";
import type { Answer } from "@/api/events";
import { Icon } from "@/components/kit/Icon";
import { ActMenu, Button, Tip } from "@/components/kit/controls";
import { Fingerprint } from "@/components/kit/says";
import { copyText, download, fileName } from "@/store/files";
import { count, milliseconds, score } from "@/store/format";
import type { RunView } from "@/store/runView";

const FIRST = 12;

interface Props {
  view: RunView;
  chain: number | null;
  onChain: (chain: number | null) => void;
  onFind: (entity: number) => void;
}

function Verified({ answer }: { answer: Answer }) {
  if (answer.verified) {
    return (
      <Tip text="Every hop of a supporting chain was found in the knowledge graph">
        <AriaButton className="badge good as-text" excludeFromTabOrder>
          <Icon name="check" /> verified
        </AriaButton>
      </Tip>
    );
  }
  return (
    <span
      className="badge bad dotted"
      title={
        answer.entity
          ? "No supporting chain was fully found in the graph"
          : "The language model named it; the graph does not hold it"
      }
    >
      {answer.entity ? "unverified" : "not in the graph"}
    </span>
  );
}

function AnswerRow({
  answer,
  rank,
  chain,
  onChain,
  onFind,
}: { answer: Answer; rank: number } & Omit<Props, "view">) {
  const [first] = answer.chains;
  const { entity } = answer;
  return (
    <li className={`answer ${first !== undefined && first === chain ? "on" : ""}`}>
      <span className="answer-rank tabular">{rank}</span>
      {entity ? (
        <button
          type="button"
          className="answer-label"
          title={`Show ${answer.label} in the graph`}
          onClick={() => {
            onFind(entity.id);
          }}
        >
          {answer.label}
        </button>
      ) : (
        <span className="answer-label">{answer.label}</span>
      )}
      <Verified answer={answer} />
      {first === undefined ? (
        <span className="answer-chains muted small">no chain</span>
      ) : (
        <button
          type="button"
          className="answer-chains link small"
          aria-pressed={first === chain}
          onClick={() => {
            onChain(first === chain ? null : first);
          }}
        >
          {count(answer.chains.length, "chain")}
        </button>
      )}
      <span className="answer-score tabular" title="Probability, 0 to 1">
        <span className="bar" aria-hidden="true">
          <span style={{ width: `${Math.round(answer.score * 100)}%` }} />
        </span>
        {score(answer.score)}
      </span>
    </li>
  );
}

export function AnswersPanel({ view, chain, onChain, onFind }: Props) {
  const [all, setAll] = useState(false);
  const { answers, text, tookMs } = view;
  const shown = all ? answers : answers.slice(0, FIRST);
  const question = view.started?.question ?? "answers";
  if (!answers.length && !text) return null;
  return (
    <section className="panel" aria-labelledby="answers-title">
      <header className="panel-head">
        <h2 id="answers-title">Answers</h2>
        <span className="muted small tabular">
          {answers.length > 0 && answers.length}
          {tookMs !== null && ` · ${milliseconds(tookMs)}`}
        </span>
        {view.started && <span className="muted small mono">{view.started.method}</span>}
        {view.started?.checkpoint && <Fingerprint value={view.started.checkpoint} of="Checkpoint" />}
        {view.started && !view.started.checkpoint && (
          <span
            className="badge"
            title="Asked without a trained checkpoint: relation paths were scored by the text encoder alone. Train on a question set of this graph for better answers."
          >
            zero-shot
          </span>
        )}
        <span className="grow" />
        {answers.length > 0 && (
          <ActMenu
            label="Copy or export the answers"
            trigger={<Button look="plain" size="small" icon="copy" aria-label="Copy or export the answers" />}
            acts={[
              {
                id: "copy",
                label: "Copy as lines",
                icon: "copy",
                onAction: () => void copyText(answers.map((a) => a.label).join("\n"), "Answers"),
              },
              {
                id: "json",
                label: "Download as JSON",
                icon: "download",
                onAction: () => {
                  download(
                    fileName(`${question} answers`, "json"),
                    JSON.stringify({ question, answers }, null, 2),
                  );
                },
              },
            ]}
          />
        )}
      </header>
      {text && <p className={`answer-text ${view.phase === "running" ? "writing" : ""}`}>{text}</p>}
      <ol className="answers">
        {shown.map((answer, index) => (
          <AnswerRow
            key={`${answer.entity?.id ?? "none"} ${answer.label}`}
            answer={answer}
            rank={index + 1}
            chain={chain}
            onChain={onChain}
            onFind={onFind}
          />
        ))}
      </ol>
      {answers.length > FIRST && (
        <Button
          look="plain"
          size="small"
          onPress={() => {
            setAll(!all);
          }}
        >
          {all ? `Show the first ${FIRST}` : `Show all ${answers.length}`}
        </Button>
      )}
    </section>
  );
}
