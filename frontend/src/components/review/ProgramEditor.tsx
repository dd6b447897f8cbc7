// Changing a program, or reading one from other words: it is run, and what it gives is looked at before it is added.
import { useEffect, useRef, useState } from "react";
import type { ProgramExecuted } from "@/api/events";
import type { Item } from "@/api/review";
import type { Graph } from "@/api/types";
import { AnswerSets, AnswerSetsKey } from "@/components/experiments/AnswerSets";
import { ErrorNotice, Loading } from "@/components/kit/feedback";
import { Button } from "@/components/kit/controls";
import { TextField } from "@/components/kit/TextField";
import { ProgramChanges } from "@/components/program/ProgramChanges";
import { ProgramSteps } from "@/components/program/ProgramSteps";
import { useProgramEdit } from "@/components/program/useProgramEdit";
import "@/components/program/program.css";
import type { ProgramNode } from "@/view/program";
import type { ProgramTrial } from "./useProgramTrial";

interface Props {
  graph: Graph | undefined;
  item: Item;
  trial: ProgramTrial;
}

function Steps({ program, graph, trial }: { program: ProgramExecuted } & Omit<Props, "item">) {
  const [chosen, setChosen] = useState<number | null>(null);
  const edit = useProgramEdit(program.read.program as ProgramNode);
  return (
    <>
      <p className="program-read">
        <bdi>{program.read.text}</bdi>
      </p>
      <ProgramSteps program={program} chosen={chosen} onChoose={setChosen} graph={graph} edit={edit} />
      <ProgramChanges edit={edit} act="Run" isBusy={trial.going} onRun={trial.run} />
    </>
  );
}

/** The question in other words, so that it is read otherwise. */
function OtherWords({ item, trial }: Omit<Props, "graph">) {
  const [text, setText] = useState(item.question);
  return (
    <form
      className="row wrap"
      onSubmit={(event) => {
        event.preventDefault();
        trial.read(text);
      }}
    >
      <TextField
        id="other-words"
        label="The question in other words"
        value={text}
        hint="It is read and run; what it is read as can then be changed."
        onChange={setText}
      />
      <Button type="submit" isDisabled={!text.trim() || trial.going}>
        Read it
      </Button>
    </form>
  );
}

function Result({ item, trial }: Omit<Props, "graph">) {
  const { view } = trial;
  if (!view || trial.going) return null;
  if (view.failure) {
    return (
      <p className="bad-text small" role="alert">
        {view.failure.message} {view.failure.hint}
      </p>
    );
  }
  if (!view.program) {
    return (
      <p className="warn-text small" role="alert">
        It was not read as a program: {view.noAnswer?.message ?? "paths answered it."} Put it in other words.
      </p>
    );
  }
  return (
    <div className="small">
      <span className="muted">It gives</span>{" "}
      <AnswerSets
        answers={item.answers}
        predicted={view.answers.map((one) => one.label)}
        nothing={view.noAnswer?.message ?? "nothing"}
      />{" "}
      <AnswerSetsKey />
    </div>
  );
}

export function ProgramEditor({ graph, item, trial }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const { from, view, going } = trial;
  const program = (going ? null : view?.program) ?? from?.executed ?? null;
  const ready = !going && view?.phase === "done" && view.program !== null && !trial.saving;
  useEffect(() => {
    box.current?.scrollIntoView({ block: "nearest" });
  }, [going]);
  const title = from === null ? "Add a missing program" : "Change this program";
  return (
    <div ref={box} className="editor card" role="group" aria-label={title}>
      <header>
        <h3 className="grow">{title}</h3>
      </header>
      <div className="body stack">
        {from === null && <OtherWords item={item} trial={trial} />}
        {program && (
          <Steps key={JSON.stringify(program.read.program)} program={program} graph={graph} trial={trial} />
        )}
        {going && <Loading what="what it gives" />}
        <Result item={item} trial={trial} />
        {trial.error && <ErrorNotice error={trial.error} />}
        <div className="row wrap">
          <Button look="primary" isDisabled={!ready} onPress={trial.save}>
            Add as a candidate
          </Button>
          <button type="button" className="btn" onClick={trial.close}>
            Leave it <kbd aria-hidden="true">Esc</kbd>
          </button>
          {from !== null && (
            <span className="small muted">
              {ready
                ? "The original program stays, to be judged as it is."
                : "Change a step and run it first."}
            </span>
          )}
        </div>
      </div>
    </div>
  );
}
