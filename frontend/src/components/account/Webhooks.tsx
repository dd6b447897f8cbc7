// Webhooks: addresses that Clew tells what happens, what each is told, and whether that arrives.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import {
  changeWebhook,
  deleteWebhook,
  makeWebhook,
  rotateSecret,
  webhooksKey,
  webhooksQuery,
  type Webhook,
  type WebhookEvent,
} from "@/api/webhooks";
import { SomeOf } from "@/components/kit/Choices";
import { ConfirmDelete } from "@/components/kit/ConfirmDelete";
import { ActMenu, Button, Modal } from "@/components/kit/controls";
import { Notice } from "@/components/kit/feedback";
import { DialogButton } from "@/components/kit/DialogButton";
import { Form } from "@/components/kit/Form";
import { ListCard } from "@/components/kit/ListCard";
import { TextField } from "@/components/kit/TextField";
import { useAct } from "@/components/kit/useAct";
import { count, relativeTime } from "@/view/format";
import { ShownOnce } from "./ShownOnce";
import { WebhookLog } from "./WebhookLog";

const EVENTS: readonly { id: WebhookEvent; label: string; detail: string }[] = [
  {
    id: "run.ended",
    label: "Run ended",
    detail: "One of your questions was answered, failed or was stopped",
  },
  { id: "job.ended", label: "Job ended", detail: "An import, training, evaluation or other job" },
  { id: "version.activated", label: "Version activated", detail: "Another version of a graph is current" },
  {
    id: "review.decided",
    label: "Review decided",
    detail: "A question was decided, or all that analysts agree on was accepted",
  },
  {
    id: "answer.changed",
    label: "Answer changed",
    detail: "A question that you watch, or a test of a graph, is answered otherwise",
  },
];

const changes = [webhooksKey];

function WebhookForm({ webhook, onDone }: { webhook?: Webhook; onDone: (secret?: string) => void }) {
  const [url, setUrl] = useState(webhook?.url ?? "");
  const [events, setEvents] = useState<readonly WebhookEvent[]>(webhook?.events ?? ["job.ended"]);
  const save = useAct(
    async () => {
      const body = { url: url.trim(), events: [...events] };
      if (!webhook) return (await makeWebhook(body)).secret;
      await changeWebhook(webhook.id, body);
      return undefined;
    },
    { changes, done: onDone },
  );
  return (
    <Form
      of={save}
      act={webhook ? "Save" : "Create the webhook"}
      isDisabled={!url.trim() || events.length === 0}
    >
      <TextField
        label="Address"
        type="url"
        required
        maxLength={2000}
        placeholder="https://"
        value={url}
        onChange={setUrl}
        hint="Your administrator lists the hosts that may be sent to (CLEW_IMPORT_HOSTS)."
      />
      <SomeOf label="Events" options={EVENTS} value={events} onChange={setEvents} />
      <p className="small muted">Ids and states are sent, and only of what you may see yourself.</p>
    </Form>
  );
}

