// Question sets of a graph: list, upload, delete.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { createQuestionSet, keys, questionSetsQuery } from "@/api/queries";
import { useMayManage } from "@/api/rights";
import type { Id, QuestionSet, QuestionReading, Reading } from "@/api/types";
import { Button, Modal } from "@/components/kit/controls";
import { Ago, ErrorNotice, QueryState } from "@/components/kit/feedback";
import { Files, useFiles } from "@/components/uploads/Files";
import { nameFromFile } from "@/components/uploads/formats";
import { Preview } from "@/components/uploads/Preview";
import { TextField } from "@/components/kit/TextField";
import { ResourceTable } from "@/components/kit/ResourceTable";
import { count, integer } from "@/store/format";
import { useUploads } from "@/store/uploads";
import { ProblemRows } from "./ProblemsTable";
import { DeleteMade } from "./DeleteMade";
import { QuestionFit } from "./QuestionFit";

function SetForm({ graph, onClose }: { graph: Id; onClose: () => void }) {
  const client = useQueryClient();
  const purpose = `questions of ${graph}`;
  const { ids } = useFiles(purpose);
  const [name, setName] = useState("");
  const [reading, setReading] = useState<Reading>({});
  const [upload] = ids ?? [];
  const send = useMutation({
    mutationFn: () =>
      createQuestionSet({
        name: name.trim(),
        graph: Number(graph),
        upload: upload ?? "",
        ...(reading as QuestionReading),
      }),
    onSuccess: async () => {
      useUploads.getState().forget(purpose);
      await client.invalidateQueries({ queryKey: keys.questionSets });
      onClose();
    },
  });
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        send.mutate();
      }}
    >
      <Files
        purpose={purpose}
        multiple={false}
        onAdded={([file]) => {
          if (!name && file) setName(nameFromFile(file.name));
        }}
      >
        <p className="small muted">
          Questions with their answers: JSONL, MetaQA, PathQuestion, RoG, GrailQA, HotpotQA and their like
        </p>
      </Files>
      {ids && (
        <Preview
          kind="questions"
          from={{ uploads: ids, sources: [] }}
          reading={reading}
          onChange={setReading}
        />
      )}
      <TextField label="Name" id="set-name" required value={name} onChange={setName} />
      {send.error && <ErrorNotice error={send.error} />}
      <div className="foot">
        <Button onPress={onClose}>Cancel</Button>
        <Button type="submit" look="primary" isDisabled={!upload || !name.trim() || send.isPending}>
          Import
        </Button>
      </div>
    </form>
  );
}

function SetRow({ set }: { set: QuestionSet }) {
  const mayManage = useMayManage();
  const [open, setOpen] = useState<"problems" | "delete" | "fit" | null>(null);
  const close = () => {
    setOpen(null);
  };
  return (
    <tr>
      <td>
        <bdi>{set.name}</bdi>
      </td>
      <td className="muted hide-narrow">{set.format}</td>
      <td className="num">{integer(set.questions)}</td>
      <td className="muted tabular small hide-narrow">
        {Object.entries(set.splits)
          .map(([split, size]) => `${split} ${integer(size)}`)
          .join(" · ")}
      </td>
      <td className="muted nowrap hide-narrow">
        <Ago iso={set.created_at} />
      </td>
      <td className="acts">
        <Button size="small" onPress={() => setOpen("fit")}>
          Fit
        </Button>
        <QuestionFit set={set} isOpen={open === "fit"} onClose={close} />
        {set.problems.length > 0 && (
          <Button look="plain" size="small" icon="warn" onPress={() => setOpen("problems")}>
            {count(set.problems.length, "bad row")}
          </Button>
        )}
        {mayManage(set.created_by, set.graph) && (
          <Button
            look="plain"
            size="small"
            icon="trash"
            label={`Delete ${set.name}`}
            onPress={() => setOpen("delete")}
          />
        )}
        <Modal title={`Bad rows of ${set.name}`} isOpen={open === "problems"} onClose={close} wide>
          <ProblemRows problems={set.problems} />
        </Modal>
        <DeleteMade
          kind="question-sets"
          id={set.id}
          name={set.name}
          isOpen={open === "delete"}
          onClose={close}
        >
          {count(set.questions, "question")} will be deleted. Checkpoints trained on them and their reports
          stay.
        </DeleteMade>
      </td>
    </tr>
  );
}

export function QuestionSets({ graph, mayWrite }: { graph: Id; mayWrite: boolean }) {
  const [uploading, setUploading] = useState(false);
  const sets = useQuery(questionSetsQuery(graph));
  return (
    <section className="card" aria-labelledby="sets-title" id="questions">
      <header>
        <h2 id="sets-title">Question sets</h2>
        <span className="grow" />
        {mayWrite && (
          <Button size="small" icon="upload" onPress={() => setUploading(true)}>
            Upload questions
          </Button>
        )}
      </header>
      <QueryState of={sets} what="question sets" />
      {sets.data?.results.length === 0 && (
        <p className="body muted">
          No questions yet. Questions with known answers are what a retriever learns from, and what it is
          measured by.
        </p>
      )}
      {sets.data && sets.data.results.length > 0 && (
        <ResourceTable
          heads={[
            ["Name"],
            ["Format", "hide-narrow"],
            ["Questions", "num"],
            ["Splits", "hide-narrow"],
            ["Added", "hide-narrow"],
          ]}
          acts
        >
          {sets.data.results.map((set) => (
            <SetRow key={set.id} set={set} />
          ))}
        </ResourceTable>
      )}
      <Modal title="Upload questions" isOpen={uploading} onClose={() => setUploading(false)}>
        <SetForm graph={graph} onClose={() => setUploading(false)} />
      </Modal>
    </section>
  );
}
