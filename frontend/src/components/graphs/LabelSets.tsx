// Label sets: the rational paths a strategy found for a question set, to train from.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import {
  combineLabelSets,
  deleteLabelSet,
  keys,
  label,
  downloadLabelSet,
  labelSetsQuery,
  questionSetsQuery,
  statusQuery,
} from "@/api/queries";
import { downloadDataset } from "@/api/datasets";
import { useMayManage } from "@/api/rights";
import type { Graph, LabelSet } from "@/api/types";
import { OneOf } from "@/components/kit/Choices";
import { ConfirmDelete } from "@/components/kit/ConfirmDelete";
import { ActMenu, Button, IconButton, PickField, named } from "@/components/kit/controls";
import { Ago, JobBadge } from "@/components/kit/feedback";
import { TextField } from "@/components/kit/TextField";
import { fileName, saveFile } from "@/components/kit/files";
import { useAct } from "@/components/kit/useAct";
import { Form } from "@/components/kit/Form";
import { ListCard } from "@/components/kit/ListCard";
import { DialogButton } from "@/components/kit/DialogButton";
import { count, integer, percent } from "@/view/format";

/** Hops of the longest path that may be a label. */
const HOPS = [
  { id: "", label: "As the strategy does", detail: "3 hops; 4 where a language model judges" },
  ...[1, 2, 3, 4, 5, 6].map((hops) => ({ id: String(hops), label: count(hops, "hop") })),
];

function LabelForm({ graph, onClose }: { graph: Graph; onClose: () => void }) {
  const sets = useQuery(questionSetsQuery(graph.id));
  const status = useQuery(statusQuery);
  const strategies = status.data?.label_strategies ?? [];
  const [set, setSet] = useState<string | null>(null);
  const [strategy, setStrategy] = useState<string | null>(null);
  const [name, setName] = useState("");
  const [hops, setHops] = useState("");
  const list = sets.data?.results ?? [];
  const chosenSet = set ?? (list[0] ? String(list[0].id) : null);
  const chosen = strategy ?? strategies.find((one) => one.available)?.id ?? null;
  const start = useAct(
    () =>
      label({
        graph: graph.id,
        question_set: Number(chosenSet),
        strategy: chosen ?? "",
        ...(hops && { max_hops: Number(hops) }),
        ...(name.trim() && { name: name.trim() }),
      }),
    { changes: [keys.labelSets], job: ({ job }) => job, done: onClose },
  );
  if (sets.data && list.length === 0) {
    return <p>Upload a question set for this graph first: labels are made for its questions.</p>;
  }
  return (
    <Form of={start} act="Start labelling" isDisabled={!chosenSet || !chosen} onClose={onClose}>
      <PickField label="Question set" options={named(list)} value={chosenSet} onChange={setSet} />
      <OneOf
        label="Strategy"
        options={strategies.map((one) => ({
          id: one.id,
          label: one.label,
          detail: one.description + (one.available ? "" : " No language model is set up (LLM_BASE_URL)."),
          disabled: !one.available,
        }))}
        value={chosen}
        onChange={setStrategy}
      />
      <PickField label="Longest path" options={HOPS} value={hops} onChange={setHops} />
      <TextField label="Name, optional" id="label-name" maxLength={200} value={name} onChange={setName} />
    </Form>
  );
}

const HOW = [
  { id: "union", label: "Union", detail: "Keeps the paths that either of them has." },
  { id: "intersection", label: "Intersection", detail: "Keeps the paths that both of them have." },
] as const;

/** The label sets that one can be combined with: done, of the same questions and version. */
const fitting = (sets: readonly LabelSet[], one: LabelSet | undefined) =>
  sets.filter(
    (other) =>
      other.id !== one?.id &&
      other.state === "done" &&
      other.question_set === one?.question_set &&
      other.snapshot === one.snapshot,
  );

export function CombineForm({ sets, onClose }: { sets: readonly LabelSet[]; onClose: () => void }) {
  const [first, setFirst] = useState<string | null>(null);
  const [second, setSecond] = useState<string | null>(null);
  const [how, setHow] = useState<"union" | "intersection">("union");
  const firsts = sets.filter((one) => one.state === "done" && fitting(sets, one).length > 0);
  const mine = firsts.find((one) => String(one.id) === first) ?? firsts[0];
  const others = fitting(sets, mine);
  const theirs = others.find((one) => String(one.id) === second) ?? others[0];
  const start = useAct(() => combineLabelSets({ first: mine?.id ?? 0, second: theirs?.id ?? 0, how }), {
    changes: [keys.labelSets],
    job: ({ job }) => job,
    done: onClose,
  });
  return (
    <Form of={start} act="Combine" isDisabled={!mine || !theirs} onClose={onClose}>
      <PickField label="Labels" options={named(firsts)} value={mine?.id} onChange={setFirst} />
      <PickField label="With" options={named(others)} value={theirs?.id} onChange={setSecond} />
      <OneOf label="Keep" options={HOW} value={how} onChange={setHow} />
    </Form>
  );
}