/** Giving a webhook another secret, which is shown once. */
function Rotating({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const rotate = useAct(() => rotateSecret(webhook.id), { changes });
  const until = webhook.old_secret_until;
  if (rotate.data) {
    return (
      <ShownOnce value={rotate.data.secret}>
        Give it to the receiver within 24 hours: until then messages are signed with the old secret too.
      </ShownOnce>
    );
  }
  return (
    <Form of={rotate} act="Rotate the secret" onClose={onClose}>
      <p>
        Messages to <bdi className="break">{webhook.url}</bdi> get a new secret. They are signed with the
        present one as well for 24 hours, so that none is lost.
      </p>
      {until && new Date(until) > new Date() && (
        <Notice tone="warn" title="It was rotated less than 24 hours ago">
          The secret before the present one stops working at once.
        </Notice>
      )}
    </Form>
  );
}

/** Making a webhook, whose secret is shown once. */
function Making() {
  const [secret, setSecret] = useState<string>();
  if (secret === undefined) return <WebhookForm onDone={setSecret} />;
  return (
    <ShownOnce value={secret}>
      The receiver checks with this secret that a message comes from Clew (Standard Webhooks).
    </ShownOnce>
  );
}

function State({ webhook }: { webhook: Webhook }) {
  const { enabled, reason, failures, next_at, waiting } = webhook;
  if (!enabled) {
    return (
      <>
        <span className={`badge ${reason ? "bad" : ""}`}>{reason ? "turned off" : "off"}</span>
        {reason && <div className="small muted break">{reason}</div>}
      </>
    );
  }
  if (!failures) return <span className="badge good">on</span>;
  return (
    <>
      <span className="badge warn">failing</span>
      <div className="small muted">
        {count(waiting, "event")} waiting, next attempt {relativeTime(next_at)}
      </div>
    </>
  );
}

function Row({ webhook }: { webhook: Webhook }) {
  const [open, setOpen] = useState<"log" | "form" | "secret" | "delete" | null>(null);
  const close = () => setOpen(null);
  const toggle = useAct(() => changeWebhook(webhook.id, { enabled: !webhook.enabled }), {
    changes,
    failed: true,
  });
  const remove = useAct(() => deleteWebhook(webhook.id), { changes, failed: true });
  return (
    <tr>
      <td>
        <bdi className="break">{webhook.url}</bdi>
        <div className="small muted">
          {EVENTS.filter(({ id }) => webhook.events.includes(id))
            .map(({ label }) => label)
            .join(", ")}
        </div>
      </td>
      <td>
        <State webhook={webhook} />
      </td>
      <td className="acts">
        <Button size="small" aria-label={`Log of ${webhook.url}`} onPress={() => setOpen("log")}>
          Log
        </Button>
        <ActMenu
          label={`More for ${webhook.url}`}
          acts={[
            { id: "change", label: "Change", icon: "gear", onAction: () => setOpen("form") },
            { id: "secret", label: "Rotate the secret", icon: "retry", onAction: () => setOpen("secret") },
            {
              id: "toggle",
              label: webhook.enabled ? "Turn off" : "Turn on",
              icon: webhook.enabled ? "pause" : "play",
              onAction: () => toggle.mutate(),
            },
            { id: "delete", label: "Delete", icon: "trash", bad: true, onAction: () => setOpen("delete") },
          ]}
        />
        <Modal title="Deliveries" wide isOpen={open === "log"} onClose={close}>
          {open === "log" && <WebhookLog webhook={webhook} />}
        </Modal>
        <Modal title="Change the webhook" isOpen={open === "form"} onClose={close}>
          {open === "form" && <WebhookForm webhook={webhook} onDone={close} />}
        </Modal>
        <Modal title="Rotate the secret" isOpen={open === "secret"} onClose={close}>
          {open === "secret" && <Rotating webhook={webhook} onClose={close} />}
        </Modal>
        <ConfirmDelete
          title="Delete the webhook?"
          name={webhook.url}
          isOpen={open === "delete"}
          isBusy={remove.isPending}
          onConfirm={() => remove.mutate()}
          onClose={close}
        >
          <bdi className="break">{webhook.url}</bdi> is told nothing more, and its log is deleted.
        </ConfirmDelete>
      </td>
    </tr>
  );
}

export function Webhooks() {
  const webhooks = useQuery(webhooksQuery);
  return (
    <ListCard
      title="Webhooks"
      acts={
        <DialogButton act="New webhook" size="small">
          {() => <Making />}
        </DialogButton>
      }
      of={webhooks}
      what="webhooks"
      rows={webhooks.data?.results}
      heads={[["Address"], ["State"]]}
      row={(webhook) => <Row key={webhook.id} webhook={webhook} />}
      empty="None yet. A webhook tells another server at once when a run or job ends, a version is activated, a review is decided or an answer changes."
    />
  );
}
