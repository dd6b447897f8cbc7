// Who may see a graph: its owner alone, groups, or everybody.
import { useQuery } from "@tanstack/react-query";
import { changeAccess, groupsQuery } from "@/api/access";
import { keys } from "@/api/queries";
import type { Graph, Visibility } from "@/api/types";
import { SomeOf } from "@/components/kit/Choices";
import { PickField } from "@/components/kit/controls";
import { ErrorNotice } from "@/components/kit/feedback";
import { useAct } from "@/components/kit/useAct";
import { Card } from "@/components/kit/Card";

const WHO: readonly { id: Visibility; label: string; detail: string }[] = [
  { id: "public", label: "Everybody", detail: "Everybody who can log in may see and ask it" },
  { id: "group", label: "Groups", detail: "Its owner, the members of its groups, and administrators" },
  { id: "private", label: "Its owner", detail: "And administrators" },
];

/** Who may see a graph that is being made: its owner alone, unless they say otherwise. */
export function AtFirst({ value, onChange }: { value: Visibility; onChange: (value: Visibility) => void }) {
  return (
    <div className="field">
      <PickField
        label="Who may see it"
        options={WHO.filter((one) => one.id !== "group")}
        value={value}
        onChange={(id) => onChange(id as Visibility)}
      />
      <span className="hint">You can share it with groups later, on its page.</span>
    </div>
  );
}

export function Access({ graph, mayChange }: { graph: Graph; mayChange: boolean }) {
  const groups = useQuery({ ...groupsQuery, enabled: mayChange });
  const change = useAct(
    (body: { visibility?: Visibility; groups?: number[] }) => changeAccess(graph.id, body),
    { changes: [keys.graphs] },
  );
  const who = WHO.find((one) => one.id === graph.visibility);
  return (
    <Card
      title="Access"
      id="access"
      beside={
        graph.owner && (
          <span className="muted small">
            owner: <bdi>{graph.owner}</bdi>
          </span>
        )
      }
    >
      <div className="body stack">
        {mayChange ? (
          <PickField
            label="Who may see it, and all that is made of it"
            options={WHO}
            value={graph.visibility}
            onChange={(id) => change.mutate({ visibility: id as Visibility })}
          />
        ) : (
          <p>
            {who?.label}. <span className="muted">{who?.detail}.</span>
          </p>
        )}
        {graph.visibility === "group" && !mayChange && (
          <p className="small">Groups: {graph.groups.map((one) => one.name).join(", ") || "none yet"}</p>
        )}
        {graph.visibility === "group" && mayChange && (
          <SomeOf
            label="Groups"
            options={(groups.data?.results ?? []).map((one) => ({
              id: one.id,
              label: one.name,
              detail: one.members.join(", ") || "nobody yet",
            }))}
            value={graph.groups.map((one) => one.id)}
            isDisabled={change.isPending}
            onChange={(ids) => change.mutate({ groups: ids })}
          >
            {groups.data && (
              <p className="small muted">
                There is no group yet. An administrator makes them on the page of people.
              </p>
            )}
          </SomeOf>
        )}
        {change.error && <ErrorNotice error={change.error} />}
      </div>
    </Card>
  );
}
