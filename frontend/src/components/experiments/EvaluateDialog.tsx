// Start an evaluation: which questions, asked of what, and how.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useNavigate } from "react-router";
import {
  checkpointsQuery,
  evaluate,
  graphsQuery,
  keys,
  methodQuery,
  questionSetsQuery,
  statusQuery,
} from "@/api/queries";
import type { Judgement, ReportBody } from "@/api/reportTypes";
import type { Graph, QuestionSet, Status } from "@/api/types";
import { ANSWERS, ModelField, NoWorker, SPLITS, SUBGRAPHS, TOPICS } from "@/components/kit/asking";
import { SettingsForm } from "@/components/kit/SettingsForm";
import { CheckpointBadge, CheckpointPick } from "@/components/kit/CheckpointPick";
import { Modal, PickField, named, type DialogProps } from "@/components/kit/controls";
import { Loading } from "@/components/kit/feedback";
import { TextField } from "@/components/kit/TextField";
import { useAct } from "@/components/kit/useAct";
import { Form } from "@/components/kit/Form";
import { count, integer } from "@/view/format";
import { changedSettings, complaint, type Typed } from "@/view/settingsForm";
import {
  chosenCheckpoint,
  chosenMethod,
  methodChoices,
  namedCheckpoint,
  readiness,
  settingsFor,
} from "@/view/methods";
import { asksModel as asksModelBy, reasonerChoices } from "@/view/reasoners";
import { JudgingFields } from "./JudgingFields";

export interface EvaluateStart {
  graph: string | null;
  method?: string;
  checkpoint?: string;
  question_set?: string | null;
}

interface FormProps {
  start: EvaluateStart;
  graphs: readonly Graph[];
  status: Status;
  onClose: () => void;
}

/** The splits of a set that hold questions, the one to report on first. */
function splitsOf(set: QuestionSet | undefined) {
  return SPLITS.filter((split) => set?.splits[split]).map((split) => ({
    id: split,
    label: split,
    detail: count(set?.splits[split] ?? 0, "question"),
  }));
}

const whole = (text: string, least: number) => /^\d+$/.test(text.trim()) && Number(text) >= least;

