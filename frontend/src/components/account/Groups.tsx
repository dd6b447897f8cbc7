// Groups of people who share graphs. Administrators make them.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { accessKeys, changeGroup, deleteGroup, groupsQuery, makeGroup, type Group } from "@/api/access";
import { usersQuery } from "@/api/people";
import { SomeOf } from "@/components/kit/Choices";
import { Button, Modal } from "@/components/kit/controls";
import { ErrorNotice, Loading } from "@/components/kit/feedback";
import { TextField } from "@/components/kit/TextField";
import { useAct } from "@/components/kit/useAct";
import { Form } from "@/components/kit/Form";
import { Card } from "@/components/kit/Card";
import { count } from "@/view/format";

function GroupForm({ group, onClose }: { group: Group | null; onClose: () => void }) {
  const client = useQueryClient();
  const users = useQuery(usersQuery);
  const [name, setName] = useState(group?.name ?? "");
  const [members, setMembers] = useState<readonly string[]>(group?.members ?? []);
  const done = async () => {
    await client.invalidateQueries({ queryKey: accessKeys.groups });
    onClose();
  };
  const save = useAct(
    () => {
      const body = { name: name.trim(), members: [...members] };
      return group ? changeGroup(group.id, body) : makeGroup(body);
    },
    { done },
  );
  const remove = useAct((id: number) => deleteGroup(id), { done });
  const error = save.error ?? remove.error ?? users.error;
  return (
    <Form
      of={save}
      error={error}
      act="Save"
      isDisabled={!name.trim()}
      onClose={onClose}
      foot={
        group && (
          <Button look="danger" isDisabled={remove.isPending} onPress={() => remove.mutate(group.id)}>
            Delete the group
          </Button>
        )
      }
    >
      <TextField label="Name" id="group-name" required maxLength={150} value={name} onChange={setName} />
      <SomeOf
        label="Members"
        options={(users.data ?? []).map((one) => ({
          id: one.username,
          label: one.username,
          detail: one.role,
        }))}
        value={members}
        onChange={setMembers}
      >
        {users.isPending && <Loading what="people" />}
      </SomeOf>
    </Form>
  );
}

export function Groups() {
  const { data, error } = useQuery(groupsQuery);
  const [open, setOpen] = useState<Group | "new" | null>(null);
  const close = () => {
    setOpen(null);
  };
  return (
    <Card
      title="Groups"
      acts={
        <Button size="small" onPress={() => setOpen("new")}>
          New group
        </Button>
      }
    >
      {error && <ErrorNotice error={error} />}
      {!data && !error && <Loading what="groups" />}
      {data?.results.length === 0 && (
        <p className="body muted">None yet. The members of a group see the graphs that are shared with it.</p>
      )}
      {data && data.results.length > 0 && (
        <ul className="body">
          {data.results.map((group) => (
            <li key={group.id} className="row">
              <span className="grow">
                <bdi>{group.name}</bdi>{" "}
                <span className="small muted" title={group.members.join(", ")}>
                  {count(group.members.length, "member")}
                </span>
              </span>
              <Button size="small" aria-label={`Change ${group.name}`} onPress={() => setOpen(group)}>
                Change
              </Button>
            </li>
          ))}
        </ul>
      )}
      <Modal
        title={open === "new" || open === null ? "New group" : open.name}
        isOpen={open !== null}
        onClose={close}
      >
        {open !== null && <GroupForm group={open === "new" ? null : open} onClose={close} />}
      </Modal>
    </Card>
  );
}
