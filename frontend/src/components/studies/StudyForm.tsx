// The form of a study: its question sets, its variants, and how questions are asked.
import { useQueries } from "@tanstack/react-query";
import { useState } from "react";
import { useNavigate } from "react-router";
import { labelSetsQuery, methodQuery } from "@/api/queries";
import { startStudy, studyKeys } from "@/api/studies";
import type { QuestionSet, Status } from "@/api/types";
import { ANSWERS, ModelField, NoWorker, SPLITS, SUBGRAPHS, TOPICS } from "@/components/kit/asking";
import { Card } from "@/components/kit/Card";
import { OneOf, SomeOf } from "@/components/kit/Choices";
import { Button, PickField } from "@/components/kit/controls";
import { Form } from "@/components/kit/Form";
import { TextField } from "@/components/kit/TextField";
import { useAct } from "@/components/kit/useAct";
import { count, integer } from "@/view/format";
import { asksModel, reasonerChoices } from "@/view/reasoners";
import {
  bodyOf,
  draftComplaint,
  newVariant,
  seedsOf,
  sharesOf,
  sizeOf,
  variantComplaint,
  withVariant,
  type Draft,
  type DraftVariant,
  type Known,
} from "@/view/studies";
import { VariantCard } from "./VariantCard";

interface Props {
  start: Draft;
  sets: readonly QuestionSet[];
  status: Status;
}

const NONE = "none";

/** Settings of all methods that are named, as far as they have come. */
function useKnown(draft: Draft): Known {
  const names = [...new Set(draft.variants.map((one) => one.method))];
  const found = useQueries({ queries: names.map((name) => methodQuery(name)) });
  return Object.fromEntries(
    names.flatMap((name, place) => {
      const detail = found[place]?.data;
      const settings = (detail?.settings ?? []).filter((setting) => setting.name !== "seed");
      return detail ? [[name, { ...detail, settings }]] : [];
    }),
  );
}

/** Which label set of each question set is learned from, where there are any. */
function LabelPicks({ draft, chosen, put }: { draft: Draft; chosen: readonly QuestionSet[]; put: Put }) {
  const graphs = [...new Set(chosen.map((set) => set.graph))];
  const found = useQueries({ queries: graphs.map((graph) => labelSetsQuery(graph)) });
  const made = found.flatMap((one) => one.data?.results ?? []).filter((one) => one.state === "done");
  const labelled = chosen
    .map((set) => ({ set, own: made.filter((one) => one.question_set === set.id) }))
    .filter(({ own }) => own.length > 0);
  if (labelled.length === 0) return null;
  return (
    <div className="fields">
      {labelled.map(({ set, own }) => (
        <PickField
          key={set.id}
          label={chosen.length > 1 ? `Labels of ${set.name}` : "Labels to learn from"}
          options={[
            { id: NONE, label: "As each variant says", detail: "Made on the way by its strategy" },
            ...own.map((one) => ({
              id: String(one.id),
              label: one.name || one.strategy,
              detail: `${count(one.labels, "path")}, for variants that name no strategy`,
            })),
          ]}
          value={String(draft.labels[set.id] ?? NONE)}
          onChange={(id) => {
            const others = Object.entries(draft.labels).filter(([key]) => key !== String(set.id));
            const now = id === NONE ? others : [...others, [String(set.id), Number(id)] as const];
            put({ labels: Object.fromEntries(now) });
          }}
        />
      ))}
    </div>
  );
}

function DataCard({ draft, sets, put }: { draft: Draft; sets: readonly QuestionSet[]; put: Put }) {
  const chosen = sets.filter((set) => draft.sets.includes(set.id));
  const option = (set: QuestionSet) => ({
    id: set.id,
    label: set.name,
    detail: `${set.graph_name} · ${integer(set.splits.train)} train, ${integer(set.splits.dev)} dev, ${integer(set.splits.test)} test`,
  });
  return (
    <Card title="Question sets" count={draft.sets.length}>
      <div className="body stack">
        <SomeOf
          label="Trained on and tested with"
          options={sets.map(option)}
          value={draft.sets}
          onChange={(ids) => put({ sets: ids, train: draft.train.filter((id) => ids.includes(id)) })}
        >
          <p className="bad-text">No graph has a question set yet. Upload one on the page of its graph.</p>
        </SomeOf>
        <LabelPicks draft={draft} chosen={chosen} put={put} />
        {chosen.length > 1 && (
          <div className="two-columns">
            <OneOf
              label="Each checkpoint is tested on"
              options={[
                { id: "own", label: "The set it was trained on", detail: "Every set by itself" },
                { id: "all", label: "All of these sets", detail: "Also on another graph than its own" },
              ]}
              value={draft.cross ? "all" : "own"}
              onChange={(id) => put({ cross: id === "all" })}
            />
            <SomeOf
              label="Trained on (all, unless some are ticked)"
              options={chosen.map(option)}
              value={draft.train}
              onChange={(train) => put({ train })}
            />
          </div>
        )}
      </div>
    </Card>
  );
}

type Put = (change: Partial<Draft>) => void;

