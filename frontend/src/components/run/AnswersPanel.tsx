// The answers, best first, each with its certainty and the chains behind it.
import { useState } from "react";
import { Button as AriaButton } from "react-aria-components";
import type { Answer, Citation } from "@/api/events";
import { Button, IconButton, Tip } from "@/components/kit/controls";
import { Fingerprint } from "@/components/kit/feedback";
import { CopyMenu } from "@/components/kit/CopyMenu";
import { AnswerTable, tableLines } from "@/components/run/AnswerTable";
import { BehindAnswers } from "@/components/program/BehindAnswers";
import { rankedOf } from "@/components/program/programWords";
import { passageRanks } from "@/view/citations";
import { confidence, count, milliseconds, score, valueText } from "@/view/format";
import type { RunView } from "@/view/runView";
import { nameOf } from "@/view/entityNames";
import { LimitNotice } from "./LimitNotice";

const FIRST = 12;
/** Citations named on an answer's line; more are a glance away in the passages. */
const CITED = 3;

interface Props {
  view: RunView;
  chain: number | null;
  onChain: (chain: number | null) => void;
  /** Look at an answer, and at the chain that leads to it. */
  onFind: (entity: number, chain?: number) => void;
  onCite: (citation: Citation) => void;
  /** The method learns from questions, so that one without a checkpoint is less than it could be. */
  isTrained: boolean;
  /** What methods are called; their ids where it is left out. */
  methodName?: (method: string) => string;
  /** It is shown by a link, to people who can ask the server for nothing else. */
  isShared?: boolean;
  /** Say that an answer is wrong, or (null) that something is wrong with all of it. */
  onDoubt?: ((answer: Answer | null) => void) | undefined;
  /** Say that these answers are right. */
  onRight?: (() => void) | undefined;
  /** Keep these answers as a test of the graph. */
  onKeep?: (() => void) | undefined;
}

/** What an answer rests on: facts or sentences that are there. Not whether it is right, which its confidence is about. */
function Verification({ answer }: { answer: Answer }) {
  const { entity, chains, citations, verified, guess } = answer;
  if (guess && verified) return null; // that its facts are there says nothing for a guess
  if (verified) {
    const how = chains.length
      ? "Each hop of its chain is a fact of the graph. Whether the chain answers the question is what its confidence says"
      : "The cited sentences stand in the passages, word for word";
    return (
      <Tip text={how}>
        <AriaButton className="badge as-text" excludeFromTabOrder>
          {chains.length || !citations.length ? "facts in graph" : "from the text"}
        </AriaButton>
      </Tip>
    );
  }
  if (!chains.length && citations.length) {
    return (
      <span className="badge" title="Read from the cited sentences">
        from the text
      </span>
    );
  }
  return (
    <span
      className="badge bad dotted"
      title={
        entity
          ? "The graph does not hold all facts of any chain that leads to it"
          : "The language model named it; the graph does not hold it"
      }
    >
      {entity ? "facts not in graph" : "not in the graph"}
    </span>
  );
}

function Cited({
  answer,
  ranks,
  onCite,
}: { answer: Answer; ranks: ReadonlyMap<number, number> } & Pick<Props, "onCite">) {
  // Each passage once: its first cited sentence leads there, and all of them are marked in it.
  const citations = answer.citations.filter(
    (one, at, all) => all.findIndex((other) => other.passage === one.passage) === at,
  );
  return (
    <>
      {citations.slice(0, CITED).map((one) => {
        const rank = ranks.get(one.passage);
        return (
          <button
            key={`${one.passage} ${one.start}`}
            type="button"
            className="link small tabular"
            disabled={rank === undefined}
            aria-label={`Sentence cited for ${nameOf(answer)}, in passage ${rank ?? "that is not listed"}`}
            title="Show the sentence"
            onClick={() => onCite(one)}
          >
            [{rank ?? "?"}]
          </button>
        );
      })}
      {citations.length > CITED && <span className="small muted tabular">+{citations.length - CITED}</span>}
    </>
  );
}

