// Train: on which questions, which method, with which settings, and from which labels.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { labelSetsQuery, methodQuery, questionSetsQuery, statusQuery, train } from "@/api/queries";
import { keptProgramsQuery, trajectorySetsQuery } from "@/api/trajectories";
import type { Graph, MethodInfo, QuestionSet } from "@/api/types";
import { Modal, PickField, type DialogProps } from "@/components/kit/controls";
import { MethodField, NoWorker } from "@/components/kit/asking";
import { FormPick } from "@/components/kit/FormPick";
import { SettingsForm } from "@/components/kit/SettingsForm";
import { ErrorNotice, Loading } from "@/components/kit/feedback";
import { TextField } from "@/components/kit/TextField";
import { useAct } from "@/components/kit/useAct";
import { Form } from "@/components/kit/Form";
import { count, integer } from "@/view/format";
import { changedSettings, complaint, inForm, type Typed } from "@/view/settingsForm";

/** Labels that are made while training, with the rule that needs no language model. */
const ON_THE_WAY = "made";

interface FormProps {
  graph: Graph;
  sets: readonly QuestionSet[];
  methods: readonly MethodInfo[];
  onClose: () => void;
}

function useForm({ graph, sets, methods }: FormProps) {
  const [set, setSet] = useState(sets[0]?.id ?? "");
  const [method, setMethod] = useState(methods[0]?.id ?? "");
  const [labels, setLabels] = useState(ON_THE_WAY);
  const [trajectories, setTrajectories] = useState(ON_THE_WAY);
  const [corrections, setCorrections] = useState(true);
  const [percent, setPercent] = useState("100");
  const [seed, setSeed] = useState("0");
  const [typed, setTyped] = useState<Typed>({});
  const [form, setForm] = useState("");
  const detail = useQuery({ ...methodQuery(method), enabled: method !== "" });
  // The seed has a field of its own: it draws the training questions as well.
  const paper = detail.data?.paper_settings ?? null;
  const settings = inForm(detail.data?.settings ?? [], form, paper).filter(({ name }) => name !== "seed");
  const made = useQuery(labelSetsQuery(graph.id));
  const ready = (made.data?.results ?? []).filter(
    (one) => one.state === "done" && String(one.question_set) === String(set),
  );
  const steerable = methods.find((one) => one.id === method)?.steerable ?? false;
  const walks = useQuery({ ...trajectorySetsQuery(graph.id), enabled: steerable });
  const walked = (walks.data?.results ?? []).filter((one) => one.state === "done");
  const corrected = useQuery(keptProgramsQuery(graph.id)).data?.count ?? 0;
  const share = Number(percent);
  const wrong =
    !(share > 0 && share <= 100) ||
    !/^\d+$/.test(seed) ||
    settings.some((setting) => complaint(setting, typed[setting.name] ?? "") !== null);
  const body = () => ({
    question_set: Number(set),
    method,
    config: { ...(form && paper && { preset: form }), ...changedSettings(settings, typed) },
    fraction: share / 100,
    seed: Number(seed),
    corrections,
    ...(labels !== ON_THE_WAY && { labels: Number(labels) }),
    ...(steerable && trajectories !== ON_THE_WAY && { trajectories: Number(trajectories) }),
  });
  return {
    set,
    setSet,
    method,
    setMethod,
    labels,
    setLabels,
    steerable,
    walked,
    trajectories,
    setTrajectories,
    corrected,
    corrections,
    setCorrections,
    percent,
    setPercent,
    seed,
    setSeed,
    typed,
    setTyped,
    form,
    setForm,
    paper,
    detail,
    settings,
    ready,
    wrong,
    body,
  };
}

