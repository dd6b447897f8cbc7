// Who may log in: role, groups, when they were here, what they keep.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { usersQuery, type Person } from "@/api/people";
import { Button, Modal } from "@/components/kit/controls";
import { Ago, ErrorNotice, Loading } from "@/components/kit/feedback";
import { ResourceTable } from "@/components/kit/ResourceTable";
import { Card } from "@/components/kit/Card";
import { bytes } from "@/store/format";
import { NewPerson } from "./NewPerson";
import { PersonForm } from "./PersonForm";

function Row({ person, me, onOpen }: { person: Person; me: boolean; onOpen: () => void }) {
  return (
    <tr>
      <td>
        <bdi>{person.username}</bdi> {me && <span className="muted small">you</span>}{" "}
        {!person.is_active && <span className="badge bad">deactivated</span>}
        {person.is_active && person.must_change_password && (
          <span className="badge warn" title="They have not chosen a password of their own yet">
            first login to come
          </span>
        )}
      </td>
      <td className={person.is_active ? "" : "muted"}>{person.role}</td>
      <td className="muted hide-narrow">{person.groups.join(", ") || "none"}</td>
      <td className="muted nowrap hide-narrow">
        {person.last_seen_at ? <Ago iso={person.last_seen_at} /> : "never"}
      </td>
      <td className="num nowrap hide-narrow">
        {bytes(person.used)}
        {person.limit !== null && <span className="muted"> of {bytes(person.limit)}</span>}
      </td>
      <td className="acts">
        <Button size="small" aria-label={`Change ${person.username}`} onPress={onOpen}>
          Change
        </Button>
      </td>
    </tr>
  );
}

export function People({ me }: { me: string }) {
  const { data, error } = useQuery(usersQuery);
  const [open, setOpen] = useState<Person["id"] | null>(null);
  const [making, setMaking] = useState(false);
  const person = data?.find((one) => one.id === open);
  const close = () => {
    setOpen(null);
    setMaking(false);
  };
  return (
    <Card
      title="Who may log in"
      count={data?.filter((one) => one.is_active).length}
      acts={
        <Button look="primary" size="small" onPress={() => setMaking(true)}>
          New person
        </Button>
      }
    >
      {error && <ErrorNotice error={error} />}
      {!data && !error && <Loading what="people" />}
      {data && (
        <ResourceTable
          heads={[
            ["Name"],
            ["Role"],
            ["Groups", "hide-narrow"],
            ["Last seen", "hide-narrow"],
            ["Keeps", "num hide-narrow"],
          ]}
          acts
        >
          {data.map((one) => (
            <Row key={one.id} person={one} me={one.username === me} onOpen={() => setOpen(one.id)} />
          ))}
        </ResourceTable>
      )}
      <Modal title="New person" isOpen={making} onClose={close}>
        {making && <NewPerson onClose={close} />}
      </Modal>
      <Modal title={person?.username ?? ""} isOpen={person !== undefined} onClose={close}>
        {person && <PersonForm person={person} me={person.username === me} onClose={close} />}
      </Modal>
    </Card>
  );
}
