// Changing a person: role, quota, a new password, and whether they are let in.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import {
  changePerson,
  deactivatePerson,
  peopleKey,
  resetPassword,
  unlockPerson,
  type Person,
} from "@/api/people";
import { keys } from "@/api/queries";
import { OneOf } from "@/components/kit/Choices";
import { Button } from "@/components/kit/controls";
import { Ago, ErrorNotice, Notice } from "@/components/kit/feedback";
import { useAct } from "@/components/kit/useAct";
import { Form } from "@/components/kit/Form";
import { bytes, count } from "@/view/format";
import { FirstLogin } from "./FirstLogin";
import { Quota } from "./Quota";
import { asTyped, quotaOf, ROLES } from "./roles";

interface Props {
  person: Person;
  me: boolean;
  onClose: () => void;
}

function LettingIn({ person, onDone }: { person: Person; onDone: () => Promise<unknown> }) {
  const [sure, setSure] = useState(false);
  const away = useAct(() => deactivatePerson(person.id), { done: onDone });
  if (!person.is_active) return null;
  return (
    <div className="stack">
      {sure && (
        <p>
          <bdi>{person.username}</bdi> is logged out everywhere at once, tokens end, and paths reserved for
          them go to others. What they made stays. They can be reactivated with a new password.
        </p>
      )}
      {away.error && <ErrorNotice error={away.error} />}
      <div className="row">
        <Button
          look="danger"
          isDisabled={away.isPending}
          onPress={() => {
            if (sure) away.mutate();
            else setSure(true);
          }}
        >
          {sure ? "Deactivate now" : "Deactivate"}
        </Button>
        {sure && <Button onPress={() => setSure(false)}>Keep</Button>}
      </div>
    </div>
  );
}

function LoginLock({ person, onDone }: { person: Person; onDone: () => Promise<unknown> }) {
  const unlock = useAct(() => unlockPerson(person.id), { done: onDone });
  if (!person.login_locked_s) return null;
  return (
    <Notice
      tone="warn"
      title={`New devices cannot log in for ${count(Math.ceil(person.login_locked_s / 60), "minute")}`}
      acts={
        <Button size="small" isDisabled={unlock.isPending} onPress={() => unlock.mutate()}>
          Unlock
        </Button>
      }
    >
      Too many wrong passwords were tried. Browsers that logged in to this account before still can.
      {unlock.error && <ErrorNotice error={unlock.error} />}
    </Notice>
  );
}

export function PersonForm({ person, me, onClose }: Props) {
  const client = useQueryClient();
  const [role, setRole] = useState(person.role);
  const [quota, setQuota] = useState(asTyped(person.quota));
  const refresh = () => client.invalidateQueries({ queryKey: peopleKey });
  const save = useAct(() => changePerson(person.id, { role, quota: quotaOf(quota) }), {
    done: async () => {
      await refresh();
      if (me) await client.invalidateQueries({ queryKey: keys.session });
      onClose();
    },
  });
  const reset = useAct(() => resetPassword(person.id), { done: refresh });
  if (reset.data) return <FirstLogin person={reset.data} onClose={onClose} />;
  return (
    <div className="stack">
      <p className="small muted">
        {person.last_seen_at ? (
          <>
            Last seen <Ago iso={person.last_seen_at} />
          </>
        ) : (
          "Never seen"
        )}
        {`  · stores ${bytes(person.used)}`}
        {person.limit !== null && ` of ${bytes(person.limit)}`}
        {person.groups.length > 0 && ` · in ${person.groups.join(", ")}`}
      </p>
      <LoginLock person={person} onDone={refresh} />
      <Form of={save} act="Save" onClose={onClose}>
        <OneOf label="Role" options={ROLES} value={role} onChange={setRole} />
        <Quota value={quota} onChange={setQuota} />
      </Form>
      {me ? (
        <p className="small muted">Your own password is changed on your account page.</p>
      ) : (
        <div className="stack apart">
          <p className="small muted">
            {person.is_active
              ? "A new password is made and shown once. Their sessions and tokens end."
              : "This person was deactivated. A new password, shown once, reactivates the account."}
          </p>
          {reset.error && <ErrorNotice error={reset.error} />}
          <div className="row">
            <Button isDisabled={reset.isPending} onPress={() => reset.mutate()}>
              {person.is_active ? "New password" : "Reactivate"}
            </Button>
          </div>
          <LettingIn person={person} onDone={refresh} />
        </div>
      )}
    </div>
  );
}
