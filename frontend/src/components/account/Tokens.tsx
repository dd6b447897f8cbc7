// Tokens for scripts: what each may be used for, until when, and when it was used last. Shown once.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { accessKeys, deleteToken, makeToken, tokensQuery, type ApiToken, type Scope } from "@/api/access";
import { SomeOf } from "@/components/kit/Choices";
import { IconButton, PickField } from "@/components/kit/controls";
import { Ago, ErrorNotice } from "@/components/kit/feedback";
import { TextField } from "@/components/kit/TextField";
import { useAct } from "@/components/kit/useAct";
import { Form } from "@/components/kit/Form";
import { ListCard } from "@/components/kit/ListCard";
import { DialogButton } from "@/components/kit/DialogButton";
import { relativeTime } from "@/view/format";
import { ShownOnce } from "./ShownOnce";

const SCOPES: readonly { id: Scope; label: string; detail: string }[] = [
  { id: "read", label: "Read", detail: "Look at graphs, runs, questions and reports" },
  { id: "ask", label: "Ask", detail: "Start and stop runs and comparisons" },
  { id: "write", label: "Write", detail: "Change graphs, question sets, reviews and experiments" },
  { id: "admin", label: "Administer", detail: "Tokens, groups, people, language models and the trash" },
  {
    id: "reconcile",
    label: "Reconcile",
    detail: "Match tables in OpenRefine; alone it may stand in an address",
  },
];

const LASTS = [
  { id: "30", label: "30 days" },
  { id: "90", label: "90 days" },
  { id: "365", label: "A year" },
  { id: "0", label: "Until it is deleted" },
];

function NewToken({ onMade }: { onMade: (token: string) => void }) {
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<readonly Scope[]>(["read", "ask"]);
  const [days, setDays] = useState("90");
  const make = useAct(
    () =>
      makeToken({
        ...{ name: name.trim(), scopes: [...scopes] },
        ...(days !== "0" && { expires_days: Number(days) }),
      }),
    { changes: [accessKeys.tokens], done: ({ token }) => onMade(token) },
  );
  return (
    <Form of={make} act="Create the token" isDisabled={!name.trim() || scopes.length === 0}>
      <TextField
        label="Name (what it is for)"
        id="token-name"
        required
        maxLength={100}
        value={name}
        onChange={setName}
      />
      <SomeOf label="It may" options={SCOPES} value={scopes} onChange={setScopes} />
      <PickField label="It lasts" options={LASTS} value={days} onChange={setDays} />
      <p className="small muted">
        Never more than your own role allows. It ends when you change your password.
      </p>
    </Form>
  );
}

function Row({ token }: { token: ApiToken }) {
  const remove = useAct(() => deleteToken(token.id), { changes: [accessKeys.tokens] });
  return (
    <tr>
      <td>{token.name || <span className="muted">without a name</span>}</td>
      <td className="muted">{token.scopes.join(", ")}</td>
      <td className="muted nowrap hide-narrow">
        {token.last_used_at ? <Ago iso={token.last_used_at} /> : "never"}
      </td>
      <td className="muted nowrap">{token.expires_at ? relativeTime(token.expires_at) : "no end"}</td>
      <td className="acts">
        {remove.error && <ErrorNotice error={remove.error} />}
        <IconButton
          icon="trash"
          label={`Delete the token ${token.name}`}
          isDisabled={remove.isPending}
          onPress={() => remove.mutate()}
        />
      </td>
    </tr>
  );
}

/** Making a token, which is shown once. */
function Making() {
  const [made, setMade] = useState<string | null>(null);
  if (made === null) return <NewToken onMade={setMade} />;
  return <ShownOnce value={made}>Send it as the header “Authorization: Bearer TOKEN”.</ShownOnce>;
}

export function Tokens() {
  const tokens = useQuery(tokensQuery);
  return (
    <ListCard
      title="Tokens for scripts"
      acts={
        <DialogButton act="New token" size="small">
          {() => <Making />}
        </DialogButton>
      }
      of={tokens}
      what="tokens"
      rows={tokens.data}
      heads={[["Name"], ["May"], ["Last used", "hide-narrow"], ["Ends"]]}
      row={(token) => <Row key={token.id} token={token} />}
      empty="None yet. A token lets a script use the API as you, as far as its scopes go."
    />
  );
}