function LabelRow({ set, mayWrite }: { set: LabelSet; mayWrite: boolean }) {
  const mayManage = useMayManage();
  const [asking, setAsking] = useState(false);
  const remove = useAct(() => deleteLabelSet(set.id), {
    changes: [keys.labelSets],
    failed: "The label set could not be deleted.",
  });
  const done = set.state === "done";
  return (
    <tr>
      <td className="cell-name">
        <strong>
          <bdi>{set.name}</bdi>
        </strong>
        {set.error && (
          <div className="small bad-text">
            {set.error.message} {set.error.hint}
          </div>
        )}
      </td>
      <td className="hide-narrow">{set.strategy}</td>
      <td className="muted hide-narrow">
        <bdi>{set.question_set_name}</bdi>
      </td>
      <td>
        <JobBadge state={set.state} />
      </td>
      <td className="num">{done ? integer(set.labels) : "–"}</td>
      <td className="num hide-narrow" title="Share of the questions that have at least one path">
        {set.coverage === null ? "–" : percent(set.coverage)}
      </td>
      <td
        className="num hide-narrow"
        title={
          set.compression
            ? `Merging left ${integer(set.compression.merged)} of ${integer(set.compression.raw)} candidates`
            : "This strategy merges nothing"
        }
      >
        {set.compression ? percent(set.compression.ratio) : "–"}
      </td>
      <td className="muted nowrap hide-narrow">
        <Ago iso={set.created_at} />
      </td>
      <td className="acts">
        {done && (
          <ActMenu
            label={`Download ${set.name}`}
            trigger={<Button look="plain" size="small" icon="download" aria-label={`Download ${set.name}`} />}
            acts={[
              {
                id: "jsonl",
                label: "Labels (JSONL)",
                onAction: () =>
                  void saveFile(fileName(set.name, "jsonl"), downloadLabelSet(set.id), "The labels"),
              },
              {
                id: "dataset",
                label: "Dataset (Hugging Face, Croissant)",
                onAction: () =>
                  void saveFile(
                    fileName(set.name, "zip"),
                    downloadDataset("label-sets", set.id),
                    "The dataset",
                  ),
              },
            ]}
          />
        )}
        {mayWrite && mayManage(set.created_by, set.graph) && (
          <IconButton icon="trash" label={`Delete ${set.name}`} onPress={() => setAsking(true)} />
        )}
        <ConfirmDelete
          name={set.name}
          isOpen={asking}
          isBusy={remove.isPending}
          onConfirm={() => remove.mutate()}
          onClose={() => setAsking(false)}
        >
          Its labels will be deleted. Checkpoints trained from them stay.
        </ConfirmDelete>
      </td>
    </tr>
  );
}

export function LabelSets({ graph, mayWrite }: { graph: Graph; mayWrite: boolean }) {
  const sets = useQuery(labelSetsQuery(graph.id));
  const rows = sets.data?.results ?? [];
  return (
    <ListCard
      title="Labels"
      id="labels"
      acts={
        mayWrite &&
        graph.state === "ready" && (
          <>
            {rows.some((one) => one.state === "done" && fitting(rows, one).length > 0) && (
              <DialogButton act="Combine" title={`Combine labels of ${graph.name}`} size="small">
                {(close) => <CombineForm sets={rows} onClose={close} />}
              </DialogButton>
            )}
            <DialogButton act="Label" title={`Label questions of ${graph.name}`} size="small">
              {(close) => <LabelForm graph={graph} onClose={close} />}
            </DialogButton>
          </>
        )
      }
      of={sets}
      what="labels"
      rows={sets.data?.results}
      heads={[
        ["Name"],
        ["Strategy", "hide-narrow"],
        ["Question set", "hide-narrow"],
        ["State"],
        ["Paths", "num"],
        ["Coverage", "num hide-narrow"],
        ["Merged", "num hide-narrow"],
        ["Made", "hide-narrow"],
      ]}
      row={(set) => <LabelRow key={set.id} set={set} mayWrite={mayWrite} />}
      empty={
        "None kept. Training makes its labels on the way; label a question set here to choose another strategy, to " +
        "look at the paths, or to train several methods from the same ones."
      }
    />
  );
}
