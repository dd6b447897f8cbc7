// Trajectory sets: what a behaviour policy did for the questions of a set, for agents to learn from.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { graphsQuery, keys, questionSetsQuery, statusQuery } from "@/api/queries";
import { useMayManage } from "@/api/rights";
import {
  deleteTrajectorySet,
  downloadTrajectories,
  synthesise,
  trajectorySetsQuery,
  type TrajectorySet,
} from "@/api/trajectories";
import type { Id } from "@/api/types";
import { ActMenu, PickField, named } from "@/components/kit/controls";
import { Ago, JobBadge } from "@/components/kit/feedback";
import { TextField } from "@/components/kit/TextField";
import { fileName, saveFile } from "@/components/kit/files";
import { useAct } from "@/components/kit/useAct";
import { Form } from "@/components/kit/Form";
import { ListCard } from "@/components/kit/ListCard";
import { DialogButton } from "@/components/kit/DialogButton";
import { integer } from "@/view/format";

const POLICIES = [
  {
    id: "offline",
    label: "Offline guide",
    detail: "Follows rational paths, and sometimes goes astray; needs no language model",
  },
  { id: "llm", label: "Language model", detail: "Explores as it does when asked; replies are kept" },
];

function MakeForm({ graph, onClose }: { graph: Id | null; onClose: () => void }) {
  const graphs = useQuery(graphsQuery).data?.results ?? [];
  const llm = useQuery(statusQuery).data?.llm.configured ?? false;
  const [of, setOf] = useState(graph === null ? null : String(graph));
  const ready = graphs.filter((one) => one.state === "ready" && one.triples > 0);
  const chosen = of ?? (ready[0] ? String(ready[0].id) : null);
  const sets = useQuery({ ...questionSetsQuery(chosen), enabled: chosen !== null }).data?.results ?? [];
  const [set, setSet] = useState<string | null>(null);
  const asked = sets.find((one) => String(one.id) === set) ?? sets[0];
  const [policy, setPolicy] = useState("offline");
  const [samples, setSamples] = useState("2");
  const [astray, setAstray] = useState("15");
  const wrong =
    policy === "offline" &&
    !(/^\d+$/.test(samples) && +samples >= 1 && +samples <= 20 && +astray >= 0 && +astray <= 100);
  const start = useAct(
    () =>
      synthesise({
        graph: Number(chosen),
        question_set: Number(asked?.id),
        policy,
        samples: Number(samples),
        astray: Number(astray) / 100,
      }),
    { changes: [keys.jobs], job: ({ job }) => job, done: onClose },
  );
  return (
    <Form of={start} act="Start" isDisabled={!chosen || !asked || wrong} onClose={onClose}>
      <PickField
        label="Graph"
        options={named(ready)}
        value={chosen}
        onChange={(id) => {
          setOf(id);
          setSet(null);
        }}
      />
      {sets.length === 0 ? (
        <p className="muted">
          Upload a question set for this graph first: trajectories end with its answers.
        </p>
      ) : (
        <PickField label="Question set" options={named(sets)} value={asked?.id} onChange={setSet} />
      )}
      <PickField
        label="Who acts"
        options={POLICIES.map((one) => ({ ...one, disabled: one.id === "llm" && !llm }))}
        value={policy}
        onChange={setPolicy}
      />
      {policy === "offline" && (
        <div className="fields">
          <TextField
            label="Attempts per question"
            id="samples"
            value={samples}
            onChange={setSamples}
            numeric
            hint="1 to 20; the first goes straight."
          />
          <TextField
            label="Steps astray, %"
            id="astray"
            value={astray}
            onChange={setAstray}
            numeric
            hint="How often the other tries do something at random."
          />
        </div>
      )}
    </Form>
  );
}

function SetRow({ set, mayWrite }: { set: TrajectorySet; mayWrite: boolean }) {
  const mayManage = useMayManage();
  const done = set.state === "done";
  const remove = useAct(() => deleteTrajectorySet(set.id), {
    changes: [keys.jobs],
    failed: "The trajectories could not be deleted.",
  });
  const save = (form: "raw" | "refined") => {
    void saveFile(
      fileName(`${set.name} ${form}`, "jsonl"),
      downloadTrajectories(set.id, form),
      "The trajectories",
    );
  };
  const mean = (steps: number) => (steps / Math.max(1, set.trajectories)).toFixed(1);
  return (
    <tr>
      <td className="cell-name">
        {done ? (
          <Link to={`/experiments/trajectories/${set.id}`} className="run-link">
            <bdi>{set.name}</bdi>
          </Link>
        ) : (
          <strong>
            <bdi>{set.name}</bdi>
          </strong>
        )}
        <div className="small muted">
          <bdi>{set.graph_name}</bdi>
        </div>
        {set.error && (
          <div className="small bad-text">
            {set.error.message} {set.error.hint}
          </div>
        )}
      </td>
      <td className="hide-narrow">{set.policy}</td>
      <td>
        <JobBadge state={set.state} />
      </td>
      <td className="num">{done ? integer(set.trajectories) : "–"}</td>
      <td className="num hide-narrow" title="Questions that have a trajectory which ends with their answers">
        {done ? `${integer(set.answered)} of ${integer(set.questions)}` : "–"}
      </td>
      <td className="num nowrap" title="Mean steps of a trajectory, before and after refinement">
        {done ? `${mean(set.raw_steps)} → ${mean(set.refined_steps)}` : "–"}
      </td>
      <td className="muted nowrap hide-narrow">
        <Ago iso={set.created_at} />
      </td>
      <td className="acts">
        <ActMenu
          label={`More for ${set.name}`}
          acts={[
            ...(done
              ? (["raw", "refined"] as const).map((form) => ({
                  id: form,
                  label: form === "raw" ? "Download as made" : "Download refined",
                  icon: "download" as const,
                  onAction: () => save(form),
                }))
              : []),
            mayWrite &&
              mayManage(set.created_by, set.graph) && {
                id: "delete",
                label: "Delete",
                icon: "trash",
                bad: true,
                onAction: () => remove.mutate(),
              },
          ]}
        />
      </td>
    </tr>
  );
}

export function Trajectories({ graph, mayWrite }: { graph: Id | null; mayWrite: boolean }) {
  const found = useQuery(trajectorySetsQuery(graph));
  return (
    <ListCard
      title="Trajectories"
      acts={
        mayWrite && (
          <DialogButton act="Make trajectories" size="small">
            {(close) => <MakeForm graph={graph} onClose={close} />}
          </DialogButton>
        )
      }
      of={found}
      what="trajectories"
      rows={found.data?.results}
      heads={[
        ["Name"],
        ["Who acted", "hide-narrow"],
        ["State"],
        ["Trajectories", "num"],
        ["Questions", "num hide-narrow"],
        ["Steps", "num"],
        ["Made", "hide-narrow"],
      ]}
      row={(set) => <SetRow key={set.id} set={set} mayWrite={mayWrite} />}
      empty={
        "None kept. Training an agent makes its trajectories on the way; make some here to look at them before and " +
        "after refinement, to download them, or to train from the same ones again."
      }
    />
  );
}
