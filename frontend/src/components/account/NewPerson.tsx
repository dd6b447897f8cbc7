// Making a person: a name, a role, and a password for the first login.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { makePerson, peopleKey } from "@/api/people";
import type { Role } from "@/api/types";
import { OneOf } from "@/components/kit/Choices";
import { Button } from "@/components/kit/controls";
import { ErrorNotice } from "@/components/kit/feedback";
import { TextField } from "@/components/kit/TextField";
import { FirstLogin } from "./FirstLogin";
import { Quota } from "./Quota";
import { quotaOf, ROLES } from "./roles";

export function NewPerson({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const [name, setName] = useState("");
  const [role, setRole] = useState<Role>("viewer");
  const [quota, setQuota] = useState("");
  const make = useMutation({
    mutationFn: () => makePerson({ username: name.trim(), role, quota: quotaOf(quota) }),
    onSuccess: () => client.invalidateQueries({ queryKey: peopleKey }),
  });
  if (make.data) return <FirstLogin person={make.data} onClose={onClose} />;
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        make.mutate();
      }}
    >
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
      {make.error && <ErrorNotice error={make.error} />}
      <div className="foot">
        <Button onPress={onClose}>Cancel</Button>
        <Button type="submit" look="primary" isDisabled={!name.trim() || make.isPending}>
          Make the account
        </Button>
      </div>
    </form>
  );
}
