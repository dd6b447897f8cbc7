// Making a person: a name, a role, and a password for the first login.
import { useState } from "react";
import { makePerson, peopleKey } from "@/api/people";
import type { Role } from "@/api/types";
import { OneOf } from "@/components/kit/Choices";
import { TextField } from "@/components/kit/TextField";
import { useAct } from "@/components/kit/useAct";
import { Form } from "@/components/kit/Form";
import { FirstLogin } from "./FirstLogin";
import { Quota } from "./Quota";
import { quotaOf, ROLES } from "./roles";

export function NewPerson({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState("");
  const [role, setRole] = useState<Role>("viewer");
  const [quota, setQuota] = useState("");
  const make = useAct(() => makePerson({ username: name.trim(), role, quota: quotaOf(quota) }), {
    changes: [peopleKey],
  });
  if (make.data) return <FirstLogin person={make.data} onClose={onClose} />;
  return (
    <Form of={make} act="Create the account" isDisabled={!name.trim()} onClose={onClose}>
      <TextField
        label="User name"
        id="person-name"
        required
        autoFocus
        autoComplete="off"
        autoCapitalize="none"
        maxLength={150}
        value={name}
        onChange={setName}
      />
      <OneOf label="Role" options={ROLES} value={role} onChange={setRole} />
      <Quota value={quota} onChange={setQuota} />
    </Form>
  );
}