function EvaluateForm({ start, graphs, status, onClose }: FormProps) {
  const navigate = useNavigate();
  const ready = graphs.filter((graph) => graph.state === "ready" && !graph.endpoint);
  const [graphId, setGraph] = useState(start.graph ?? String(ready[0]?.id ?? ""));
  const [setId, setSet] = useState(start.question_set ?? null);
  const [splitId, setSplit] = useState<string | null>(null);
  const [methodId, setMethod] = useState(start.method ?? null);
  const [checkpointId, setCheckpoint] = useState(start.checkpoint ?? null);
  const [topics, setTopics] = useState("given");
  const [subgraphs, setSubgraphs] = useState("own");
  const [answers, setAnswers] = useState("all");
  const [reasoner, setReasoner] = useState("extractive");
  const [llm, setLlm] = useState<string | null>(null);
  const [judgements, setJudgements] = useState<readonly Judgement[]>([]);
  const [foreign, setForeign] = useState<"zero-shot" | "ask">("zero-shot");
  const [typed, setTyped] = useState<Typed>({});
  const [numbers, setNumbers] = useState({ budget: String(status.budgets.default), seed: "7", limit: "" });
  const sets = useQuery(questionSetsQuery(graphId));
  const checkpoints = useQuery(checkpointsQuery(graphId));
  const graph = graphs.find((one) => String(one.id) === graphId);
  const choices = methodChoices(status.methods, checkpoints.data?.results ?? [], {
    graph,
    llm: status.llm.configured,
  });
  const method = chosenMethod(choices, methodId, graph?.checkpoint?.method);
  const checkpoint = chosenCheckpoint(method, checkpointId);
  const other = namedCheckpoint(method, checkpointId);
  const asksModel =
    status.llm.configured && (asksModelBy(reasoner) || method?.asksModel === true || judgements.length > 0);
  const detail = useQuery({ ...methodQuery(method?.id ?? ""), enabled: method !== undefined });
  const options = settingsFor(detail.data, checkpoint);
  const optionsWrong = options.some((option) => complaint(option, typed[option.name] ?? "") !== null);
  const list = sets.data?.results ?? [];
  const set = list.find((one) => String(one.id) === setId) ?? list[0];
  const splits = splitsOf(set);
  const split = splits.find((one) => one.id === splitId) ?? splits[0];
  const wrong = {
    budget:
      whole(numbers.budget, 1) && Number(numbers.budget) <= status.budgets.max
        ? null
        : `A whole number, 1 to ${integer(status.budgets.max)}.`,
    seed: whole(numbers.seed, 0) ? null : "A whole number, 0 or more.",
    limit:
      numbers.limit.trim() === "" || whole(numbers.limit, 1) ? null : "A whole number, 1 or more, or empty.",
  };
  const run = useAct((body: ReportBody) => evaluate(body), {
    changes: [keys.reports],
    job: ({ job }) => job,
    done: ({ report }) => {
      onClose();
      void navigate(`/experiments/${report.id}`);
    },
  });
  const number = (name: keyof typeof numbers, label: string, hint: string) => (
    <TextField
      label={label}
      id={`evaluate-${name}`}
      numeric
      autoComplete="off"
      value={numbers[name]}
      onChange={(text) => setNumbers({ ...numbers, [name]: text })}
      hint={hint}
      error={wrong[name]}
    />
  );
  return (
    <Form
      of={run}
      act="Start evaluation"
      isDisabled={
        !set ||
        !split ||
        !method ||
        checkpoints.isPending || // else the one that was named would not be sent
        optionsWrong ||
        Object.values(wrong).some(Boolean)
      }
      onClose={onClose}
      onSend={() => {
        if (!set || !split || !method) return;
        run.mutate({
          graph: Number(graphId),
          question_set: set.id,
          split: split.id,
          method: method.id,
          ...(other && { checkpoint: other.id }),
          topics: topics === "linked" ? "linked" : "given",
          subgraphs: subgraphs === "whole" ? "whole" : "own",
          answers: answers === "in-graph" ? "in-graph" : "all",
          reasoner,
          ...(judgements.length > 0 && { judgements }),
          ...(checkpoint && foreign === "ask" && { foreign }),
          ...(asksModel && llm !== null && { llm: Number(llm) }),
          budget: Number(numbers.budget),
          seed: Number(numbers.seed),
          ...(options.length && { options: changedSettings(options, typed) }),
          ...(numbers.limit.trim() && { limit: Number(numbers.limit) }),
        });
      }}
    >
      <div className="fields">
        <PickField
          label="Graph"
          options={named(ready)}
          value={graphId || null}
          onChange={(id) => {
            setGraph(id);
            setSet(null);
            setCheckpoint(null);
          }}
        />
        <PickField
          label="Question set"
          options={list.map((one) => ({
            id: String(one.id),
            label: one.name,
            detail: count(one.questions, "question"),
          }))}
          value={set?.id}
          onChange={(id) => {
            setSet(id);
            setSplit(null);
          }}
        />
        <PickField label="Split" options={splits} value={split?.id} onChange={setSplit} />
      </div>
      {sets.data && list.length === 0 && (
        <p className="bad-text">
          <bdi>{graph?.name}</bdi> has no question set yet. Upload one on the graph’s page: an evaluation asks
          questions whose answers are known.
        </p>
      )}
      <div className="fields two-thirds">
        <PickField
          label="Method"
          options={choices.map((choice) => ({
            id: choice.id,
            label: choice.label,
            detail: choice.description,
            end: readiness(choice),
            disabled: choice.missing !== null,
          }))}
          value={method?.id}
          onChange={(id) => {
            setMethod(id);
            setCheckpoint(null);
            setTyped({});
          }}
        />
        <div className="field">
          <span className="label">Checkpoint</span>
          <div className="field-value">
            {method && checkpoint ? (
              <>
                <CheckpointPick
                  checkpoints={method.checkpoints}
                  value={checkpoint}
                  onChange={setCheckpoint}
                />{" "}
                <CheckpointBadge checkpoint={checkpoint} />
              </>
            ) : method?.trained === false ? (
              <span className="badge">needs no training</span>
            ) : (
              <span className="badge warn">untrained: figures will be rough</span>
            )}
          </div>
        </div>
      </div>
      <div className="fields">
        <PickField label="Topic entities" options={TOPICS} value={topics} onChange={setTopics} />
        <PickField label="Facts to search" options={SUBGRAPHS} value={subgraphs} onChange={setSubgraphs} />
        <PickField label="Asked questions" options={ANSWERS} value={answers} onChange={setAnswers} />
        <PickField
          label="Reasoner"
          options={reasonerChoices(status.llm.configured, method?.takesWrittenPrograms !== false)}
          value={reasoner}
          onChange={setReasoner}
        />
        {asksModel && <ModelField value={llm} onChange={setLlm} />}
      </div>
      <div className="fields">
        {number(
          "budget",
          "Triple budget",
          `Facts to retrieve per question, 1 to ${integer(status.budgets.max)}.`,
        )}
        {number("seed", "Seed", "Draws the questions and the paths.")}
        {number("limit", "At most, questions", "Empty asks them all.")}
      </div>
      {options.length > 0 && (
        <details className="more">
          <summary>Settings of asking {method?.id}</summary>
          <SettingsForm settings={options} typed={typed} onChange={setTyped} />
        </details>
      )}
      <JudgingFields
        judgements={judgements}
        onJudgements={setJudgements}
        configured={status.llm.configured}
        foreign={foreign}
        onForeign={setForeign}
        trained={checkpoint !== null}
      />
      <NoWorker />
    </Form>
  );
}

export function EvaluateDialog({ start, isOpen, onClose }: DialogProps & { start: EvaluateStart }) {
  const graphs = useQuery(graphsQuery);
  const status = useQuery(statusQuery);
  return (
    <Modal title="Evaluate" isOpen={isOpen} onClose={onClose} wide>
      {graphs.data && status.data ? (
        <EvaluateForm start={start} graphs={graphs.data.results} status={status.data} onClose={onClose} />
      ) : (
        <Loading what="graphs" />
      )}
    </Modal>
  );
}