function AskingCard({ draft, put, status }: { draft: Draft; put: Put; status: Status }) {
  const asks = draft.variants.some(
    (one) => one.strategy === "llm" || asksModel(one.reasoner || draft.reasoner),
  );
  const names = draft.variants.map((one) => one.name.trim()).filter(Boolean);
  const field = (
    name: "shares" | "seeds" | "budget" | "limit",
    label: string,
    hint: string,
    wrong: boolean,
  ) => (
    <TextField
      label={label}
      autoComplete="off"
      value={draft[name]}
      onChange={(text) => put({ [name]: text })}
      hint={hint}
      error={wrong ? hint : undefined}
    />
  );
  const whole = (text: string) => /^\d+$/.test(text.trim()) && Number(text) > 0;
  return (
    <Card title="How it is done">
      <div className="body stack">
        <div className="fields">
          {field(
            "shares",
            "Shares of the training questions",
            "Such as 5%, 25%, 100%.",
            !sharesOf(draft.shares),
          )}
          {field("seeds", "Seeds", "Such as 0, 1, 2 or 0-4.", !seedsOf(draft.seeds))}
          {field(
            "budget",
            "Triple budget",
            `Facts to retrieve per question, 1 to ${integer(status.budgets.max)}.`,
            !whole(draft.budget) || Number(draft.budget) > status.budgets.max,
          )}
          {field(
            "limit",
            "Most questions",
            "Of each set; empty asks them all.",
            draft.limit.trim() !== "" && !whole(draft.limit),
          )}
        </div>
        <div className="fields">
          <PickField
            label="Tested split"
            options={SPLITS.map((id) => ({ id, label: id }))}
            value={draft.split}
            onChange={(split) => put({ split })}
          />
          <PickField
            label="Topic entities"
            options={TOPICS}
            value={draft.topics}
            onChange={(topics) => put({ topics })}
          />
          <PickField
            label="Facts to search"
            options={SUBGRAPHS}
            value={draft.subgraphs}
            onChange={(subgraphs) => put({ subgraphs })}
          />
          <PickField
            label="Asked questions"
            options={ANSWERS}
            value={draft.answers}
            onChange={(answers) => put({ answers })}
          />
          <PickField
            label="Reasoner"
            options={reasonerChoices(status.llm.configured, true)}
            value={draft.reasoner}
            onChange={(reasoner) => put({ reasoner })}
          />
          <PickField
            label="Baseline"
            options={[
              { id: NONE, label: "None" },
              ...[...new Set(names)].map((id) => ({
                id,
                label: id,
                detail: "Gains are measured against it",
              })),
            ]}
            value={names.includes(draft.baseline) ? draft.baseline : NONE}
            onChange={(id) => put({ baseline: id === NONE ? "" : id })}
          />
          {status.llm.configured && asks && <ModelField value={draft.llm} onChange={(llm) => put({ llm })} />}
        </div>
      </div>
    </Card>
  );
}

export function StudyForm({ start, sets, status }: Props) {
  const navigate = useNavigate();
  const [draft, setDraft] = useState(start);
  const put: Put = (change) => setDraft((now) => ({ ...now, ...change }));
  const known = useKnown(draft);
  const methods = status.methods.filter((method) => method.available);
  const isTrained = (id: string) => methods.find((method) => method.id === id)?.trained ?? true;
  const size = sizeOf(draft, isTrained);
  const wrong = draftComplaint(draft, known);
  const change = (key: string, changed: Partial<DraftVariant>) =>
    setDraft((now) => withVariant(now, key, changed));
  const run = useAct(() => startStudy(bodyOf(draft, known)), {
    changes: [studyKeys.studies],
    job: ({ job }) => job,
    done: ({ study }) => navigate(`/studies/${study.id}`),
  });
  const fresh = () => newVariant(draft.variants.at(-1)?.method ?? "rel-rag-path");
  return (
    <Form
      of={run}
      act="Start the study"
      isDisabled={wrong !== null}
      noValidate
      foot={
        <span className="muted small grow" role="status">
          {wrong ??
            `${count(size.cells, "cell")}, ${count(size.trainings, "training")}. Finished cells are kept; you can stop and go on.`}
        </span>
      }
    >
      <TextField
        label="Name"
        value={draft.name}
        autoComplete="off"
        maxLength={200}
        onChange={(name) => put({ name })}
      />
      <DataCard draft={draft} sets={sets} put={put} />
      <Card
        title="Variants"
        count={draft.variants.length}
        acts={
          <Button
            size="small"
            icon="plus"
            onPress={() => setDraft((now) => ({ ...now, variants: [...now.variants, fresh()] }))}
          >
            Add a variant
          </Button>
        }
      >
        <div className="body variants">
          {draft.variants.map((one) => (
            <VariantCard
              key={one.key}
              one={one}
              draft={draft}
              methods={methods}
              strategies={status.label_strategies}
              detail={known[one.method]}
              llm={status.llm.configured}
              wrong={variantComplaint(one, draft.variants, known)}
              onChange={(changed) => change(one.key, changed)}
              onCopy={() =>
                setDraft((now) => ({
                  ...now,
                  variants: [...now.variants, { ...one, key: fresh().key, name: `${one.name} (2)` }],
                }))
              }
              onRemove={
                draft.variants.length > 1
                  ? () =>
                      setDraft((now) => ({
                        ...now,
                        variants: now.variants.filter((other) => other.key !== one.key),
                      }))
                  : undefined
              }
            />
          ))}
        </div>
      </Card>
      <AskingCard draft={draft} put={put} status={status} />
      <NoWorker what="study" />
    </Form>
  );
}