/** Of many answers that are in the graph the first have their chains; what nothing supports is marked. */
function NoChain({ isVerified }: { isVerified: boolean }) {
  return isVerified ? (
    <span className="small muted" title="Chains are told of the first answers alone">
      not drawn
    </span>
  ) : (
    <span className="badge bad dotted" title="Neither a chain of facts nor a sentence supports this answer">
      no evidence
    </span>
  );
}

/** What an answer rests on, each a way to see it. */
function Evidence({
  answer,
  ranks,
  chain,
  onChain,
  onCite,
}: { answer: Answer; ranks: ReadonlyMap<number, number> } & Pick<Props, "chain" | "onChain" | "onCite">) {
  const [first] = answer.chains;
  return (
    <span className="answer-chains">
      {first !== undefined && (
        <button
          type="button"
          className="link small"
          aria-pressed={first === chain}
          onClick={() => onChain(first === chain ? null : first)}
        >
          {count(answer.chains.length, "chain")}
        </button>
      )}
      <Cited answer={answer} ranks={ranks} onCite={onCite} />
      {first === undefined && !answer.citations.length && <NoChain isVerified={answer.verified} />}
    </span>
  );
}

/** What of the question the answers do not take into account. */
function Unused({ words }: { words: readonly string[] }) {
  return (
    <ul className="answer-unused" aria-label="Words of the question that were not used">
      {words.map((word, index) => (
        <li key={index} className="badge warn" title="The answers do not take these words into account">
          not used: <bdi>{word}</bdi>
        </li>
      ))}
    </ul>
  );
}

/** An answer as a line of text, with tabs before what was asked for beside it. */
function lineOf(answer: Answer): string {
  return [nameOf(answer), ...answer.beside.map((own) => own.value)].join("\t");
}

function Certainty({ answer }: { answer: Answer }) {
  return (
    <span className="answer-score tabular" title="Confidence, 0 to 1">
      <span className="muted">{answer.guess ? "guess" : confidence(answer.score)}</span>
      <span className="bar" aria-hidden="true">
        <span style={{ width: `${Math.round(answer.score * 100)}%` }} />
      </span>
      {score(answer.score)}
    </span>
  );
}

function AnswerRow({
  answer,
  rank,
  value,
  onFind,
  onDoubt,
  ...evidence
}: {
  answer: Answer;
  rank: number;
  value: string | undefined;
  ranks: ReadonlyMap<number, number>;
} & Omit<Props, "view" | "isTrained">) {
  const [first] = answer.chains;
  const { entity, owner } = answer;
  return (
    <li
      className={`answer ${answer.guess ? "guess" : ""} ${first !== undefined && first === evidence.chain ? "on" : ""}`}
    >
      <span className="answer-rank tabular">{rank}</span>
      {entity ? (
        <button
          type="button"
          className="answer-label"
          title={`Show ${nameOf(answer)} in the graph`}
          onClick={() => onFind(entity.id, first)}
        >
          <bdi>{valueText(nameOf(answer))}</bdi>
          {value && value !== valueText(nameOf(answer)) && (
            <span className="answer-value tabular"> {value}</span>
          )}
          {owner && (
            <span className="answer-owner">
              {" "}
              of <bdi>{owner}</bdi>
            </span>
          )}
        </button>
      ) : (
        <span className="answer-label">
          <bdi>{answer.display || valueText(nameOf(answer))}</bdi>
        </span>
      )}
      <Verification answer={answer} />
      <Evidence answer={answer} {...evidence} />
      <Certainty answer={answer} />
      {onDoubt && (
        <IconButton
          icon="flag"
          className="answer-doubt"
          label={`${nameOf(answer)} is wrong`}
          onPress={() => onDoubt(answer)}
        />
      )}
      {answer.beside.length > 0 && (
        <dl className="answer-beside">
          {answer.beside.map((own) => (
            <div key={own.name}>
              <dt>{own.name}</dt>
              <dd>
                <bdi>{valueText(own.value)}</bdi>
              </dd>
            </div>
          ))}
        </dl>
      )}
    </li>
  );
}

