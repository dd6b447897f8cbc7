// Groups of people who share graphs. Administrators make them.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { accessKeys, changeGroup, deleteGroup, groupsQuery, makeGroup, type Group } from "@/api/access";
import { usersQuery } from "@/api/people";
import { SomeOf } from "@/components/kit/Choices";
import { Button, Modal } from "@/components/kit/controls";
import { ErrorNotice, Loading } from "@/components/kit/feedback";
import { TextField } from "@/components/kit/TextField";
import { count } from "@/store/format";

function GroupForm({ group, onClose }: { group: Group | null; onClose: () => void }) {
  const client = useQueryClient();
  const users = useQuery(usersQuery);
  const [name, setName] = useState(group?.name ?? "");
  const [members, setMembers] = useState<readonly string[]>(group?.members ?? []);
  const done = async () => {
    await client.invalidateQueries({ queryKey: accessKeys.groups });
    onClose();
  };
  const save = useMutation({
    mutationFn: () => {
      const body = { name: name.trim(), members: [...members] };
      return group ? changeGroup(group.id, body) : makeGroup(body);
    },
    onSuccess: done,
  });
  const remove = useMutation({ mutationFn: (id: number) => deleteGroup(id), onSuccess: done });
  const error = save.error ?? remove.error ?? users.error;
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
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
      {error && <ErrorNotice error={error} />}
      <div className="foot">
        {group && (
          <Button look="danger" isDisabled={remove.isPending} onPress={() => remove.mutate(group.id)}>
            Delete the group
          </Button>
        )}
        <Button onPress={onClose}>Cancel</Button>
        <Button type="submit" look="primary" isDisabled={!name.trim() || save.isPending}>
          Save
        </Button>
      </div>
    </form>
  );
}

export function Groups() {
  const { data, error } = useQuery(groupsQuery);
  const [open, setOpen] = useState<Group | "new" | null>(null);
  const close = () => {
    setOpen(null);
  };
  return (
    <section className="card" aria-labelledby="groups-title">
      <header>
        <h2 id="groups-title">Groups</h2>
        <span className="grow" />
        <Button size="small" onPress={() => setOpen("new")}>
          New group
        </Button>
      </header>
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
    </section>
  );
}
