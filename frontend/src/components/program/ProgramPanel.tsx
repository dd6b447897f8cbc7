// "How it was worked out": the program that a question was read as, step by step, what else it may mean, and changing it.
import type { ProgramExecuted, ProgramReading } from "@/api/events";
import { Link } from "react-router";
import type { Graph } from "@/api/types";
import { CopyMenu } from "@/components/kit/CopyMenu";
import { confidence, count } from "@/view/format";
import type { ProgramNode } from "@/view/program";
import { ProgramChanges } from "./ProgramChanges";
import { ProgramSteps } from "./ProgramSteps";
import { emptyStep, stepsText } from "./programWords";
import { useProgramEdit } from "./useProgramEdit";
import "./program.css";

interface Props {
  program: ProgramExecuted;
  question: string;
  /** The run whose program a person changed to this one. */
  corrects: string | null;
  graph: Graph | undefined;
  chosen: number | null;
  onChoose: (step: number | null) => void;
  onFind: (entity: number) => void;
  /** Ask again with another program; undefined while that cannot be done. */
  onRun?: ((program: ProgramReading["program"]) => void) | undefined;
}

function Head({ program, question, corrects }: Pick<Props, "program" | "question" | "corrects">) {
  const { read, by, sparql, cypher } = program;
  const more = [
    ...(sparql ? [{ label: "Copy as SPARQL", copied: "SPARQL query", text: sparql }] : []),
    ...(cypher ? [{ label: "Copy as Cypher", copied: "Cypher query", text: cypher }] : []),
  ];
  const sure = confidence(read.score);
  return (
    <header className="panel-head">
      <h2 id="program-title">How it was worked out</h2>
      {by === "person" && (
        <span className="badge accent" title="Somebody chose or changed these steps">
          read by a person
        </span>
      )}
      {by === "model" && (
        <span className="badge" title="How often it is right is not known">
          written by a language model
        </span>
      )}
      {by === "reader" && (
        <span
          className={`badge ${sure === "guess" ? "warn" : ""}`}
          title={`How likely this is what was asked: ${read.score.toFixed(2)}, from 0 to 1`}
        >
          {sure === "guess" ? "a guess" : `${sure} confidence`}
        </span>
      )}
      {corrects !== null && (
        <Link className="small" to={`/runs/${corrects}`}>
          before the change
        </Link>
      )}
      <span className="grow" />
      <CopyMenu
        what="steps"
        of={question}
        copies="Copy as steps"
        copied="Steps"
        text={() => stepsText(program)}
        more={more}
        load={() => ({ question, ...read })}
      />
    </header>
  );
}

/** Other readings in other words: programs that are told alike would be no choice for people. */
function choicesOf({ read, others }: ProgramExecuted): readonly ProgramReading[] {
  const texts = [read, ...others].map((one) => one.text);
  return others.filter((one, index) => texts.indexOf(one.text) === index + 1);
}

function Others({ program, onRun }: Pick<Props, "program" | "onRun">) {
  const others = choicesOf(program);
  if (!others.length) return null;
  const isSure = confidence(program.read.score) === "high";
  const title = isSure ? count(others.length, "other reading") : "Did you mean";
  const list = (
    <ul aria-label={title}>
      {others.map((one) => (
        <li key={one.text}>
          <button
            type="button"
            className="reading"
            disabled={!onRun}
            title="Ask again, read like this"
            onClick={() => onRun?.(one.program)}
          >
            <bdi>{one.text}</bdi>
          </button>
        </li>
      ))}
    </ul>
  );
  // Where it is sure what was asked, other readings are odd rather than helpful.
  return isSure ? (
    <details className="readings">
      <summary className="small muted">{title}</summary>
      {list}
    </details>
  ) : (
    <div className="readings">
      <h3>{title}</h3>
      {list}
    </div>
  );
}

export function ProgramPanel(props: Props) {
  const { program, question, corrects, graph, chosen, onChoose, onFind, onRun } = props;
  const edit = useProgramEdit(program.read.program as ProgramNode);
  const empty = emptyStep(program);
  return (
    <section className="panel program" aria-labelledby="program-title">
      <Head program={program} question={question} corrects={corrects} />
      <p className="program-read">
        <bdi>{program.read.text}</bdi>
      </p>
      {empty >= 0 && (
        <p className="program-empty small warn-text">
          Step {empty + 1} {program.steps[empty]?.result === "set" ? "kept nothing" : "found no value"}.
          {onRun && " Change it, or leave a step out."}
        </p>
      )}
      <ProgramSteps
        program={program}
        chosen={chosen}
        onChoose={onChoose}
        onFind={onFind}
        graph={graph}
        edit={onRun ? edit : null}
      />
      {onRun && <ProgramChanges edit={edit} act="Run again" onRun={onRun} />}
      <Others program={program} onRun={onRun} />
    </section>
  );
}
