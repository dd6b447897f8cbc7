// Who may log in: role, groups, when they were here, what they keep.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { usersQuery, type Person } from "@/api/people";
import { Button, Modal } from "@/components/kit/controls";
import { Ago } from "@/components/kit/feedback";
import { ListCard } from "@/components/kit/ListCard";
import { DialogButton } from "@/components/kit/DialogButton";
import { bytes } from "@/view/format";
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
            not logged in yet
          </span>
        )}
        {person.login_locked_s > 0 && (
          <span className="badge warn" title="Too many wrong passwords were tried from new devices">
            log-in locked
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
  const people = useQuery(usersQuery);
  const [open, setOpen] = useState<Person["id"] | null>(null);
  const person = people.data?.find((one) => one.id === open);
  const close = () => {
    setOpen(null);
  };
  return (
    <ListCard
      title="Who may log in"
      count={people.data?.filter((one) => one.is_active).length}
      acts={
        <DialogButton act="New person" look="primary" size="small">
          {(done) => <NewPerson onClose={done} />}
        </DialogButton>
      }
      of={people}
      what="people"
      rows={people.data}
      heads={[
        ["Name"],
        ["Role"],
        ["Groups", "hide-narrow"],
        ["Last seen", "hide-narrow"],
        ["Stored", "num hide-narrow"],
      ]}
      row={(one) => <Row key={one.id} person={one} me={one.username === me} onOpen={() => setOpen(one.id)} />}
    >
      <Modal title={person?.username ?? ""} isOpen={person !== undefined} onClose={close}>
        {person && <PersonForm person={person} me={person.username === me} onClose={close} />}
      </Modal>
    </ListCard>
  );
}
