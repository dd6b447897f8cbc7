// Tokens for scripts: what each may be used for, until when, and when it was used last. Shown once.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { accessKeys, deleteToken, makeToken, tokensQuery, type ApiToken, type Scope } from "@/api/access";
import { SomeOf } from "@/components/kit/Choices";
import { Button, Modal, Pick } from "@/components/kit/controls";
import { Ago, ErrorNotice, Loading } from "@/components/kit/feedback";
import { TextField } from "@/components/kit/TextField";
import { ResourceTable } from "@/components/kit/ResourceTable";
import { useAct } from "@/components/kit/useAct";
import { Form } from "@/components/kit/Form";
import { Card } from "@/components/kit/Card";
import { relativeTime } from "@/store/format";
import { ShownOnce } from "./ShownOnce";

const SCOPES: readonly { id: Scope; label: string; detail: string }[] = [
  { id: "read", label: "Read", detail: "Look at graphs, runs, questions and reports" },
  { id: "ask", label: "Ask", detail: "Start and stop runs and comparisons" },
  { id: "write", label: "Write", detail: "Change graphs, question sets, reviews and experiments" },
  { id: "admin", label: "Administer", detail: "Tokens, groups, people, language models and the trash" },
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
    <Form of={make} act="Make the token" isDisabled={!name.trim() || scopes.length === 0}>
      <TextField
        label="Name (what it is for)"
        id="token-name"
        required
        maxLength={100}
        value={name}
        onChange={setName}
      />
      <SomeOf label="It may" options={SCOPES} value={scopes} onChange={setScopes} />
      <Pick label="It lasts" showLabel options={LASTS} value={days} onChange={setDays} />
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
        <Button
          look="plain"
          size="small"
          icon="trash"
          label={`Delete the token ${token.name}`}
          isDisabled={remove.isPending}
          onPress={() => remove.mutate()}
        />
      </td>
    </tr>
  );
}

export function Tokens() {
  const { data, error } = useQuery(tokensQuery);
  const [making, setMaking] = useState(false);
  const [made, setMade] = useState<string | null>(null);
  return (
    <Card
      title="Tokens for scripts"
      acts={
        <Button
          size="small"
          onPress={() => {
            setMade(null);
            setMaking(true);
          }}
        >
          New token
        </Button>
      }
    >
      {error && <ErrorNotice error={error} />}
      {!data && !error && <Loading what="tokens" />}
      {data?.length === 0 && (
        <p className="body muted">
          None yet. A token lets a script use the API as you, as far as its scopes go.
        </p>
      )}
      {data && data.length > 0 && (
        <ResourceTable heads={[["Name"], ["May"], ["Last used", "hide-narrow"], ["Ends"]]} acts>
          {data.map((token) => (
            <Row key={token.id} token={token} />
          ))}
        </ResourceTable>
      )}
      <Modal title="New token" isOpen={making} onClose={() => setMaking(false)}>
        {made === null ? (
          <NewToken onMade={setMade} />
        ) : (
          <ShownOnce value={made}>Send it as the header “Authorization: Bearer TOKEN”.</ShownOnce>
        )}
      </Modal>
    </Card>
  );
}
