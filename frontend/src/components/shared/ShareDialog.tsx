// Sharing an answer: what the link shows, how long it works, and which sites may show it in their pages.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { embedCode, linksKey, makeLink, sharedUrl, sharingPolicyQuery } from "@/api/shared";
import type { Run } from "@/api/types";
import { ShownOnce } from "@/components/account/ShownOnce";
import { OneOf } from "@/components/kit/Choices";
import { Button, Modal, PickField } from "@/components/kit/controls";
import { Notice, QueryState } from "@/components/kit/feedback";
import { copyText } from "@/components/kit/files";
import { Form } from "@/components/kit/Form";
import { TextArea } from "@/components/kit/TextField";
import { useAct } from "@/components/kit/useAct";

const LASTS = [
  { id: "1", label: "A day" },
  { id: "7", label: "7 days" },
  { id: "30", label: "30 days" },
  { id: "365", label: "A year" },
];
const ENDLESS = { id: "0", label: "Until it is revoked" };

const SHOWS = [
  {
    id: "answer",
    label: "This answer",
    detail: "The question, its answer and the evidence, also as a drawing",
  },
  {
    id: "conversation",
    label: "The conversation",
    detail: "The questions up to this one; later ones are not shown",
  },
] as const;

interface Made {
  token: string;
  isEmbedded: boolean;
}

function NewLink({ run, endless, onMade }: { run: Run; endless: boolean; onMade: (made: Made) => void }) {
  const [shows, setShows] = useState<(typeof SHOWS)[number]["id"]>("answer");
  const [days, setDays] = useState("30");
  const [sites, setSites] = useState("");
  const origins = sites.split(/[\s,]+/).filter(Boolean);
  const make = useAct(
    () =>
      makeLink({
        ...{ run: run.id, conversation: shows === "conversation", origins },
        expires_days: days === ENDLESS.id ? null : Number(days),
      }),
    { changes: [linksKey], done: ({ token }) => onMade({ token, isEmbedded: origins.length > 0 }) },
  );
  return (
    <Form of={make} act="Create the link">
      <p className="small muted">
        Whoever has the link can read it without an account. It opens nothing else of this Clew.
      </p>
      {run.thread && <OneOf label="It shows" options={SHOWS} value={shows} onChange={setShows} />}
      <PickField
        label="It works for"
        options={endless ? [...LASTS, ENDLESS] : LASTS}
        value={days}
        onChange={setDays}
      />
      <TextArea
        label="Sites that may show it in their pages (one a line)"
        rows={2}
        placeholder="https://blog.example.org"
        value={sites}
        onChange={setSites}
        hint="Only needed to embed it in another site."
      />
    </Form>
  );
}

function EmbedCode({ token }: { token: string }) {
  const code = embedCode(token);
  return (
    <>
      <h3>To show it in a page of the site</h3>
      {/* eslint-disable-next-line jsx-a11y-x/no-noninteractive-tabindex -- to be selected by keyboard */}
      <p className="mono token small" tabIndex={0}>
        {code}
      </p>
      <p>
        <Button size="small" icon="copy" onPress={() => void copyText(code, "Code")}>
          Copy the code
        </Button>
      </p>
    </>
  );
}

function MadeLink({ token, isEmbedded }: Made) {
  return (
    <ShownOnce value={sharedUrl(token)} more={isEmbedded && <EmbedCode token={token} />}>
      Links are listed, and can be revoked, on <Link to="/account">your account</Link>.
    </ShownOnce>
  );
}

function Sharing({ run }: { run: Run }) {
  const policy = useQuery({ ...sharingPolicyQuery, refetchOnMount: "always" });
  const [made, setMade] = useState<Made | null>(null);
  if (made) return <MadeLink {...made} />;
  if (!policy.data) return <QueryState of={policy} what="what may be shared" retry />;
  if (!policy.data.enabled) {
    return (
      <Notice tone="info" title="Administrators have turned off sharing by link">
        People with an account who may see the graph can open the address of this page.
      </Notice>
    );
  }
  return <NewLink run={run} endless={policy.data.endless} onMade={setMade} />;
}

export function ShareDialog({ run, isOpen, onClose }: { run: Run; isOpen: boolean; onClose: () => void }) {
  return (
    <Modal title="Share with a link" isOpen={isOpen} onClose={onClose}>
      {isOpen && <Sharing run={run} />}
    </Modal>
  );
}
