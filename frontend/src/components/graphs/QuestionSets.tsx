// Question sets of a graph: list, upload, delete.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { downloadDataset } from "@/api/datasets";
import { createQuestionSet, keys, questionSetsQuery } from "@/api/queries";
import { useMayManage } from "@/api/rights";
import type { Id, QuestionSet, QuestionReading, Reading } from "@/api/types";
import { Button, IconButton, Modal } from "@/components/kit/controls";
import { Ago } from "@/components/kit/feedback";
import { fileName, saveFile } from "@/components/kit/files";
import { Files, useFiles } from "@/components/uploads/Files";
import { nameFromFile } from "@/components/uploads/formats";
import { Preview } from "@/components/uploads/Preview";
import { useIsRefused } from "@/components/uploads/useIsRefused";
import { TextField } from "@/components/kit/TextField";
import { useAct } from "@/components/kit/useAct";
import { Form } from "@/components/kit/Form";
import { ListCard } from "@/components/kit/ListCard";
import { DialogButton } from "@/components/kit/DialogButton";
import { count, integer } from "@/view/format";
import { useUploads } from "@/store/uploads";
import { ProblemRows } from "./ProblemsTable";
import { DeleteMade } from "./DeleteMade";
import { QuestionFit } from "./QuestionFit";

function SetForm({ graph, onClose }: { graph: Id; onClose: () => void }) {
  const purpose = `questions of ${graph}`;
  const { ids } = useFiles(purpose);
  const [name, setName] = useState("");
  const [reading, setReading] = useState<Reading>({});
  const [upload] = ids ?? [];
  const send = useAct(
    () =>
      createQuestionSet({
        name: name.trim(),
        graph: Number(graph),
        upload: upload ?? "",
        ...(reading as QuestionReading),
      }),
    {
      changes: [keys.questionSets],
      done: () => {
        useUploads.getState().forget(purpose);
        onClose();
      },
    },
  );
  const from = { uploads: ids ?? [], sources: [] };
  const refused = useIsRefused("questions", from, reading, ids !== null);
  return (
    <Form of={send} act="Import" isDisabled={!upload || refused || !name.trim()} onClose={onClose}>
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
      {ids && <Preview kind="questions" from={from} reading={reading} onChange={setReading} />}
      <TextField label="Name" id="set-name" required value={name} onChange={setName} />
    </Form>
  );
}

function SetRow({ set }: { set: QuestionSet }) {
  const mayManage = useMayManage();
  const [open, setOpen] = useState<"problems" | "delete" | "fit" | null>(null);
  const close = () => {
    setOpen(null);
  };
  // What is said of a whole file is no row.
  const bad = set.problems.filter((one) => one.line > 0).length;
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
            {bad > 0 ? count(bad, "bad row") : count(set.problems.length, "note")}
          </Button>
        )}
        <IconButton
          icon="download"
          label={`Download ${set.name} as a dataset`}
          onPress={() =>
            void saveFile(fileName(set.name, "zip"), downloadDataset("question-sets", set.id), "The dataset")
          }
        />
        {mayManage(set.created_by, set.graph) && (
          <IconButton icon="trash" label={`Delete ${set.name}`} onPress={() => setOpen("delete")} />
        )}
        <Modal
          title={bad > 0 ? `Bad rows of ${set.name}` : `Rows that could not be read in ${set.name}`}
          isOpen={open === "problems"}
          onClose={close}
          wide
        >
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
  const sets = useQuery(questionSetsQuery(graph));
  return (
    <ListCard
      title="Question sets"
      id="questions"
      acts={
        mayWrite && (
          <DialogButton act="Upload questions" size="small" icon="upload">
            {(close) => <SetForm graph={graph} onClose={close} />}
          </DialogButton>
        )
      }
      of={sets}
      what="question sets"
      rows={sets.data?.results}
      heads={[
        ["Name"],
        ["Format", "hide-narrow"],
        ["Questions", "num"],
        ["Splits", "hide-narrow"],
        ["Added", "hide-narrow"],
      ]}
      row={(set) => <SetRow key={set.id} set={set} />}
      empty="No questions yet. Questions with known answers are what a retriever learns from, and what it is measured by."
    />
  );
}