export function AnswersPanel({
  view,
  chain,
  onChain,
  onFind,
  onCite,
  isTrained,
  methodName = (method) => method,
  isShared = false,
  onDoubt,
  onRight,
  onKeep,
}: Props) {
  const [all, setAll] = useState(false);
  const ranks = passageRanks(view);
  const { values } = rankedOf(view);
  const { answers, text, sentence, table, unused, tookMs, limit } = view;
  const shown = all ? answers : answers.slice(0, FIRST);
  const guesses = answers.findIndex((answer) => answer.guess);
  const question = view.started?.question ?? "answers";
  if (!answers.length && !text) return null;
  const rows = (from: number, to: number) => (
    <ol className="answers" start={from + 1}>
      {shown.slice(from, to).map((answer, index) => (
        <AnswerRow
          key={`${answer.entity?.id ?? "none"} ${nameOf(answer)}`}
          answer={answer}
          rank={from + index + 1}
          value={answer.entity ? values.get(answer.entity.id) : undefined}
          ranks={ranks}
          chain={chain}
          onChain={onChain}
          onFind={onFind}
          onCite={onCite}
          onDoubt={onDoubt}
        />
      ))}
    </ol>
  );
  return (
    <section className="panel" aria-label={isShared ? `Answers: ${question}` : "Answers"}>
      <header className="panel-head">
        <h2>{limit?.withheld ? "Best guess" : guesses === 0 ? "Closest guesses" : "Answers"}</h2>
        <span className="muted small tabular">
          {table ? count(table.total, "row") : answers.length > 0 && answers.length}
          {tookMs !== null && ` · ${milliseconds(tookMs)}`}
        </span>
        {view.started && (
          <span className="muted small elide answers-how" title={view.router?.reason}>
            {methodName(view.started.method)}
            {view.router && ` → ${methodName(view.router.method)}`}
          </span>
        )}
        {view.started?.checkpoint && <Fingerprint value={view.started.checkpoint} of="Checkpoint" />}
        {table && answers[0] && <Certainty answer={answers[0]} />}
        {isTrained && view.started && !view.started.checkpoint && (
          <span
            className="badge"
            title="Asked without a trained checkpoint: relation paths were scored by the text encoder alone. Train on a question set of this graph for better answers."
          >
            untrained
          </span>
        )}
        <span className="grow" />
        {onRight && answers.length > 0 && <IconButton icon="check" label="This is right" onPress={onRight} />}
        {onKeep && answers.length > 0 && <IconButton icon="flask" label="Keep as a test" onPress={onKeep} />}
        {onDoubt && <IconButton icon="flag" label="Something is wrong here" onPress={() => onDoubt(null)} />}
        {answers.length > 0 && (
          <CopyMenu
            what="answers"
            of={question}
            copies="Copy as lines"
            copied="Answers"
            text={() => (table ? tableLines(table) : answers.map(lineOf).join("\n"))}
            {...(sentence && { more: [{ label: "Copy the sentence", copied: "Sentence", text: sentence }] })}
            load={() => ({ question, answers, unused, ...(table && { table }) })}
          />
        )}
      </header>
      {limit && <LimitNotice limit={limit} />}
      {sentence && (
        <p className="answer-sentence" dir="ltr">
          {sentence}
        </p>
      )}
      {unused.length > 0 && answers.length > 0 && <Unused words={unused} />}
      {text && <p className={`answer-text ${view.phase === "running" ? "writing" : ""}`}>{text}</p>}
      {guesses === 0 && !limit?.withheld && (
        <p className="muted small">
          Nothing was found that Clew is sure enough of. These come closest; look at their evidence first.
        </p>
      )}
      {table ? (
        <AnswerTable run={isShared ? null : view.run} name={question} table={table} onFind={onFind} />
      ) : (
        rows(0, guesses > 0 ? guesses : shown.length)
      )}
      {!table && guesses > 0 && guesses < shown.length && (
        <>
          <h3 className="answers-part">Closest guesses</h3>
          {rows(guesses, shown.length)}
        </>
      )}
      {!table && answers.length > FIRST && (
        <Button look="plain" size="small" onPress={() => setAll(!all)}>
          {all ? `Show the first ${FIRST}` : `Show all ${answers.length}`}
        </Button>
      )}
      <BehindAnswers view={view} onFind={onFind} />
    </section>
  );
}
