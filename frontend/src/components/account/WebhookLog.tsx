// What was sent to a webhook: each attempt with its response, sending again, and a test.
import { useQuery } from "@tanstack/react-query";
import {
  deliveriesQuery,
  resendDelivery,
  testWebhook,
  webhooksKey,
  type Delivery,
  type Webhook,
} from "@/api/webhooks";
import { Button } from "@/components/kit/controls";
import { Ago, Notice, QueryState } from "@/components/kit/feedback";
import { ResourceTable } from "@/components/kit/ResourceTable";
import { useAct } from "@/components/kit/useAct";
import { exactTime, milliseconds } from "@/view/format";

const REFRESH_MS = 2000;
const TONES: Record<Delivery["state"], string> = {
  waiting: "accent",
  delivered: "good",
  failed: "bad",
  dropped: "",
};

function Attempts({ of }: { of: Delivery["attempts"] }) {
  return (
    <ol className="small">
      {of.map((attempt) => (
        <li key={attempt.started_at}>
          <Ago iso={attempt.started_at} />
          {attempt.status !== null && `, status ${attempt.status}`}, {milliseconds(attempt.ms)}
          {attempt.error && <div className="break">{attempt.error}</div>}
          {attempt.response && <pre className="mono response">{attempt.response}</pre>}
        </li>
      ))}
    </ol>
  );
}

function Row({ webhook, delivery }: { webhook: Webhook; delivery: Delivery }) {
  const again = useAct(() => resendDelivery(webhook.id, delivery.id), {
    changes: [webhooksKey],
    failed: true,
  });
  const { payload, attempts, state } = delivery;
  const last = attempts.at(-1);
  const act = state === "waiting" ? "Send now" : "Send again";
  return (
    <tr>
      <td>
        <details>
          <summary>{payload.type}</summary>
          <p className="mono small break">{JSON.stringify(payload.data)}</p>
          <p className="mono small muted break">{payload.id}</p>
          <Attempts of={attempts} />
        </details>
      </td>
      <td>
        <span className={`badge ${TONES[state]}`}>{state}</span>
        {last?.error && <div className="small muted break">{last.error}</div>}
        {state === "dropped" && <div className="small muted">You do not see any more what it is about.</div>}
      </td>
      <td className="muted nowrap hide-narrow">
        <Ago iso={last?.started_at ?? delivery.created_at} />
      </td>
      <td className="num nowrap hide-narrow">{last && milliseconds(last.ms)}</td>
      <td className="acts">
        <Button
          size="small"
          aria-label={`${act}: ${payload.type}, ${exactTime(payload.timestamp)}`}
          isDisabled={!webhook.enabled || again.isPending}
          onPress={() => again.mutate()}
        >
          {act}
        </Button>
      </td>
    </tr>
  );
}

export function WebhookLog({ webhook }: { webhook: Webhook }) {
  const log = useQuery({
    ...deliveriesQuery(webhook.id),
    refetchInterval: ({ state }) =>
      state.data?.results.some((one) => one.state === "waiting") ? REFRESH_MS : false,
  });
  const test = useAct(() => testWebhook(webhook.id), { changes: [webhooksKey], failed: true });
  const rows = log.data?.results;
  return (
    <>
      <p className="small muted">
        <bdi className="break">{webhook.url}</bdi>
      </p>
      {!webhook.enabled && (
        <Notice tone="warn" title="It is off: nothing is sent.">
          {webhook.reason || "Turn it on in its menu."}
        </Notice>
      )}
      <QueryState of={log} what="deliveries" />
      {rows?.length === 0 && <p className="muted">Nothing was sent yet. Send a test event to try it.</p>}
      {rows !== undefined && rows.length > 0 && (
        <ResourceTable
          acts
          heads={[["Event"], ["State"], ["Last attempt", "hide-narrow"], ["Took", "num hide-narrow"]]}
        >
          {rows.map((delivery) => (
            <Row key={delivery.id} webhook={webhook} delivery={delivery} />
          ))}
        </ResourceTable>
      )}
      <div className="foot">
        <Button isDisabled={!webhook.enabled || test.isPending} onPress={() => test.mutate()}>
          Send a test event
        </Button>
      </div>
    </>
  );
}