function TrainForm(props: FormProps) {
  const { graph, sets, methods, onClose } = props;
  const form = useForm(props);
  const start = useAct(() => train(graph.id, form.body()), { job: (job) => job, done: onClose });
  const about = methods.find((one) => one.id === form.method)?.description;
  const changed = Object.keys(changedSettings(form.settings, form.typed)).length;
  return (
    <Form
      of={start}
      act="Start training"
      isDisabled={!form.set || !form.method || form.wrong}
      onClose={onClose}
    >
      <div className="fields">
        <PickField
          label="Question set"
          options={sets.map((one) => ({
            id: String(one.id),
            label: one.name,
            detail: `${count(one.splits.train, "training question")}, ${integer(one.splits.dev)} dev`,
          }))}
          value={String(form.set)}
          onChange={(id) => {
            form.setSet(id);
            form.setLabels(ON_THE_WAY);
          }}
        />
        <MethodField
          methods={methods}
          value={form.method}
          onChange={(id) => {
            form.setMethod(id);
            form.setTyped({});
            form.setForm("");
          }}
        />
      </div>
      <p className="muted small">{about}</p>
      <div className="fields">
        <div className="field">
          <PickField
            label="Labels"
            options={[
              {
                id: ON_THE_WAY,
                label: "Made on the way",
                detail: "By the answer-set rule, without a language model",
              },
              ...form.ready.map((one) => ({
                id: String(one.id),
                label: one.name,
                detail: `${one.strategy}, ${count(one.labels, "path")}`,
              })),
            ]}
            value={form.labels}
            onChange={form.setLabels}
          />
          <span className="hint">The rational paths to learn from.</span>
        </div>
        {form.steerable && (
          <div className="field">
            <PickField
              label="Trajectories"
              options={[
                { id: ON_THE_WAY, label: "Made of the labels", detail: "On the way, by the offline guide" },
                ...form.walked.map((one) => ({
                  id: String(one.id),
                  label: one.name,
                  detail: `${count(one.trajectories, "trajectory", "trajectories")}, learned from beside those`,
                })),
              ]}
              value={form.trajectories}
              onChange={form.setTrajectories}
            />
            <span className="hint">What people corrected on this graph is always learned from too.</span>
          </div>
        )}
        <TextField
          numeric
          autoComplete="off"
          id="train-share"
          label="Training questions, %"
          value={form.percent}
          hint="Above 0, at most 100. Drawn by the seed."
          onChange={form.setPercent}
        />
        <TextField
          numeric
          autoComplete="off"
          id="train-seed"
          label="Seed"
          value={form.seed}
          hint="The same seed trains the same checkpoint."
          onChange={form.setSeed}
        />
      </div>
      {form.corrected > 0 && (
        <div className="field">
          <label className="check">
            <input
              type="checkbox"
              checked={form.corrections}
              onChange={(event) => form.setCorrections(event.target.checked)}
            />
            Learn from {count(form.corrected, "corrected program")}
          </label>
          <span className="hint">
            Programs that people edited or wrote on this graph: how its questions are read is learned from
            them.
          </span>
        </div>
      )}
      <details className="more">
        <summary>
          Settings of {form.method}
          {form.form && <span className="badge">the paper’s form</span>}
          {changed > 0 && <span className="badge accent">{changed} changed</span>}
        </summary>
        {form.detail.isPending && <Loading what="the settings" />}
        {form.detail.error && <ErrorNotice error={form.detail.error} />}
        {form.paper && <FormPick label="Form" value={form.form} onChange={form.setForm} />}
        <SettingsForm settings={form.settings} typed={form.typed} onChange={form.setTyped} />
      </details>
      <p className="muted small">
        Training runs as a job: its progress is in the tray, it can be cancelled, it goes on where it stopped,
        and asking goes on meanwhile.
      </p>
      <NoWorker />
    </Form>
  );
}

export function TrainDialog({ graph, isOpen, onClose }: DialogProps & { graph: Graph }) {
  const sets = useQuery(questionSetsQuery(graph.id));
  const status = useQuery(statusQuery);
  const methods = (status.data?.methods ?? []).filter((one) => one.trained);
  return (
    <Modal title={`Train on ${graph.name}`} isOpen={isOpen} onClose={onClose} wide>
      {sets.isPending || status.isPending ? (
        <Loading what="question sets" />
      ) : sets.error ? (
        <ErrorNotice error={sets.error} />
      ) : sets.data.results.length === 0 ? (
        <p>Upload a question set for this graph first: training learns from questions with known answers.</p>
      ) : (
        <TrainForm graph={graph} sets={sets.data.results} methods={methods} onClose={onClose} />
      )}
    </Modal>
  );
}
